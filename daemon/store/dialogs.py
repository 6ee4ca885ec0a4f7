"""The dialogs that sessions have met, as their outboxes keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from protocol.dialogs import Disposition, Met, record_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daemon.store.database import Database

_PUT: Final = (
    "INSERT OR IGNORE INTO dialogs (session_id, number, dialog_id, type, message, default_prompt,"
    " url, disposition, occurred_ms, answered_ms, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_AMEND: Final = (
    "UPDATE dialogs SET disposition = ?, answered_ms = ? WHERE session_id = ? AND number = ?"
)
_FORGET: Final = "DELETE FROM dialogs WHERE session_id = ? AND number <= ?"
_LIST: Final = (
    "SELECT number, dialog_id, occurred_ms, type, message, default_prompt, url, disposition,"
    " answered_ms FROM dialogs WHERE session_id = ? ORDER BY number DESC LIMIT ?"
)
_INTERRUPT: Final = "UPDATE dialogs SET disposition = ?, answered_ms = ? WHERE disposition = ?"


class StoredDialogs:
    """The table of dialogs. No record is synced by itself. Every call may raise Failure."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, session_id: str, met: Met) -> None:
        """Record a dialog; one that is there stays as it is."""
        values = (
            session_id,
            met.number,
            met.dialog_id,
            met.type,
            met.message,
            met.default_prompt,
            met.url,
            met.disposition.value,
            met.occurred_ms,
            met.answered_ms,
            record_bytes(met),
        )
        await self._database.write(lambda connection: connection.execute(_PUT, values))

    async def amend(
        self, session_id: str, number: int, disposition: Disposition, at_ms: int
    ) -> None:
        """Record what became of a dialog."""
        values = (disposition.value, at_ms, session_id, number)
        await self._database.write(lambda connection: connection.execute(_AMEND, values))

    async def forget(self, session_id: str, through: int) -> None:
        """Drop a session's dialogs up to this number."""
        values = (session_id, through)
        await self._database.write(lambda connection: connection.execute(_FORGET, values))

    async def list_of(self, session_id: str, *, limit: int) -> list[Met]:
        """Return a session's newest dialogs, oldest first."""
        rows = await self._database.read(
            lambda connection: connection.execute(_LIST, (session_id, limit)).fetchall()
        )
        return [parse_met(row) for row in reversed(rows)]

    async def interrupt(self, at_ms: int) -> int:
        """Note that dialogs which are open are open no more; return how many.

        For the start of a daemon: no browser is left from before.
        """
        values = (Disposition.INTERRUPTED.value, at_ms, Disposition.OPEN.value)
        return await self._database.write(
            lambda connection: connection.execute(_INTERRUPT, values).rowcount
        )


def parse_met(row: Sequence[Any]) -> Met:
    """Return a row of the table. Raises ValueError for a disposition that is none of ours."""
    number, dialog_id, occurred_ms, kind, message, prompt, url, disposition, answered_ms = row
    return Met(
        number,
        dialog_id,
        occurred_ms,
        kind,
        message,
        prompt,
        url,
        disposition=Disposition(disposition),
        answered_ms=answered_ms,
    )
