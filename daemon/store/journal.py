"""The journal: every command of every session, how far it came and how it ended.

Two edges are synced to disk before they return: the grant of a write and its completion,
and so is the caller's judgement on an unknown one. Whatever else is recorded is synced
with the next of them. Each change is made only where `protocol.writes.TABLE` allows it,
for the attempt that asks and no other; anything else raises `JournalConflict`.

An end that the disk does not take is owed: the command counts as ended so from then on,
and whoever asks the journal next has it recorded first, once the disk takes it. No end
that is owed says ``completed``: that is told only of what is on disk.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import trio

from daemon.logs import LOGGER
from daemon.store.rows import (
    PUT_STEP,
    SELECT_COMMAND,
    SELECT_STEP,
    BatchStep,
    Resolution,
    Row,
    encode_result,
    encode_step,
    parse_row,
    parse_step,
)
from protocol.errors import Failure
from protocol.writes import ACTIVE, RETRYABLE, TABLE, Kind, Result, State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from daemon.store.database import Database

MOST_ROWS: Final = 1000
"""Rows of one page of the log."""

_NEVER: Final = 2**62
_FIND: Final = SELECT_COMMAND + " WHERE session_id = ? AND command_id = ?"
_FIND_OF: Final = (
    SELECT_COMMAND + " WHERE command_id = ? AND EXISTS (SELECT 1 FROM sessions"  # noqa: S608
    " WHERE sessions.session_id = commands.session_id AND principal = ?)"
    " ORDER BY number DESC LIMIT 1"
)
_UNRESOLVED: Final = (
    SELECT_COMMAND + " WHERE session_id = ? AND state = 'unknown' AND resolution IS NULL"
    " ORDER BY number LIMIT 1"
)
_LOG: Final = SELECT_COMMAND + " WHERE session_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
_STEPS: Final = SELECT_STEP + " WHERE command = ? ORDER BY place"
_COUNT: Final = "SELECT count(*) FROM commands WHERE session_id = ?"
_RESOLVE: Final = (
    "UPDATE commands SET resolution = ?"
    " WHERE session_id = ? AND command_id = ? AND state = 'unknown' AND resolution IS NULL"
)
_INSERT: Final = (
    "INSERT INTO commands (session_id, command_id, kind, type, size, fingerprint, attempt,"
    " state, admitted_ms) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)"
)
_RETRY: Final = (
    "UPDATE commands SET attempt = ?, state = ?, status = NULL, code = '', simulated = 0,"
    " admitted_ms = ?, ended_ms = NULL WHERE session_id = ? AND command_id = ?"
    " AND fingerprint = ? AND attempt = ? AND state IN (?, ?) RETURNING number"
)
_UPDATE: Final = (
    "UPDATE commands SET state = ?, status = ?, code = ?, simulated = ?, ended_ms = ?"
    " WHERE number = ? AND attempt = ? AND instr(?, ' ' || state || ' ')"
)
_FORGET_STEPS: Final = "DELETE FROM steps WHERE command = ?"


class JournalConflict(Failure):
    """A change that the row, as it is, does not allow: a fault of ours, so ``internal``."""

    def __init__(self, change: str) -> None:
        super().__init__(
            "internal",
            f"The journal does not allow it: {change}",
            "Nothing was done for it. See session log for what the command came to.",
        )


@dataclass(frozen=True)
class Admission:
    """A command as it is admitted.

    ``size`` is the number of steps of a batch. ``attempt`` above 1 is a safe retry.
    """

    session_id: str
    command_id: str
    kind: Kind
    type: str
    fingerprint: str
    attempt: int = 1
    size: int = 0


@dataclass(frozen=True)
class Entry:
    """One attempt's hold on its row."""

    number: int
    attempt: int
    kind: Kind


