"""Which session was last begun from where: from a terminal session, or from a directory.

A place is kept as a keyed digest, so no path of the caller's is in the database. What
has become of the session is not known here: a place leads to an ended one as well.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

    from daemon.store.database import Database

KEPT_MS: Final = 90 * 86_400_000
"""A place from where nothing was begun for so long is forgotten."""

_REMEMBER: Final = (
    "INSERT INTO places (principal, place, session_id, begun_ms) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (principal, place) DO UPDATE"
    " SET session_id = excluded.session_id, begun_ms = excluded.begun_ms"
)
_FORGET: Final = "DELETE FROM places WHERE begun_ms < ?"
_FIND: Final = "SELECT session_id FROM places WHERE principal = ? AND place = ?"


class Places:
    """The places of the installation, kept in its database. Every call may raise Failure."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remember(self, principal: str, place: str, session_id: str, now_ms: int) -> None:
        """Record that an actor has begun a session from a place; the last one counts."""
        row = (principal, self._digest(place), session_id, now_ms)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_FORGET, (now_ms - KEPT_MS,))
            connection.execute(_REMEMBER, row)

        await self._database.write(work)

    async def find(self, principal: str, place: str) -> str | None:
        """Return the session that an actor last began from a place, whatever became of it."""
        key = (principal, self._digest(place))
        row = await self._database.read(lambda c: c.execute(_FIND, key).fetchone())
        return None if row is None else str(row[0])

    def _digest(self, place: str) -> str:
        text = b"place\0" + place.encode("utf-8", "surrogateescape")
        return hmac.digest(self._database.key, text, "sha256").hex()
