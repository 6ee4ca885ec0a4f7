"""Evidence sessions as the journal knows them: whose they are, and how they ended.

They are rows beside those of the other sessions, so that a batch of actions is a write like
any other, and what a dead daemon left of it is recovered with all the rest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from protocol.leases import LeaseState, SessionKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daemon.store.database import Database

_BEGIN: Final = (
    "INSERT INTO sessions (session_id, kind, principal, state, origins, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_END: Final = (
    "UPDATE sessions SET state = ?, reason = ?, ended_ms = ?, released = 1"
    " WHERE session_id = ? AND ended_ms IS NULL"
)
_ENDED: Final = (
    "SELECT session_id, principal, created_ms, ended_ms,"
    " (SELECT min(place) FROM steps WHERE outcome = 'started' AND command ="
    " (SELECT max(number) FROM commands WHERE commands.session_id = sessions.session_id))"
    " FROM sessions WHERE kind = 'evidence' AND ended_ms >= ? ORDER BY ended_ms DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class EndedProof:
    """An evidence session that is over. Times are milliseconds UTC.

    ``running`` is the place in its newest batch of the first action that was begun and never
    seen to end.
    """

    proof_id: str
    principal: str
    began_ms: int
    ended_ms: int
    running: int | None


class Proofs:
    """The evidence sessions of the installation. Every call may raise Failure."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self, proof_id: str, principal: str, origins: Sequence[str], began_ms: int
    ) -> None:
        """Record a session, so that batches can be recorded in it; on disk when this returns."""
        kind, state = SessionKind.EVIDENCE.value, LeaseState.CONNECTED.value
        values = (proof_id, kind, principal, state, json.dumps(list(origins)), began_ms)
        await self._database.write(lambda c: c.execute(_BEGIN, values), durable=True)

    async def end(self, proof_id: str, state: LeaseState, reason: str, ended_ms: int) -> None:
        """Record how a session ended, unless that is on record already."""
        values = (state.value, reason, ended_ms, proof_id)
        await self._database.write(lambda c: c.execute(_END, values), durable=True)

    async def ended_since(self, since_ms: int, *, limit: int) -> list[EndedProof]:
        """Return the sessions that ended from then on, the newest ones, newest first."""
        rows = await self._database.read(lambda c: c.execute(_ENDED, (since_ms, limit)).fetchall())
        return [EndedProof(*row) for row in rows]