@dataclass(frozen=True)
class _End:
    """How an attempt ended, and when."""

    entry: Entry
    state: State
    result: Result | None
    at_ms: int

    def told(self, row: Row) -> Row:
        """Return the attempt's row as it is with this end."""
        if row.attempt != self.entry.attempt or row.state not in ACTIVE:
            return row
        return replace(row, state=self.state, result=self.result, ended_ms=self.at_ms)


class Journal:
    """The commands of the installation, kept in its database."""

    def __init__(self, database: Database, utc_ms: Callable[[], int]) -> None:
        self._database = database
        self._utc_ms = utc_ms
        self._owed: dict[int, _End] = {}
        """Ends that the disk did not take, by the row's number."""
        self._settling = trio.Lock()

    async def admit(self, admission: Admission) -> Entry:
        """Record that a command is admitted; not synced.

        A write becomes ``preparing``; a read or a dry run is granted at once. A retry
        clears what the attempt before left. Raises JournalConflict, Failure.
        """
        await self._settle()
        now_ms = self._utc_ms()
        put = _insert if admission.attempt == 1 else _retry
        number = await self._database.write(lambda connection: put(connection, admission, now_ms))
        return Entry(number, admission.attempt, admission.kind)

    async def grant(self, entry: Entry) -> None:
        """Record that input may leave; on disk when this returns.

        Raises JournalConflict, Failure: then it may not leave.
        """
        await self._change(entry, State.GRANTED, None, durable=True)

    async def progress(self, entry: Entry, steps: Sequence[BatchStep]) -> None:
        """Record how far a batch has come, each step by its place; not synced."""
        rows = [encode_step(entry.number, step) for step in steps]
        await self._database.write(lambda connection: connection.executemany(PUT_STEP, rows))

    async def complete(self, entry: Entry, result: Result, steps: Sequence[BatchStep] = ()) -> None:
        """Record how a command ended, and its last steps; a write's is on disk then.

        Raises JournalConflict, Failure: then nobody may be told that it has completed.
        """
        durable = entry.kind is Kind.WRITE
        await self._change(entry, State.COMPLETED, result, steps=steps, durable=durable)

    async def end(self, entry: Entry, state: State, result: Result | None = None) -> None:
        """Record any other end: not started, timed out or unknown; not synced.

        None of them needs to be: the start after a crash comes to the same. When the disk
        does not take it, it is owed. Raises JournalConflict, Failure.
        """
        end = _End(entry, state, result, self._utc_ms())
        try:
            await self._put_end(end)
        except JournalConflict:
            raise
        except Failure:
            self._owed[entry.number] = end
            raise

    async def resolve(self, session_id: str, command_id: str, resolution: Resolution) -> bool:
        """Record the caller's judgement on an unknown write; on disk when this returns.

        Return whether there was such a write without a judgement.
        """
        await self._settle()
        values = (resolution.value, session_id, command_id)
        changed = await self._database.write(
            lambda connection: connection.execute(_RESOLVE, values).rowcount, durable=True
        )
        return changed == 1

    async def find(self, session_id: str, command_id: str) -> Row | None:
        """Return a command of a session."""
        return await self._one(_FIND, session_id, command_id)

    async def find_of(self, principal: str, command_id: str) -> Row | None:
        """Return the newest command with this id in any session of an actor."""
        return await self._one(_FIND_OF, command_id, principal)

    async def log(self, session_id: str, *, limit: int, before: int | None = None) -> list[Row]:
        """Return a session's newest commands, newest first; ``before`` a row's number."""
        values = (session_id, before or _NEVER, min(limit, MOST_ROWS))
        await self._try_to_settle()
        rows = await self._database.read(
            lambda connection: [parse_row(row) for row in connection.execute(_LOG, values)]
        )
        return [self._told(row) for row in rows]

    async def steps(self, number: int) -> list[BatchStep]:
        """Return the steps of a batch that were recorded, in order."""
        return await self._database.read(
            lambda connection: [parse_step(row) for row in connection.execute(_STEPS, (number,))]
        )

    async def count(self, session_id: str) -> int:
        """Return how many commands a session has taken."""
        return await self._database.read(
            lambda connection: int(connection.execute(_COUNT, (session_id,)).fetchone()[0])
        )

    async def unresolved(self, session_id: str) -> Row | None:
        """Return the first write of unknown outcome without a judgement: it blocks others."""
        await self._settle()
        return await self._one(_UNRESOLVED, session_id)

    async def _one(self, query: str, *values: object) -> Row | None:
        await self._try_to_settle()
        row = await self._database.read(
            lambda connection: connection.execute(query, values).fetchone()
        )
        return None if row is None else self._told(parse_row(row))

    # --- what is owed -----------------------------------------------------------------

    def _told(self, row: Row) -> Row:
        owed = self._owed.get(row.number)
        return row if owed is None else owed.told(row)

    async def _try_to_settle(self) -> None:
        with suppress(Failure):  # whoever reads is told what is owed
            await self._settle()

    async def _settle(self) -> None:
        """Record every end that is owed. Raises Failure while the disk takes none."""
        if not self._owed:
            return
        async with self._settling:
            for end in list(self._owed.values()):
                try:
                    await self._put_end(end)
                except JournalConflict as conflict:  # what is on disk stands
                    LOGGER.warning("an end that was owed is dropped: %s", conflict.message)
                del self._owed[end.entry.number]

    async def _put_end(self, end: _End) -> None:
        await self._database.write(
            lambda connection: _update(connection, end.entry, end.state, end.result, end.at_ms)
        )

    # --- changes ----------------------------------------------------------------------

    async def _change(
        self,
        entry: Entry,
        state: State,
        result: Result | None,
        *,
        durable: bool,
        steps: Sequence[BatchStep] = (),
    ) -> None:
        now_ms = self._utc_ms()
        rows = [encode_step(entry.number, step) for step in steps]

        def work(connection: sqlite3.Connection) -> None:
            _update(connection, entry, state, result, now_ms)
            connection.executemany(PUT_STEP, rows)

        await self._database.write(work, durable=durable)


