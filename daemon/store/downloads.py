"""The downloads of sessions, as they were last recorded. The files lie elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daemon.store.database import Database

MOST_DOWNLOADS: Final = 1000
"""Downloads of one list."""

_PUT: Final = (
    "INSERT OR REPLACE INTO downloads (session_id, number, name, state, size_bytes, sha256,"
    " started_ms) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_LIST: Final = (
    "SELECT number, name, state, size_bytes, sha256, started_ms FROM downloads"
    " WHERE session_id = ? ORDER BY number DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class DownloadRow:
    """One download. ``name`` is plain, and page text still; the time is milliseconds UTC.

    ``state`` is ``running``, ``complete`` or ``failed``; size and digest are of a complete one.
    """

    number: int
    name: str
    state: str
    size_bytes: int | None
    sha256: str | None
    started_ms: int


class StoredDownloads:
    """The table of downloads. No record is synced by itself. Every call may raise Failure."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, session_id: str, row: DownloadRow) -> None:
        """Record a download as it is now."""
        values = (
            session_id,
            row.number,
            row.name,
            row.state,
            row.size_bytes,
            row.sha256,
            row.started_ms,
        )
        await self._database.write(lambda connection: connection.execute(_PUT, values))

    async def list_of(self, session_id: str, *, limit: int = MOST_DOWNLOADS) -> list[DownloadRow]:
        """Return a session's newest downloads, oldest first."""
        rows = await self._database.read(
            lambda connection: connection.execute(_LIST, (session_id, limit)).fetchall()
        )
        return [DownloadRow(*row) for row in reversed(rows)]
