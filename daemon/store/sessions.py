"""Sessions as the installation remembers them, live ones and tombstones.

Every change is on disk before it returns: a session that a caller was told of is known
after any crash, and answers then with what became of it. A tombstone stays, with its
log, until it is pruned. Evidence sessions are in the same table: see `daemon.store.proofs`.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from protocol.beginnings import Begun
from protocol.errors import Failure
from protocol.leases import Lease, LeaseState, SessionKind
from protocol.sharing import Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daemon.store.database import Database

MOST_SESSIONS: Final = 1000
"""Sessions of one list."""

_SELECT: Final = (
    "SELECT session_id, kind, principal, state, origins, profile, profile_state, created_ms,"
    " reason, ended_ms, released, epoch_changed FROM sessions"
)
_INSERT: Final = (
    "INSERT INTO sessions (session_id, kind, principal, state, origins, profile, profile_state,"
    " created_ms, begin_key, begin_fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_BEGUN: Final = (
    "SELECT session_id, begin_fingerprint FROM sessions WHERE principal = ? AND begin_key = ?"
)
_UPDATE: Final = (
    "UPDATE sessions SET state = ?, reason = ?, ended_ms = ?, released = ?, epoch_changed = ?"
    " WHERE session_id = ?"
)
_WIDEN: Final = "UPDATE sessions SET origins = ? WHERE session_id = ?"
_FIND: Final = _SELECT + " WHERE session_id = ? AND kind <> 'evidence'"
_LIST: Final = (
    _SELECT + " WHERE principal = ? AND kind <> 'evidence'"
    " ORDER BY created_ms DESC, session_id LIMIT ?"
)
_HELD: Final = _SELECT + " WHERE released = 0 AND kind <> 'evidence'"
_PRUNE: Final = "DELETE FROM sessions WHERE ended_ms < ? AND released = 1"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session as it was last recorded. Times are milliseconds UTC.

    ``profile`` is None for a throw-away one. ``profile_state`` is a keyed digest.
    """

    session_id: str
    kind: SessionKind
    principal: str
    origins: tuple[str, ...]
    created_ms: int
    state: LeaseState = LeaseState.PROVISIONING
    profile: str | None = None
    profile_state: str | None = None
    reason: str = ""
    ended_ms: int | None = None
    released: bool = False
    epoch_changed: bool = False

    @property
    def held(self) -> Held | None:
        """What it holds of its profile; None for a throw-away one."""
        if self.profile is None:
            return None
        return Held(self.profile, self.state, frozenset(self.origins), self.profile_state)


class Sessions:
    """The sessions of the installation, kept in its database. Every call may raise Failure."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, session: SessionRow, begun: tuple[str, str] | None = None) -> None:
        """Record a new session, with the key it was begun under and its fingerprint.

        Raises Failure ``conflict`` when the key has begun another one meanwhile.
        """
        key, fingerprint = begun or (None, None)
        values = (
            session.session_id,
            session.kind.value,
            session.principal,
            session.state.value,
            json.dumps(session.origins),
            session.profile,
            session.profile_state,
            session.created_ms,
            key,
            fingerprint,
        )
        await self._database.write(lambda c: _insert(c, values), durable=True)

    async def find_begun(self, principal: str, key: str) -> Begun | None:
        """Return the session that an actor began under a key."""
        row = await self._database.read(lambda c: c.execute(_BEGUN, (principal, key)).fetchone())
        return None if row is None else Begun(*row)

    async def update(self, session_id: str, lease: Lease) -> None:
        """Record what the session's lease has become."""
        values = (
            lease.state.value,
            lease.reason,
            None if lease.ended is None else int(lease.ended.wall_s * 1000),
            lease.released,
            lease.epoch_changed,
            session_id,
        )
        await self._database.write(lambda c: c.execute(_UPDATE, values), durable=True)

    async def widen(self, session_id: str, origins: Sequence[str]) -> None:
        """Record that a session's first load was led on to further origins."""
        values = (json.dumps(origins), session_id)
        await self._database.write(lambda c: c.execute(_WIDEN, values), durable=True)

    async def find(self, session_id: str) -> SessionRow | None:
        """Return a session, live or a tombstone."""
        row = await self._database.read(lambda c: c.execute(_FIND, (session_id,)).fetchone())
        return None if row is None else parse_session(row)

    async def list_of(self, principal: str, *, limit: int = MOST_SESSIONS) -> list[SessionRow]:
        """Return an actor's sessions, newest first."""
        return await self._all(_LIST, principal, min(limit, MOST_SESSIONS))

    async def held(self) -> list[SessionRow]:
        """Return every session that holds something still."""
        return await self._all(_HELD)

    async def prune(self, before_ms: int) -> int:
        """Forget sessions that ended before then, with their logs; return how many."""
        return await self._database.write(lambda c: c.execute(_PRUNE, (before_ms,)).rowcount)

    async def _all(self, query: str, *values: object) -> list[SessionRow]:
        return await self._database.read(
            lambda c: [parse_session(row) for row in c.execute(query, values)]
        )


def _insert(connection: sqlite3.Connection, values: Sequence[object]) -> None:
    try:
        connection.execute(_INSERT, values)
    except sqlite3.IntegrityError:
        raise Failure(
            "conflict", "This key is beginning a session already", "Ask for it again."
        ) from None


def parse_session(row: Sequence[Any]) -> SessionRow:
    """Return a row of the table. Raises ValueError for a word that is not ours."""
    session_id, kind, principal, state, origins, profile, profile_state, created_ms = row[:8]
    reason, ended_ms, released, epoch_changed = row[8:]
    return SessionRow(
        session_id=session_id,
        kind=SessionKind(kind),
        principal=principal,
        origins=tuple(json.loads(origins)),
        created_ms=created_ms,
        state=LeaseState(state),
        profile=profile,
        profile_state=profile_state,
        reason=reason,
        ended_ms=ended_ms,
        released=bool(released),
        epoch_changed=bool(epoch_changed),
    )
