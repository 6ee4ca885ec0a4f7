"""The machine of one evidence session: what a call or an event does to it.

Events go in, a session and effects come out; nothing is performed here. The phase
table and the state are in protocol.evidence_session.

A call is judged in this order, and the first condition that does not hold is the
answer: the session is there and the caller's, it has not ended (time is judged first),
no other call is in flight, sequence, phase, contents, the budget of actions. A refusal
changes nothing. Whatever breaks while an accepted call runs ends the session.
"""

from dataclasses import dataclass, replace
from typing import Final

from protocol.actions import MAX_SESSION_ACTIONS, Action, parse_actions
from protocol.canonical import JsonRefused, JsonTooLarge, parse_json
from protocol.errors import Failure, proof_failure
from protocol.evidence_session import (
    FROZEN_S,
    SETUP_S,
    STAGE_S,
    TABLE,
    ActionOutcome,
    BatchProgress,
    End,
    EndingFailure,
    Moment,
    Phase,
    Session,
    SessionEnded,
    Table,
)
from protocol.messages import OPS, Actions, Call, Finish, Observe, Op
from protocol.names import is_digest
from protocol.viewports import Viewport

MAX_CLAIMS_BYTES: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class Called:
    """A caller asks something of the session."""

    principal: str
    request: Call


@dataclass(frozen=True, slots=True)
class Completed:
    """What ran has ended well: an observation with its frame's digest, a receipt with its id."""

    observation_sha256: str | None = None
    receipt_id: str | None = None


@dataclass(frozen=True, slots=True)
class Broke:
    """Something failed: the call in flight, the browser, a record. Ends the session."""

    failure: Failure
    action_index: int | None = None
    action_outcome: ActionOutcome | None = None


@dataclass(frozen=True, slots=True)
class ActionStarted:
    """The next action of the batch in flight begins."""


@dataclass(frozen=True, slots=True)
class ActionEnded:
    """The action that was running has ended, and how is on record."""


@dataclass(frozen=True, slots=True)
class DialogOpened:
    """The page opened a dialog. After freeze nobody may answer it."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time has passed and nothing else happened."""


Occurrence = Called | ActionStarted | ActionEnded | Completed | Broke | DialogOpened | Ticked


@dataclass(frozen=True, slots=True)
class Run:
    """Perform the call, then report Completed or Broke."""

    op: Op
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer the call with this failure; nothing has changed."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Report:
    """Answer the call with what the session is now."""


@dataclass(frozen=True, slots=True)
class Release:
    """The session has ended: stop what runs, release input edges, free every resource.

    ``answer`` is what the call in flight, if there is one, is told.
    """

    end: End
    answer: Failure


Effect = Run | Refuse | Report | Release
Step = tuple[Session, tuple[Effect, ...]]


def open_session(
    principal: str, viewport: Viewport, origins: tuple[str, ...], now: Moment
) -> Session:
    """Return a session whose begin has started now; Completed takes it to its stage."""
    return Session(principal, viewport, origins, began=now, deadline=now.after(STAGE_S))


def decide_step(
    session: Session, occurrence: Occurrence, now: Moment, table: Table = TABLE
) -> Step:
    """Return the session after an occurrence, and what to do about it.

    Time is judged first. What completes or breaks after the end changes nothing.
    Raises ValueError for what does not run and completes: a fault of the performer.
    """
    session, effects = _after_time(session, now)
    if isinstance(occurrence, Called):
        session, answer = _decide_call(session, occurrence, now, table)
        return session, (*effects, *answer)
    if session.end is not None or isinstance(occurrence, Ticked):
        return session, effects
    if isinstance(occurrence, ActionStarted | ActionEnded):
        return _advance(session, occurrence), effects
    if isinstance(occurrence, Completed):
        return _complete(session, occurrence, now, table), effects
    if isinstance(occurrence, Broke):
        return _fail(session, occurrence, now)
    return _meet_dialog(session, now)


