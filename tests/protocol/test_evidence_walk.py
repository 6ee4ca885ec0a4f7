"""The evidence machine, walked in every state with every event, against a plain rule book.

The rule book below is written apart from the code: what receipt-v2 says, as a function.
The walk visits every state that can be reached, and in each one offers every call with
every sequence near its own, by its owner and by another, and everything else that can
happen, before, at and after each deadline. Mutants of table and step show that it bites.
"""

import json
from dataclasses import replace

import pytest

from protocol.errors import Failure, proof_failure
from protocol.evidence import (
    ActionEnded,
    ActionStarted,
    Broke,
    Called,
    Completed,
    DialogOpened,
    Refuse,
    Release,
    Report,
    Run,
    Ticked,
    decide_step,
    open_session,
)
from protocol.evidence_session import (
    LIVE,
    TABLE,
    ActionOutcome,
    BatchProgress,
    Moment,
    Phase,
)
from protocol.messages import (
    OPS,
    Abort,
    Actions,
    Close,
    Finish,
    Freeze,
    Observe,
    Op,
    Status,
)
from protocol.viewports import Viewport

PROOF = "ecup-" + "0" * 32
ME, OTHER = "uid:1", "uid:1/client:other"
SEEN, PRE = "5" * 64, "c" * 64
START = Moment(1000.0, 5000.0)
NOW = START.after(1)
BATCH = json.dumps([{"type": "screenshot"}] * 16)
BROKEN = proof_failure("action-failed", "the element went away", "")

LEGAL = {
    ("setup", "abort"), ("stage", "abort"), ("frozen", "abort"), ("observed", "abort"),
    ("finished", "abort"), ("stage", "actions"), ("stage", "freeze"), ("frozen", "observe"),
    ("observed", "finish"), ("finished", "close"),
}  # fmt: skip
LEADS_TO = {"actions": "stage", "freeze": "frozen", "observe": "observed", "finish": "finished",
            "begin": "stage", "close": "closed", "abort": "aborted"}  # fmt: skip


def opened():
    return open_session(ME, Viewport(320, 200), ("http://localhost:1",), START)


def request(op, sequence):
    return {
        "actions": Actions(PROOF, sequence, BATCH),
        "freeze": Freeze(PROOF, sequence),
        "observe": Observe(PROOF, sequence, PRE),
        "finish": Finish(PROOF, sequence, SEEN, "{}"),
        "close": Close(PROOF, sequence),
        "abort": Abort(PROOF, sequence),
        "status": Status(PROOF),
    }[op]


def events(session):
    for op in OPS.values():
        for sequence in range(max(0, session.sequence - 1), session.sequence + 3):
            for principal in (ME, OTHER):
                yield Called(principal, request(op, sequence))
    yield from (Broke(BROKEN, 3, ActionOutcome.FAILED), DialogOpened(), Ticked())
    if session.running or session.end:
        yield Completed(SEEN if session.running == "observe" else None)
    if session.batch and session.batch.running:
        yield ActionEnded()
    elif session.batch and session.batch.done < 2:
        yield ActionStarted()


def times(session):
    """Now, and around each deadline on either clock."""
    yield NOW
    if session.end:
        yield session.end.at.after(3599.9)
        yield session.end.at.after(3600)
        return
    for deadline in {session.deadline, session.setup_deadline}:
        yield deadline.after(-0.001)
        yield deadline
        yield replace(NOW, wall_s=deadline.wall_s)
        yield replace(NOW, boot_s=deadline.boot_s)


def expected(session, event, now):
    """What receipt-v2 says must come of it: a word and what belongs to it."""
    elapsed = max(now.boot_s - START.boot_s, now.wall_s - START.wall_s)
    frozen = session.phase in {"frozen", "observed", "finished"}
    if not session.end:
        if elapsed >= (46 if frozen else 180):
            return "end", "expired"
        if session.phase == "setup" and elapsed >= 20:
            return "end", "failed"
    if isinstance(event, Called):
        return expected_of_call(session, event, now)
    if session.end or isinstance(event, Ticked):
        return "nothing", None
    if isinstance(event, Completed):
        return "phase", LEADS_TO[session.running]
    if isinstance(event, DialogOpened) and not frozen:
        return "nothing", None
    if isinstance(event, ActionStarted | ActionEnded):
        return "advance", None
    return "end", "failed"


