"""Rows of the journal, as the daemon reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from protocol.admission import Known
from protocol.writes import Kind, Result, State, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

SELECT_COMMAND: Final = (
    "SELECT number, session_id, command_id, kind, type, size, fingerprint, attempt,"
    " state, status, code, simulated, resolution, admitted_ms, ended_ms FROM commands"
)
SELECT_STEP: Final = "SELECT place, type, outcome, status, code FROM steps"
PUT_STEP: Final = (
    "INSERT OR REPLACE INTO steps (command, place, type, outcome, status, code)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)


class StepOutcome(StrEnum):
    """How far a step of a batch came. A started one was never seen to end: unknown."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"


class Resolution(StrEnum):
    """A caller's judgement on a write whose outcome is unknown."""

    DONE = "done"
    NOT_DONE = "not_done"


@dataclass(frozen=True, slots=True)
class BatchStep:
    """One action of a batch, by its place in it from 0."""

    place: int
    type: str
    outcome: StepOutcome
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One command: who it was, how far it came. Times are milliseconds UTC.

    ``number`` orders all commands of the installation. ``size`` is a batch's number of
    steps, 0 for a single command.
    """

    number: int
    session_id: str
    command_id: str
    kind: Kind
    type: str
    size: int
    fingerprint: str
    attempt: int
    state: State
    result: Result | None
    resolution: Resolution | None
    admitted_ms: int
    ended_ms: int | None

    @property
    def known(self) -> Known:
        """What decides about another command of this id."""
        judged = "" if self.resolution is None else self.resolution.value.replace("_", " ")
        return Known(self.fingerprint, self.attempt, self.state, self.result, judged)


def parse_row(row: Sequence[Any]) -> Row:
    """Return a row of SELECT_COMMAND. Raises ValueError for a word not ours."""
    number, session_id, command_id, kind, type_, size, fingerprint, attempt = row[:8]
    state, status, code, simulated, resolution, admitted_ms, ended_ms = row[8:]
    return Row(
        number,
        session_id,
        command_id,
        Kind(kind),
        type_,
        size,
        fingerprint,
        attempt,
        State(state),
        _parse_result(status, code, simulated=bool(simulated)),
        None if resolution is None else Resolution(resolution),
        admitted_ms,
        ended_ms,
    )


def parse_step(row: Sequence[Any]) -> BatchStep:
    """Return a step of SELECT_STEP. Raises ValueError for a word not ours."""
    place, type_, outcome, status, code = row
    return BatchStep(
        place, type_, StepOutcome(outcome), _parse_result(status, code, simulated=False)
    )


def encode_step(number: int, step: BatchStep) -> tuple[object, ...]:
    """Return the values of PUT_STEP for a step of the command with this number."""
    status, code, _ = encode_result(step.result)
    return (number, step.place, step.type, step.outcome.value, status, code)


def encode_result(result: Result | None) -> tuple[str | None, str, bool]:
    """Return the columns status, code and simulated."""
    if result is None:
        return None, "", False
    return result.status.value, result.code, result.simulated


def _parse_result(status: str | None, code: str, *, simulated: bool) -> Result | None:
    return None if status is None else Result(Status(status), code, simulated)