def _after_time(session: Session, now: Moment) -> Step:
    if session.end is not None:
        return session, ()
    if now.has_reached(session.deadline):
        return _end(session, Phase.EXPIRED, _time_ran_out(session.phase), now)
    if session.phase is Phase.SETUP and now.has_reached(session.setup_deadline):
        return _fail(session, Broke(setup_timeout()), now)
    return session, ()


def _decide_call(session: Session, called: Called, now: Moment, table: Table) -> Step:
    op = OPS[type(called.request)]
    try:
        _verify_answerable(session, called, op, now)
        if op is Op.STATUS:
            return session, (Report(),)
        _verify_sequence(session, called.request, op)
        _verify_phase(session, op, table)
        actions = _verify_contents(session, called.request)
    except Failure as failure:
        return session, (Refuse(failure),)
    if op in {Op.ABORT, Op.CLOSE}:
        return _end_as_asked(session, table[session.phase][op], now)
    count = session.action_count + len(actions)
    batch = BatchProgress() if op is Op.ACTIONS else None
    ran = replace(session, running=op, action_count=count, batch=batch)
    return ran, (Run(op, actions),)


def _verify_answerable(session: Session, called: Called, op: Op, now: Moment) -> None:
    if called.principal != session.principal or session.is_forgotten(now):
        raise not_found()
    if session.end is not None:
        raise SessionEnded(session.end)
    if session.running is not None and op not in {Op.STATUS, Op.ABORT}:
        raise proof_failure(
            "busy",
            f"The session is still running {session.running.value}",
            "Ask for its status, and call again when that is done.",
        )


def _verify_sequence(session: Session, request: Call, op: Op) -> None:
    """Refuse another sequence; an abort may come from before or after a call in flight."""
    accepted = {session.sequence}
    if op is Op.ABORT and session.running not in {None, Op.BEGIN}:
        accepted.add(session.sequence + 1)
    if getattr(request, "sequence", None) not in accepted:
        raise proof_failure(
            "sequence",
            f"The sequence is not the session's, which is {session.sequence}",
            "Ask for the status: what this call was to do may have been done already.",
        )


def _verify_phase(session: Session, op: Op, table: Table) -> None:
    allowed = table[session.phase]
    if op not in allowed:
        raise proof_failure(
            "phase",
            f"{op.value} is not allowed in phase {session.phase.value}",
            f"Allowed are {', '.join(known.value for known in allowed)}.",
        )


def _verify_contents(session: Session, request: Call) -> tuple[Action, ...]:
    """Judge what the call carries; the actions of a batch, nothing for other calls."""
    if isinstance(request, Actions):
        return _verify_batch(session, request)
    if isinstance(request, Observe) and not is_digest(request.pre_observation_sha256):
        raise _no_observation(
            "pre_observation_sha256 is not 64 lower-case hex digits",
            "Send the SHA-256 of what you looked at before, in hex.",
        )
    if isinstance(request, Finish):
        if request.observation_sha256 != session.observation_sha256:
            raise _no_observation(
                "observation_sha256 is not that of the issued observation",
                "Send the frame.sha256 of the answer to observe; the status has it, too.",
            )
        verify_claims(request.claims_json)
    return ()


def _verify_batch(session: Session, request: Actions) -> tuple[Action, ...]:
    actions = parse_actions(
        request.actions_json, viewport=session.viewport, origins=session.origins
    )
    left = MAX_SESSION_ACTIONS - session.action_count
    if len(actions) > left:
        raise proof_failure(
            "action-limit",
            f"The batch has {len(actions)} actions; {left} of {MAX_SESSION_ACTIONS} are left",
            "Send fewer, or freeze and begin another attempt.",
        )
    return actions


def verify_claims(claims_json: str) -> None:
    """Raise unless the text is one JSON object of at most 16 KiB.

    No key twice and no lone surrogate, as everywhere; fractions are allowed, since the
    receipt keeps the text itself. Failure input-size, json or claims.
    """
    try:
        claims = parse_json(claims_json, limit_bytes=MAX_CLAIMS_BYTES, floats=True)
    except JsonTooLarge as error:
        raise proof_failure("input-size", f"claims_json: {error.message}", error.hint) from None
    except JsonRefused as error:
        raise proof_failure("json", f"claims_json: {error.message}", error.hint) from None
    if not isinstance(claims, dict):
        raise proof_failure(
            "claims", "claims_json is not a JSON object", 'Send one, as in {"ready": true}.'
        )


