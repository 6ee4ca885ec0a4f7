"""The installation-wide counter of snapshot generations: no number is ever given twice.

A number that was given twice would let a ref of one page name a node of another. So the
counter is moved on disk before any of its numbers is given out, a block at a time: one
sync for a thousand snapshots. What a crash leaves of a block is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    import sqlite3

    from daemon.store.database import Database

BLOCK: Final = 1000
_RESERVE: Final = (
    "INSERT INTO counters (name, value) VALUES ('generation', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value RETURNING value"
)


class Generations:
    """Gives out numbers from 1 on, each once in the life of the installation."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._given = 0
        self._last = 0
        self._reserving = trio.Lock()

    async def next(self) -> int:
        """Return a number that nobody has had. Raises Failure when none can be reserved."""
        async with self._reserving:
            if self._given == self._last:
                self._last = await self._database.write(_reserve, durable=True)
                self._given = self._last - BLOCK
            self._given += 1
            return self._given


def _reserve(connection: sqlite3.Connection) -> int:
    return int(connection.execute(_RESERVE, (BLOCK,)).fetchone()[0])