def expected_of_call(session, event, now):
    op = str(OPS[type(event.request)])
    if event.principal != ME:
        return "refuse", "not-found"
    if session.end:
        if now.has_reached(session.end.at.after(3600)):
            return "refuse", "not-found"
        return "refuse", "expired" if session.end.phase == "expired" else "closed"
    if op == "status":
        return "report", None
    if session.running and op != "abort":
        return "refuse", "busy"
    right = {session.sequence}
    if session.running and session.running != "begin":
        right.add(session.sequence + 1)
    if event.request.sequence not in right:
        return "refuse", "sequence"
    if (str(session.phase), op) not in LEGAL:
        return "refuse", "phase"
    if op == "actions" and session.action_count == 64:
        return "refuse", "action-limit"
    return ("end", LEADS_TO[op]) if op in {"abort", "close"} else ("run", op)


def check(session, event, now, after, effects):
    """Compare a step with the rule book."""
    word, what = expected(session, event, now)
    if word == "end":
        check_end(session, event, now, what, after, effects)
    elif word == "refuse":
        assert after == session
        (refusal,) = effects
        assert refusal.failure.code == f"external-proof-{what}"
    elif word == "report":
        assert (after, effects) == (session, (Report(),))
    elif word == "nothing":
        assert (after, effects) == (session, ())
    elif word == "run":
        (run,) = effects
        assert isinstance(run, Run)
        assert (run.op, len(run.actions)) == (what, 16 if what == "actions" else 0)
        count = session.action_count + len(run.actions)
        batch = BatchProgress() if what == "actions" else None
        assert after == replace(session, running=Op(what), action_count=count, batch=batch)
    elif word == "advance":
        starts = isinstance(event, ActionStarted)
        batch = BatchProgress(session.batch.done + (not starts), running=starts)
        assert (after, effects) == (replace(session, batch=batch), ())
    else:
        check_completion(session, what, after, effects)


def check_completion(session, phase, after, effects):
    assert effects == ()
    assert (after.phase, after.running, after.batch, after.end) == (phase, None, None, None)
    assert after.sequence == session.sequence + (session.running != "begin")
    assert after.action_count == session.action_count
    freeze = session.running == "freeze"
    assert after.deadline == (NOW.after(45) if freeze else session.deadline)


def check_end(session, event, now, phase, after, effects):
    release, *answers = effects
    assert isinstance(release, Release)
    assert after.end == release.end
    assert (after.phase, after.end.phase, after.running) == (phase, phase, None)
    assert (after.end.during, after.end.at) == (session.phase, now)
    assert after.end.reason
    check_blame(session, event, after.end)
    assert isinstance(release.answer, Failure)
    asked = phase in {"aborted", "closed"}
    in_flight = session.running not in {None, "begin"}
    assert after.sequence == session.sequence + (1 + in_flight if asked else 0)
    late = isinstance(event, Called) and not asked
    assert [type(answer) for answer in answers] == ([Refuse] if late else [])
    if late:
        own = "expired" if phase == "expired" else "closed"
        code = own if event.principal == ME else "not-found"
        assert answers[0].failure.code == f"external-proof-{code}"


def check_blame(session, event, end):
    """An action that failed or was running is named, and no other."""
    if isinstance(event, Broke) and end.reason == BROKEN.message:
        assert (end.action_index, end.action_outcome) == (3, "failed")
    elif session.batch and session.batch.running:
        assert (end.action_index, end.action_outcome) == (session.batch.done, "unknown")
    else:
        assert (end.action_index, end.action_outcome) == (None, None)


def walk(step=decide_step):
    """Visit every reachable state; return the states. Steps at NOW lead on, others only end."""
    seen, waiting = set(), [opened()]
    while waiting:
        session = waiting.pop()
        if session in seen:
            continue
        seen.add(session)
        for event in events(session):
            for now in times(session):
                if isinstance(event, Completed) and session.running == "freeze" and now != NOW:
                    continue  # its new deadline is counted from now: tested by itself below
                after, effects = step(session, event, now)
                check(session, event, now, after, effects)
                waiting.append(after)
        assert len(seen) < 5_000, "the walk does not end: something grows without bound"
    return seen


def test_every_state_and_every_event_follow_the_rule_book():
    states = walk()
    assert {state.phase for state in states} == set(Phase)
    assert {state.running for state in states} == {*Op} - {Op.CLOSE, Op.ABORT, Op.STATUS} | {None}
    assert {state.action_count for state in states} == {0, 16, 32, 48, 64}
    assert {state.end.during for state in states if state.end} == LIVE
    assert len(states) > 100


def changed(phase, op, to):
    row = dict(TABLE[phase])
    if to is None:
        del row[op]
    else:
        row[op] = to
    return {**TABLE, phase: row}


