"""The state of one evidence session: phase, sequence, clocks, end; and the phase table.

Sources: receipt-v2.md, "Requests" and "Sequence and clocks". protocol.evidence is what
takes one state to the next.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.errors import Failure, FailureBody, proof_failure
from protocol.messages import Op
from protocol.viewports import Viewport

MAX_SESSIONS: Final = 8
"""Evidence sessions that may live at once."""
SETUP_S: Final = 20.0
STAGE_S: Final = 180.0
"""From the start of begin, set-up included, until freeze."""
FROZEN_S: Final = 45.0
"""From freeze until close."""
TOMBSTONE_S: Final = 3600.0
"""How long an ended session still answers its own actor."""


class Phase(StrEnum):
    """Where a session stands; the last four are ends."""

    SETUP = "setup"
    STAGE = "stage"
    FROZEN = "frozen"
    OBSERVED = "observed"
    FINISHED = "finished"
    CLOSED = "closed"
    ABORTED = "aborted"
    EXPIRED = "expired"
    FAILED = "failed"


LIVE: Final = frozenset({Phase.SETUP, Phase.STAGE, Phase.FROZEN, Phase.OBSERVED, Phase.FINISHED})

Table = Mapping[Phase, Mapping[Op, Phase]]

TABLE: Final[Table] = {
    Phase.SETUP: {Op.BEGIN: Phase.STAGE, Op.ABORT: Phase.ABORTED, Op.STATUS: Phase.SETUP},
    Phase.STAGE: {
        Op.ACTIONS: Phase.STAGE,
        Op.FREEZE: Phase.FROZEN,
        Op.ABORT: Phase.ABORTED,
        Op.STATUS: Phase.STAGE,
    },
    Phase.FROZEN: {Op.OBSERVE: Phase.OBSERVED, Op.ABORT: Phase.ABORTED, Op.STATUS: Phase.FROZEN},
    Phase.OBSERVED: {
        Op.FINISH: Phase.FINISHED,
        Op.ABORT: Phase.ABORTED,
        Op.STATUS: Phase.OBSERVED,
    },
    Phase.FINISHED: {Op.CLOSE: Phase.CLOSED, Op.ABORT: Phase.ABORTED, Op.STATUS: Phase.FINISHED},
}
"""Phase and call to the phase once the call has run. What is not in it is refused."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A reading of two clocks in seconds: time since boot, sleep included, and wall time.

    The wall clock may be set and the boot clock may stop on some systems while the
    machine sleeps, so a deadline is past as soon as either says so.
    """

    boot_s: float
    wall_s: float

    def after(self, seconds: float) -> "Moment":
        """Return the moment ``seconds`` later."""
        return Moment(self.boot_s + seconds, self.wall_s + seconds)

    def has_reached(self, deadline: "Moment") -> bool:
        """Whether ``deadline`` is now or past on either clock."""
        return self.boot_s >= deadline.boot_s or self.wall_s >= deadline.wall_s

    def remaining_s(self, deadline: "Moment") -> float:
        """Return the seconds until ``deadline`` by the clock that gets there first."""
        return min(deadline.boot_s - self.boot_s, deadline.wall_s - self.wall_s)


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far the batch in flight has come: actions that ended well, and whether one runs."""

    done: int = 0
    running: bool = False

    @property
    def index(self) -> int | None:
        """The place in the batch of the action that runs; None between actions."""
        return self.done if self.running else None

    def began_next(self) -> "BatchProgress":
        """Return the progress once the next action has begun."""
        return BatchProgress(self.done, running=True)

    def ended_running(self) -> "BatchProgress":
        """Return the progress once the action that runs has ended."""
        return BatchProgress(self.done + 1)

    def tell(self, reason: str) -> str:
        """Return why the session ended, with what that means for the batch."""
        done = tell_done(self.done)
        if self.running:
            running = f"action {self.done} of the batch was running and its outcome is unknown"
            return f"{reason}; {running}" + (f", {done}" if self.done else "")
        return f"{reason}; no action of the batch was running, {done}"


