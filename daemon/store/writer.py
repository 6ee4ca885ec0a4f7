"""The one thread in which the database is used, and how work gets there and back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

BRIEF_S: Final = 0.001
"""How long the event loop itself waits for work that syncs nothing: going away to wait and
being woken costs several times what such work takes."""

_Found = TypeVar("_Found")


class Writer:
    """One thread that does what it is given, in order."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "store")
        self._long = 0

    async def run(self, work: Callable[[], _Found], *, brief: bool) -> _Found:
        """Do it there and return what it returns, or raise what it raises.

        Once handed over it is done, and waited for even by a task that is cancelled.
        ``brief`` work is done within BRIEF_S as a rule.
        """
        done = self._thread.submit(work)
        if brief and not self._long and _is_done_soon(done):
            return done.result()
        self._long += 1
        try:
            await _come(done)
        finally:
            self._long -= 1
        return done.result()

    def close(self) -> None:
        """End the thread once it has done what it was given."""
        self._thread.shutdown(wait=False)


def _is_done_soon(work: Future[_Found]) -> bool:
    try:
        work.exception(BRIEF_S)
    except TimeoutError:
        return False
    return True


async def _come(work: Future[_Found]) -> None:
    """Wait until it is done, whoever cancels."""
    come, token = trio.Event(), trio.lowlevel.current_trio_token()
    work.add_done_callback(lambda _: token.run_sync_soon(come.set))
    with trio.CancelScope(shield=True):
        await come.wait()
