"""The write path as a machine: what one attempt at one command may do, and when.

Events go in, an attempt and effects come out; nothing is performed here. Whoever drives
it records what `Record` asks, in the order asked, and reports `Kept` or `Unkept`; checks
on `Check`; sends input or reads on `Act`, and only then; and replies on `Answer`, and
only then. So the rules hold by construction:

- a write acts only once its grant is durable and its pre-flight has passed;
- until the first byte of input has left (`Sent`) every end is definite; after it, whatever
  is not known to have ended is ``unknown``, and no further write is let through;
- a reply is given only once the outcome that a replay will give is recorded.

Reads and dry runs take the same way without the syncs; they may never send input, and
what runs out of time or breaks is ``timed_out`` with them. Sources: DESIGN §5,
behaviour.md §1.0.4 and §2.5.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

READY_S: Final = 5.0
"""Longest time from admission to a durable grant."""
EXECUTION_S: Final = 25.0
"""Longest time from the grant to the end, besides a command's own waits and holds."""


class Kind(StrEnum):
    """What a command may do to the page: a dry run is a write that sends nothing."""

    READ = "read"
    WRITE = "write"
    DRY_RUN = "dry_run"


class State(StrEnum):
    """What the journal says of a command; the last four are outcomes."""

    PREPARING = "preparing"
    GRANTED = "granted"
    COMPLETED = "completed"
    NOT_STARTED = "not_started"
    TIMED_OUT = "timed_out"
    UNKNOWN = "unknown"


ACTIVE: Final = frozenset({State.PREPARING, State.GRANTED})
RETRYABLE: Final = frozenset({State.NOT_STARTED, State.TIMED_OUT})
"""Outcomes after which the same id may be tried again, as a new attempt."""

Table = Mapping[State, frozenset[State]]

TABLE: Final[Table] = {
    State.PREPARING: frozenset({State.GRANTED, State.NOT_STARTED}),
    State.GRANTED: frozenset({State.COMPLETED, State.TIMED_OUT, State.UNKNOWN}),
    State.COMPLETED: frozenset(),
    State.NOT_STARTED: frozenset({State.PREPARING, State.GRANTED}),
    State.TIMED_OUT: frozenset({State.PREPARING, State.GRANTED}),
    State.UNKNOWN: frozenset(),
}
"""Every change that a row of the journal may undergo; what is not in it never happens."""


class Status(StrEnum):
    """How a completed command ended: its effect was seen, was sent, or was not there."""

    OK = "ok"
    INJECTED = "injected"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome's details as the journal keeps them: no text of a page, nothing typed.

    ``code`` is the failure's when ``status`` is failed, and empty otherwise. Only the
    result of a completed command is one; with other outcomes the code says what stopped it.
    """

    status: Status
    code: str = ""
    simulated: bool = False


def failed(code: str) -> Result:
    """Return the result of what failed, by the code of its failure."""
    return Result(Status.FAILED, code)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a command, from its admission to its answer.

    ``state`` is what is recorded; None until the admission is. ``recording`` is the state
    now being recorded. ``ending`` is the outcome that follows it. ``checked``: pre-flight
    has passed. ``sent``: input may have left.
    """

    kind: Kind
    state: State | None = None
    recording: State | None = State.PREPARING
    ending: State | None = None
    result: Result | None = None
    checked: bool = False
    sent: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What was to be recorded is recorded, and durable where the edge promises it."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """The record could not be made; the code is the failure's."""

    code: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Every pre-flight condition holds."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The first byte of input is about to leave."""


@dataclass(frozen=True, slots=True)
class Ended:
    """It is known how the command ended: read back, or refused by a check."""

    result: Result


@dataclass(frozen=True, slots=True)
class Broke:
    """Something else stopped it: a lost browser, an error nobody expected; with its code."""

    code: str


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """The time for the grant, or for the whole after it, has run out."""

    code: str = "action_failed"


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session was closed, expired or lost under it."""

    code: str = "gone"


Event = Kept | Unkept | Checked | Sent | Ended | Broke | DeadlinePassed | SessionEnded


@dataclass(frozen=True, slots=True)
class Record:
    """Bring the row to this state, then report Kept or Unkept; shielded from deadlines."""

    state: State
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Begin the pre-flight reads, while the grant is being recorded."""


@dataclass(frozen=True, slots=True)
class Act:
    """Do it: report Sent before the first byte of input, then Ended or Broke."""


@dataclass(frozen=True, slots=True)
class Block:
    """Let no further write of the session through: it may have acted, nobody knows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Tell whoever waits how it ended; the last effect of an attempt."""

    state: State
    result: Result | None = None


Effect = Record | Check | Act | Block | Answer
Step = tuple[Attempt, tuple[Effect, ...]]


def open_attempt(kind: Kind) -> Step:
    """Return a new attempt, whose admission is to be recorded first."""
    first = State.PREPARING if kind is Kind.WRITE else State.GRANTED
    return Attempt(kind, recording=first), (Record(first),)