def tell_done(count: int) -> str:
    """Return what became of the first actions of a batch whose next one ended the session."""
    if count == 0:
        return "and none had begun"
    if count == 1:
        return "action 0 was done"
    return f"actions 0 to {count - 1} were done"


class ActionOutcome(StrEnum):
    """What is known of the action that ended a session."""

    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class End:
    """How a session ended: in which phase, why, and at which action of its batch.

    ``action_index`` is that of an action that failed or was running, ``action_outcome``
    what is known of it; both are None when there was none. ``receipt_id`` is that of a
    receipt that was made before, unless the session was aborted.
    """

    phase: Phase
    during: Phase
    reason: str
    action_index: int | None
    at: Moment
    action_outcome: ActionOutcome | None = None
    receipt_id: str | None = None


_AFTER_LOSS: Final = "Infer no success from it; begin a new attempt."


def _tell_remainder(end: End) -> str:
    """Return what there is left to do. Past a deadline nothing may be inferred at all."""
    if end.receipt_id is None or end.phase is Phase.EXPIRED:
        return _AFTER_LOSS
    return f"Its receipt was made before that: {end.receipt_id}. There is nothing left to do."


class EndedBody(FailureBody):
    """The ``error`` member of a call to a session that has ended."""

    phase: str
    endedDuring: str  # noqa: N815  # a member on the wire
    reason: str
    actionIndex: int | None  # noqa: N815  # a member on the wire
    actionOutcome: str | None  # noqa: N815  # a member on the wire
    receiptId: str | None  # noqa: N815  # a member on the wire


class EndingFailure(Failure):
    """A failure together with the end of the session that it belongs to."""

    def __init__(self, failure: Failure, end: End) -> None:
        super().__init__(
            failure.code, failure.message, failure.hint, safe_to_retry=failure.safe_to_retry
        )
        self.end = end

    def body(self) -> EndedBody:
        """Return the ``error`` member of a reply, with phase, reason, action and receipt."""
        outcome = self.end.action_outcome
        return {
            **super().body(),
            "phase": self.end.phase.value,
            "endedDuring": self.end.during.value,
            "reason": self.end.reason,
            "actionIndex": self.end.action_index,
            "actionOutcome": outcome.value if outcome else None,
            "receiptId": self.end.receipt_id,
        }


class SessionEnded(EndingFailure):
    """The session is no more: ``external-proof-expired``, or ``-closed`` for other ends."""

    def __init__(self, end: End) -> None:
        name = "expired" if end.phase is Phase.EXPIRED else "closed"
        failure = proof_failure(
            name,
            f"The session {end.phase.value} in phase {end.during.value}: {end.reason}",
            _tell_remainder(end),
        )
        super().__init__(failure, end)


@dataclass(frozen=True, slots=True)
class Session:
    """All that decides what a call may do. `open_session` makes the first one.

    ``running`` is the call in flight, ``batch`` how far it has come if it is a batch.
    ``action_count`` counts accepted actions.
    ``deadline`` is that of the phase; during set-up ``setup_deadline`` holds as well.
    """

    principal: str
    viewport: Viewport
    origins: tuple[str, ...]
    began: Moment
    deadline: Moment
    phase: Phase = Phase.SETUP
    running: Op | None = Op.BEGIN
    batch: BatchProgress | None = None
    sequence: int = 0
    action_count: int = 0
    observation_sha256: str | None = None
    receipt_id: str | None = None
    end: End | None = None

    @property
    def setup_deadline(self) -> Moment:
        """Until when the first frame must be there."""
        return self.began.after(SETUP_S)

    @property
    def next_deadline(self) -> Moment | None:
        """When time will next change this session by itself; None once it has ended."""
        if self.end is not None:
            return None
        return self.setup_deadline if self.phase is Phase.SETUP else self.deadline

    def is_forgotten(self, now: Moment) -> bool:
        """Whether an ended session no longer answers anybody."""
        return self.end is not None and now.has_reached(self.end.at.after(TOMBSTONE_S))
