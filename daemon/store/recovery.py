"""What the start makes of what a dead daemon left: outcomes, and ends of sessions.

Nothing is done again. Every unfinished command gets the outcome that
`protocol.writes.recovered` gives it, in the one transaction that also ends the sessions
whose browser died with the daemon (its pipe is closed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daemon.store.rows import StepOutcome
from protocol.writes import ACTIVE, Kind, State, recovered

if TYPE_CHECKING:
    import sqlite3

    from daemon.store.database import Database

LOST_REASON: Final = "the daemon ended, and its browser with it"

_END_COMMANDS: Final = (
    "UPDATE commands SET state = ?, ended_ms = ?"
    " WHERE state IN ('preparing', 'granted') AND state = ? AND kind = ?"
)
_BATCHES: Final = (
    "SELECT number, size FROM commands WHERE state IN ('preparing', 'granted')"
    " AND state = 'granted' AND kind = 'write' AND size > 0"
)
_MAY_HAVE_RUN: Final = (
    "INSERT OR IGNORE INTO steps (command, place, type, outcome) VALUES (?, ?, '', ?)"
)
_CLOSE_SESSIONS: Final = (
    "UPDATE sessions SET state = 'closed', released = 1"
    " WHERE released = 0 AND profile IS NULL AND state = 'closing'"
)
_RELEASE_SESSIONS: Final = (
    "UPDATE sessions SET released = 1"
    " WHERE released = 0 AND profile IS NULL AND state IN ('closed', 'expired', 'lost')"
)
_LOSE_SESSIONS: Final = (
    "UPDATE sessions SET state = 'lost', reason = ?, ended_ms = ?, released = 1"
    " WHERE released = 0 AND profile IS NULL"
)


@dataclass(frozen=True, slots=True)
class Recovery:
    """How many commands came to which outcome, and how many sessions were lost."""

    commands: dict[State, int]
    lost: int


async def recover(database: Database, now_ms: int) -> Recovery:
    """Give every unfinished command its outcome and end what died; on disk when it returns.

    Sessions of enrolled profiles are left as they are: their browser may come back.
    Raises Failure; then nothing was changed, and the daemon must not serve.
    """
    rebooted = database.installation.rebooted
    return await database.write(lambda c: _recover(c, now_ms, rebooted=rebooted), durable=True)


def _recover(connection: sqlite3.Connection, now_ms: int, *, rebooted: bool) -> Recovery:
    if rebooted:
        _doubt_steps(connection)
    commands: dict[State, int] = {}
    for state in ACTIVE:
        for kind in Kind:
            outcome = recovered(state, kind)
            values = (outcome.value, now_ms, state.value, kind.value)
            count = connection.execute(_END_COMMANDS, values).rowcount
            commands[outcome] = commands.get(outcome, 0) + count
    connection.execute(_CLOSE_SESSIONS)
    connection.execute(_RELEASE_SESSIONS)
    lost = connection.execute(_LOSE_SESSIONS, (LOST_REASON, now_ms)).rowcount
    return Recovery(commands, lost)


def _doubt_steps(connection: sqlite3.Connection) -> None:
    """Hold every step without a record for started: records of steps are not synced."""
    for number, size in connection.execute(_BATCHES).fetchall():
        started = StepOutcome.STARTED.value
        connection.executemany(_MAY_HAVE_RUN, [(number, place, started) for place in range(size)])
