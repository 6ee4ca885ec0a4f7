"""Writes one session's evidence beside its work, in order, and owns up when it cannot.

Frames and events are handed over without waiting for the disk, so that it works
while the browser does; `flush` is the point after which all of it is kept, and no
operation succeeds before its flush.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import trio

from daemon.evidence_store import EvidenceUnwritable, unwritable

if TYPE_CHECKING:
    from daemon.evidence_store import Event, EvidenceStore
    from daemon.tab import Picture

BACKLOG = 32
"""Writes handed over and not begun; beyond it handing over waits."""

Write = Callable[[], Awaitable[None]]


class Recorder:
    """One session's pen; nothing is written unless `run` is running."""

    def __init__(self, store: EvidenceStore, proof_id: str) -> None:
        self._store = store
        self._proof_id = proof_id
        self._send, self._receive = trio.open_memory_channel[Write | trio.Event](BACKLOG)
        self._failure: EvidenceUnwritable | None = None

    async def run(self) -> None:
        """Write what is handed over until cancelled; after a failure nothing more."""
        await self._write(partial(self._store.begin, self._proof_id))
        async for entry in self._receive:
            await self._take(entry)

    async def keep_frame(self, picture: Picture) -> None:
        """Hand over a frame."""
        sha256, png = picture.frame.sha256, picture.png
        await self._send.send(partial(self._store.keep_frame, self._proof_id, sha256, png))

    async def append(self, event: Event) -> None:
        """Hand over an event of the attempt."""
        await self._send.send(partial(self._store.append, self._proof_id, event))

    async def keep_receipt(self, receipt: bytes) -> None:
        """Hand over the receipt."""
        await self._send.send(partial(self._store.keep_receipt, self._proof_id, receipt))

    async def flush(self) -> None:
        """Return once all that was handed over is kept.

        Raises Failure ``external-proof-frame`` if any of it could not be.
        """
        mark = trio.Event()
        await self._send.send(mark)
        await mark.wait()
        if self._failure is not None:
            raise unwritable(self._failure)

    async def finish(self, event: Event) -> None:
        """Write what is still waiting, and the last event; `run` has ended.

        Raises Failure ``external-proof-frame`` if it could not be kept.
        """
        self._send.close()
        async for entry in self._receive:
            await self._take(entry)
        await self._write(partial(self._store.append, self._proof_id, event))
        if self._failure is not None:
            raise unwritable(self._failure)

    async def _take(self, entry: Write | trio.Event) -> None:
        if isinstance(entry, trio.Event):
            entry.set()
        else:
            # what was taken off the queue is written, or it would be lost
            with trio.CancelScope(shield=True):
                await self._write(entry)

    async def _write(self, write: Write) -> None:
        if self._failure is not None:
            return
        try:
            await write()
        except EvidenceUnwritable as error:
            self._failure = error
