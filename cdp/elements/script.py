"""Asking the walker's script in one world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdp.frame import WORLD_ENDED
from cdp.walker.source import IS_INSTALLED, NAME, SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

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
