"""Asking the walker's script in one world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from cdp.errors import CallRefused, CdpError
from cdp.frame import WORLD_ENDED, parse_run
from cdp.page_errors import ScriptFailed
from cdp.walker.source import IS_INSTALLED, NAME, SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.connection import Outcome
    from cdp.frame import World

_INSTALL = f"() => {{ {SOURCE} }}"


def question(function: str) -> str:
    """Return the declaration that calls one function of the walker's; null without a walker."""
    return f"order => {IS_INSTALLED} ? {NAME}.{function}(order) : null"


async def ask(
    world: World, function: str, order: Mapping[str, object], *, wait: bool = False
) -> Any:  # noqa: ANN401 (JSON)
    """Return what a function of the walker's gives; None when there is no walker in the world.

    A document without one has been walked or searched by nobody, as one that has just been
    put in another's place: its numbers name nothing. ``wait`` awaits a promise. Raises what
    keeps the page from answering.
    """
    try:
        return await world.run(question(function), order, wait=wait)
    except WORLD_ENDED:
        world.session.interrupts.verify_answering()
        return None


async def install(world: World) -> None:
    """Put the walker into a world, if it is not there."""
    await world.run(_INSTALL)


class Asked:
    """A question whose answer, a promise's, is awaited while something else is sent.

    It is sent before that, so that the answer comes even if the page opens a dialog or
    leaves at it. `ask_ahead` makes one.
    """

    def __init__(self) -> None:
        self._outcome: Outcome | None = None
        self._come = trio.Event()

    @property
    def has_come(self) -> bool:
        """Whether there is an outcome."""
        return self._come.is_set()

    async def wait(self, timeout_s: float) -> None:
        """Wait for the outcome, so long at most."""
        with trio.move_on_after(timeout_s):
            await self._come.wait()

    @property
    def answer(self) -> Any:  # noqa: ANN401 (JSON)
        """What was answered; None when the document is gone. Raises what kept the page from it."""
        if self._outcome is None or isinstance(self._outcome, CallRefused):
            return None
        if isinstance(self._outcome, CdpError):
            raise self._outcome
        try:
            return parse_run(self._outcome)
        except ScriptFailed:
            return None

    def settle(self, outcome: Outcome) -> None:
        """Take the outcome."""
        self._outcome = outcome
        self._come.set()


async def ask_ahead(world: World, function: str, order: Mapping[str, object]) -> Asked:
    """Ask a function of the walker's and do not wait for what its promise gives."""
    asked = Asked()
    method, parameters = await world.run_call(question(function), order)
    world.session.session.post(method, {**parameters, "awaitPromise": True}, asked.settle)
    return asked