def decide_step(attempt: Attempt, event: Event) -> Step:
    """Return the attempt after an event, and what to do about it.

    What comes after the answer, or after an end was decided, changes nothing. Raises
    ValueError for what a driver may never do: input before its grant or its checks, input
    from a read, a record reported that was not asked for.
    """
    match event:
        case Kept():
            return _kept(attempt)
        case Unkept(code):
            return _unkept(attempt, failed(code))
        case Sent():
            return _send(attempt), ()
        case _ if attempt.ending is not None:
            return attempt, ()
        case _:
            return _judge(attempt, event)


def _judge(
    attempt: Attempt, event: Checked | Ended | Broke | DeadlinePassed | SessionEnded
) -> Step:
    match event:
        case Checked():
            return _check(attempt)
        case Ended(result):
            _verify_result(attempt, result)
            return _end(attempt, State.COMPLETED, result)
        case Broke(code) | DeadlinePassed(code) | SessionEnded(code):
            return _stop(attempt, failed(code))


def recovered(state: State, kind: Kind) -> State:
    """Return what a row becomes that a dead daemon left in this state. Nothing is redone."""
    if state is State.PREPARING:
        return State.NOT_STARTED
    if state is State.GRANTED:
        return State.UNKNOWN if kind is Kind.WRITE else State.TIMED_OUT
    return state


def is_safe_to_retry(state: State) -> bool:
    """Whether the same command may be sent again, under the same id."""
    return state in RETRYABLE


def _send(attempt: Attempt) -> Attempt:
    if attempt.kind is not Kind.WRITE:
        raise ValueError(f"a {attempt.kind} sends no input")
    if attempt.state is not State.GRANTED or not attempt.checked or attempt.ending is not None:
        raise ValueError("input may leave only under a durable grant, once checked")
    return replace(attempt, sent=True)


def _check(attempt: Attempt) -> Step:
    if attempt.state is None or attempt.checked or attempt.kind is not Kind.WRITE:
        raise ValueError("only an admitted write is checked, and only once")
    return _act_when_ready(replace(attempt, checked=True))


def _verify_result(attempt: Attempt, result: Result) -> None:
    """Refuse a result that cannot be one. A write may succeed unsent: nothing was to do."""
    if attempt.state is None:
        raise ValueError("what is not admitted has no result")
    if result.status is Status.FAILED:
        return
    acting = attempt.checked or attempt.kind is not Kind.WRITE
    if attempt.state is not State.GRANTED or not acting:
        raise ValueError("nothing was done that could have succeeded")
    if result.status is Status.INJECTED and not attempt.sent:
        raise ValueError("nothing was sent")


def _act_when_ready(attempt: Attempt) -> Step:
    ready = attempt.state is State.GRANTED and (attempt.checked or attempt.kind is not Kind.WRITE)
    return attempt, (Act(),) if ready else ()


def _end(attempt: Attempt, ending: State, result: Result) -> Step:
    """Decide the outcome; it is recorded at once, or after what is being recorded now."""
    attempt = replace(attempt, ending=ending, result=result)
    blocks = (Block(),) if ending is State.UNKNOWN else ()
    if attempt.recording is not None:
        return attempt, blocks
    return replace(attempt, recording=ending), (*blocks, Record(ending, result))


def _stop(attempt: Attempt, why: Result) -> Step:
    """End what was stopped from outside, by how far it may have come."""
    if attempt.state is not State.GRANTED:
        return _end(attempt, State.NOT_STARTED, why)
    if attempt.kind is not Kind.WRITE:
        return _end(attempt, State.TIMED_OUT, why)
    return _end(attempt, State.UNKNOWN if attempt.sent else State.COMPLETED, why)


def _kept(attempt: Attempt) -> Step:
    recorded = _recording(attempt)
    attempt = replace(attempt, state=recorded, recording=None)
    if attempt.ending is not None and attempt.result is not None:
        return _finish(attempt, attempt.ending, attempt.result)
    if recorded is State.PREPARING:
        return replace(attempt, recording=State.GRANTED), (Record(State.GRANTED), Check())
    return _act_when_ready(attempt)


def _finish(attempt: Attempt, ending: State, result: Result) -> Step:
    """Go on to the decided outcome, or answer with it if that is what was recorded."""
    if attempt.state is ending:
        return replace(attempt, answered=True), (Answer(ending, result),)
    if attempt.state is State.GRANTED and ending is State.NOT_STARTED:
        return _stop(attempt, result)
    return _end(attempt, ending, result)


def _unkept(attempt: Attempt, why: Result) -> Step:
    """Choose the outcome that holds without the record.

    An admission or a grant that was not recorded: nothing was started. A completion that
    was not: the next start will call it unknown (a read: timed out), so it is that now.
    """
    unkept, attempt = _recording(attempt), replace(attempt, recording=None)
    if unkept is State.COMPLETED:
        return _end(attempt, recovered(State.GRANTED, attempt.kind), why)
    if unkept in ACTIVE and attempt.state is not None:
        return _end(attempt, State.NOT_STARTED, why)
    ending = State.NOT_STARTED if unkept in ACTIVE else unkept
    result = why if attempt.result is None else attempt.result
    answered = replace(attempt, ending=ending, result=result, answered=True)
    return answered, (Answer(ending, result),)


def _recording(attempt: Attempt) -> State:
    if attempt.recording is None:
        raise ValueError("nothing was being recorded")
    return attempt.recording