def _insert(connection: sqlite3.Connection, admission: Admission, now_ms: int) -> int:
    values = (
        admission.session_id,
        admission.command_id,
        admission.kind.value,
        admission.type,
        admission.size,
        admission.fingerprint,
        _admitted(admission.kind).value,
        now_ms,
    )
    try:
        number = connection.execute(_INSERT, values).lastrowid
    except sqlite3.IntegrityError:
        number = None
    if number is None:
        raise JournalConflict("its session is not there, or its id is known already")
    return number


def _retry(connection: sqlite3.Connection, admission: Admission, now_ms: int) -> int:
    """Take the row back to its beginning, unless another has done so before."""
    values = (
        admission.attempt,
        _admitted(admission.kind).value,
        now_ms,
        admission.session_id,
        admission.command_id,
        admission.fingerprint,
        admission.attempt - 1,
        *sorted(state.value for state in RETRYABLE),
    )
    row = connection.execute(_RETRY, values).fetchone()
    if row is None:
        raise JournalConflict(f"attempt {admission.attempt} does not follow")
    connection.execute(_FORGET_STEPS, row)
    return int(row[0])


def _admitted(kind: Kind) -> State:
    return State.PREPARING if kind is Kind.WRITE else State.GRANTED


def _update(
    connection: sqlite3.Connection, entry: Entry, state: State, result: Result | None, now_ms: int
) -> None:
    allowed = "".join(f" {before.value} " for before, after in TABLE.items() if state in after)
    ended_ms = None if state is State.GRANTED else now_ms
    values = (state.value, *encode_result(result), ended_ms, entry.number, entry.attempt, allowed)
    if connection.execute(_UPDATE, values).rowcount != 1:
        raise JournalConflict(f"attempt {entry.attempt} may not become {state.value}")
