"""Calls that cannot wait for a page that will never answer.

A page stops answering for reasons that CDP does not report to the caller: a dialog
that is held, a crash before the call, a closed tab. Each of them ends all guarded
waits at once, with an error of its own.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Any

import trio

from cdp.connection import CALL_TIMEOUT_S, results_of
from cdp.errors import CallTimedOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cdp.connection import Call, CdpSession, Outcome
    from cdp.errors import CdpError


class Interrupts:
    """What ends the waits on one page: its loss for good, a held dialog until it closes."""

    def __init__(self) -> None:
        self.lost: CdpError | None = None
        self.gone = trio.Event()  # set when ``lost`` is
        self.held: CdpError | None = None
        self._waits: dict[trio.CancelScope, CdpError | None] = {}

    def lose(self, error: CdpError) -> None:
        """End all waits, now and later, with the first such error."""
        if self.lost is None:
            self.lost = error
            self.gone.set()
            self._end_waits(error)

    def hold(self, error: CdpError) -> None:
        """End all waits with this error until `resume`."""
        self.held = error
        self._end_waits(error)

    def resume(self) -> None:
        """Let calls wait again."""
        self.held = None

    def verify_answering(self) -> None:
        """Raise what keeps the page from answering, if anything does."""
        error = self.lost or self.held
        if error is not None:
            raise error

    @contextmanager
    def guard(self, timeout_s: float = inf) -> Iterator[None]:
        """Run a block that the page's loss or a held dialog ends with its error.

        When its time is over it just ends.
        """
        self.verify_answering()
        with trio.CancelScope(deadline=trio.current_time() + timeout_s) as scope:
            self._waits[scope] = None
            try:
                yield
            finally:
                error = self._waits.pop(scope)
        if scope.cancelled_caught and error is not None:
            raise error

    def _end_waits(self, error: CdpError) -> None:
        for scope in self._waits:
            self._waits[scope] = error
            scope.cancel()


class GuardedSession:
    """A CDP session whose calls end with the page's interrupts."""

    def __init__(self, session: CdpSession, interrupts: Interrupts) -> None:
        self.session = session
        self.interrupts = interrupts

    async def call(
        self, method: str, /, *, timeout_s: float = CALL_TIMEOUT_S, **params: object
    ) -> dict[str, Any]:
        """Call one method and return its result; see `CdpSession.call`."""
        (result,) = await self.pipeline([(method, params)], timeout_s=timeout_s)
        return result

    async def pipeline(
        self, calls: Sequence[Call], *, timeout_s: float = CALL_TIMEOUT_S
    ) -> list[dict[str, Any]]:
        """Send calls in order without waiting in between; see `CdpSession.pipeline`."""
        return results_of(await self.pipeline_outcomes(calls, timeout_s=timeout_s))

    async def pipeline_outcomes(
        self, calls: Sequence[Call], *, timeout_s: float = CALL_TIMEOUT_S
    ) -> list[Outcome]:
        """Like `pipeline`, with each call's error in the place of its result."""
        await trio.lowlevel.checkpoint_if_cancelled()
        # one scope for the time and for what may end it: this is the way of every act
        with self.interrupts.guard(timeout_s), self.session.sending(calls) as batch:
            await batch.settled.wait()
        return batch.outcomes_within(timeout_s)


@contextmanager
def bounded(method: str, timeout_s: float) -> Iterator[None]:
    """Run a block of several calls within a time of its own; CallTimedOut after it."""
    with trio.move_on_after(timeout_s) as scope:
        yield
    if scope.cancelled_caught:
        raise CallTimedOut(method, timeout_s)