TABLE_MUTANTS = {
    "actions after freeze": changed(Phase.FROZEN, Op.ACTIONS, Phase.FROZEN),
    "actions while observed": changed(Phase.OBSERVED, Op.ACTIONS, Phase.STAGE),
    "unfreeze": changed(Phase.FROZEN, Op.FREEZE, Phase.STAGE),
    "freeze leads nowhere": changed(Phase.STAGE, Op.FREEZE, Phase.STAGE),
    "observe twice": changed(Phase.OBSERVED, Op.OBSERVE, Phase.OBSERVED),
    "observe without freeze": changed(Phase.STAGE, Op.OBSERVE, Phase.OBSERVED),
    "finish without observation": changed(Phase.FROZEN, Op.FINISH, Phase.FINISHED),
    "finish twice": changed(Phase.FINISHED, Op.FINISH, Phase.FINISHED),
    "close before finish": changed(Phase.OBSERVED, Op.CLOSE, Phase.CLOSED),
    "close as abort": changed(Phase.FINISHED, Op.CLOSE, Phase.ABORTED),
    "no abort in set-up": changed(Phase.SETUP, Op.ABORT, None),
    "no abort when finished": changed(Phase.FINISHED, Op.ABORT, None),
    "abort counts as close": changed(Phase.STAGE, Op.ABORT, Phase.CLOSED),
    "begin ends frozen": changed(Phase.SETUP, Op.BEGIN, Phase.FROZEN),
}


@pytest.mark.parametrize("table", TABLE_MUTANTS.values(), ids=TABLE_MUTANTS.keys())
def test_the_walk_kills_mutants_of_the_table(table):
    with pytest.raises(AssertionError):
        walk(lambda session, event, now: decide_step(session, event, now, table))


def refusal_advances(session, event, now):
    after, effects = decide_step(session, event, now)
    refused = any(isinstance(effect, Refuse) for effect in effects)
    return replace(after, sequence=after.sequence + refused), effects


def status_advances(session, event, now):
    after, effects = decide_step(session, event, now)
    return replace(after, sequence=after.sequence + (Report() in effects)), effects


def completion_restarts_the_clock(session, event, now):
    after, effects = decide_step(session, event, now)
    completed = isinstance(event, Completed) and not after.end
    return replace(after, deadline=now.after(180) if completed else after.deadline), effects


def freeze_keeps_the_clock(session, event, now):
    after, effects = decide_step(session, event, now)
    return (replace(after, deadline=session.deadline) if not after.end else after), effects


def time_is_not_looked_at(session, event, now):
    return decide_step(session, event, min(now, NOW, key=lambda moment: moment.boot_s))


def the_wall_clock_is_not_looked_at(session, event, now):
    return decide_step(session, event, replace(now, wall_s=START.wall_s + now.boot_s - 1000))


def anyone_may_call(session, event, now):
    if isinstance(event, Called):
        event = replace(event, principal=ME)
    return decide_step(session, event, now)


def calls_overlap(session, event, now):
    if isinstance(event, Called) and not session.end and session.phase != "setup":
        session = replace(session, running=None)
    return decide_step(session, event, now)


def late_completion_revives(session, event, now):
    if session.end and isinstance(event, Completed):
        return replace(session, end=None, phase=session.end.during), ()
    return decide_step(session, event, now)


def dialogs_pass(session, event, now):
    return decide_step(session, Ticked() if isinstance(event, DialogOpened) else event, now)


def errors_are_survived(session, event, now):
    if isinstance(event, Broke) and session.running and session.phase != "setup":
        return replace(session, running=None), ()
    return decide_step(session, event, now)


def actions_are_not_counted(session, event, now):
    after, effects = decide_step(session, event, now)
    return replace(after, action_count=0), effects


def running_actions_are_forgotten(session, event, now):
    if session.batch:
        session = replace(session, batch=replace(session.batch, running=False))
    advances = isinstance(event, ActionStarted | ActionEnded)
    return (session, ()) if advances else decide_step(session, event, now)


STEP_MUTANTS = [
    refusal_advances, status_advances, completion_restarts_the_clock, freeze_keeps_the_clock,
    time_is_not_looked_at, the_wall_clock_is_not_looked_at, anyone_may_call, calls_overlap,
    late_completion_revives, dialogs_pass, errors_are_survived, actions_are_not_counted,
    running_actions_are_forgotten,
]  # fmt: skip


@pytest.mark.parametrize("mutant", STEP_MUTANTS)
def test_the_walk_kills_mutants_of_the_step(mutant):
    with pytest.raises((AssertionError, ValueError)):
        walk(mutant)