def _advance(session: Session, occurrence: ActionStarted | ActionEnded) -> Session:
    batch, starts = session.batch, isinstance(occurrence, ActionStarted)
    if batch is None or batch.running is starts:
        raise ValueError("the actions of a batch run one after the other")
    return replace(session, batch=batch.began_next() if starts else batch.ended_running())


def _complete(session: Session, completed: Completed, now: Moment, table: Table) -> Session:
    op = session.running
    if op is None:
        raise ValueError("nothing was running that could complete")
    phase = table[session.phase][op]
    return replace(
        session,
        running=None,
        batch=None,
        phase=phase,
        sequence=session.sequence + (op is not Op.BEGIN),
        deadline=now.after(FROZEN_S) if op is Op.FREEZE else session.deadline,
        observation_sha256=completed.observation_sha256 or session.observation_sha256,
        receipt_id=completed.receipt_id,
    )


def _meet_dialog(session: Session, now: Moment) -> Step:
    if session.phase in {Phase.SETUP, Phase.STAGE}:
        return session, ()
    reason = "the page opened a dialog after freeze, when nothing may answer it"
    return _end(session, Phase.FAILED, reason, now)


def _end_as_asked(session: Session, phase: Phase, now: Moment) -> Step:
    """End by abort or close; an op in flight has been accepted and counts as well."""
    in_flight = session.running not in {None, Op.BEGIN}
    ended, effects = _end(session, phase, "the caller asked for it", now)
    return replace(ended, sequence=session.sequence + 1 + in_flight), effects


def _fail(session: Session, broke: Broke, now: Moment) -> Step:
    failure = broke.failure
    end = _interruption(session, Phase.FAILED, failure.message, now)
    if broke.action_index is not None:
        index, outcome = broke.action_index, broke.action_outcome
        end = replace(end, reason=failure.message, action_index=index, action_outcome=outcome)
    retry = failure.safe_to_retry
    told = Failure(failure.code, end.reason, failure.hint, safe_to_retry=retry)
    return _ended(session, end, EndingFailure(told, end))


def _end(session: Session, phase: Phase, reason: str, now: Moment) -> Step:
    end = _interruption(session, phase, reason, now)
    return _ended(session, end, SessionEnded(end))


def _interruption(session: Session, phase: Phase, reason: str, now: Moment) -> End:
    """Return an end for a reason that lies outside the batch in flight, if there is one."""
    receipt_id = None if phase is Phase.ABORTED else session.receipt_id
    end = End(phase, session.phase, reason, None, now, receipt_id=receipt_id)
    batch = session.batch
    if batch is None:
        return end
    outcome = ActionOutcome.UNKNOWN if batch.running else None
    told = batch.tell(reason)
    return replace(end, reason=told, action_index=batch.index, action_outcome=outcome)


def _ended(session: Session, end: End, answer: Failure) -> Step:
    ended = replace(session, phase=end.phase, running=None, batch=None, end=end)
    return ended, (Release(end, answer),)


def not_found() -> Failure:
    """Return the one answer for absent, another actor's and forgotten sessions."""
    return proof_failure("not-found", "There is no such session", 'See "session list".')


def setup_timeout() -> Failure:
    """Return the failure of a begin whose first frame did not come in time."""
    return proof_failure(
        "setup-timeout",
        f"The browser did not show its first frame within {SETUP_S:.0f} s",
        "See whether the machine is busy or the page is slow, then begin a new attempt.",
    )


def _time_ran_out(phase: Phase) -> str:
    limit_s = STAGE_S if phase in {Phase.SETUP, Phase.STAGE} else FROZEN_S
    return f"its {limit_s:.0f} s have run out"


def _no_observation(condition: str, hint: str) -> Failure:
    return proof_failure("observation", condition, hint)
