"""The write path, walked in every state with every event, against a plain rule book.

The rule book is written apart from the code: DESIGN §5 as a function of where an attempt
stands. What the rules are worth when daemon or power die is in test_writes_crash.
"""

from dataclasses import replace

import pytest

from protocol.writes import (
    ACTIVE,
    TABLE,
    Act,
    Answer,
    Block,
    Broke,
    Check,
    Checked,
    DeadlinePassed,
    Ended,
    Kept,
    Kind,
    Record,
    Result,
    Sent,
    SessionEnded,
    State,
    Status,
    Unkept,
    decide_step,
    failed,
    is_safe_to_retry,
    open_attempt,
    recovered,
)

OK, INJECTED = Result(Status.OK), Result(Status.INJECTED)
STALE = failed("ref_stale")
EVENTS = [
    Kept(),
    Unkept("store_full"),
    Checked(),
    Sent(),
    Ended(OK),
    Ended(INJECTED),
    Ended(STALE),
    Broke("tab_gone"),
    DeadlinePassed(),
    SessionEnded(),
]
STOPS = (Broke, DeadlinePassed, SessionEnded)
DECIDED = ("completed", "not_started", "timed_out", "unknown")


def expected(attempt, event):
    """What must come of it: an error, or the words of the effects in order."""
    if isinstance(event, Kept | Unkept):
        return expected_of_record(attempt, isinstance(event, Kept))
    acting = attempt.state == "granted" and (attempt.checked or attempt.kind != "write")
    if isinstance(event, Sent):
        may = acting and attempt.kind == "write" and not attempt.ending
        return [] if may else "error"
    if attempt.ending:
        return []
    if isinstance(event, Checked):
        if attempt.checked or attempt.kind != "write" or attempt.state is None:
            return "error"
        return ["act"] if attempt.state == "granted" else []
    if isinstance(event, Ended):
        if attempt.state is None or (event.result.status != "failed" and not acting):
            return "error"
        if event.result.status == "injected" and not attempt.sent:
            return "error"
        return [] if attempt.recording else ["record completed"]
    return expected_of_stop(attempt)


def expected_of_record(attempt, kept):
    if attempt.recording is None:
        return "error"
    if not kept:
        return {
            None: ["answer not_started"],
            "preparing": ["record not_started"],
            "granted": ["block", "record unknown"] if attempt.kind == "write"
            else ["record timed_out"],
        }[attempt.state] if attempt.recording in {*ACTIVE, "completed"} else [
            f"answer {attempt.recording}"
        ]  # fmt: skip
    if attempt.recording in DECIDED:
        return [f"answer {attempt.recording}"]
    if attempt.ending == "not_started" and attempt.recording == "granted":
        return ["record completed"] if attempt.kind == "write" else ["record timed_out"]
    if attempt.ending:
        return [f"record {attempt.ending}"]
    if attempt.recording == "preparing":
        return ["record granted", "check"]
    return ["act"] if attempt.checked or attempt.kind != "write" else []


def expected_of_stop(attempt):
    if attempt.recording:
        return []
    if attempt.kind != "write":
        return ["record timed_out"]
    return ["block", "record unknown"] if attempt.sent else ["record completed"]


WORDS = {Act: "act", Check: "check", Block: "block"}


def word(effect):
    if isinstance(effect, Record):
        return f"record {effect.state}"
    if isinstance(effect, Answer):
        return f"answer {effect.state}"
    return WORDS[type(effect)]


def check(attempt, event, step):
    want = expected(attempt, event)
    if want == "error":
        with pytest.raises(ValueError, match=r"."):
            step(attempt, event)
        return None
    after, effects = step(attempt, event)
    assert [word(effect) for effect in effects] == want
    assert after.kind is attempt.kind
    assert after.answered == any(isinstance(effect, Answer) for effect in effects) or (
        attempt.answered and after == attempt
    )
    check_records(attempt, after, effects)
    check_results(attempt, after, event, effects)
    return after


def check_records(attempt, after, effects):
    records = [effect.state for effect in effects if isinstance(effect, Record)]
    assert len(records) <= 1
    for state in records:
        assert after.recording is state
        assert after.state is None or state in TABLE[after.state]
    assert after.state in {attempt.state, attempt.recording}
    if attempt.sent:
        assert after.sent
        assert after.ending not in {State.NOT_STARTED, State.TIMED_OUT}


def check_results(attempt, after, event, effects):
    for effect in effects:
        if isinstance(effect, Answer) and effect.state is not State.COMPLETED:
            assert effect.result is not None
            assert effect.result.status is Status.FAILED
            assert effect.result.code
    if attempt.ending and not isinstance(event, Kept | Unkept):
        assert after == attempt
    elif isinstance(event, Ended):
        assert (after.ending, after.result) == (State.COMPLETED, event.result)


def walk(step=decide_step):
    seen, waiting = set(), [open_attempt(kind)[0] for kind in Kind]
    while waiting:
        attempt = waiting.pop()
        if attempt in seen:
            continue
        seen.add(attempt)
        for event in EVENTS:
            after = check(attempt, event, step)
            if after is not None:
                waiting.append(after)
        assert len(seen) < 2_000, "the walk does not end"
    return seen


def test_every_state_and_every_event_follow_the_rule_book():
    attempts = walk()
    assert {attempt.state for attempt in attempts} == {None, *State}
    assert {attempt.kind for attempt in attempts} == set(Kind)
    assert {attempt.ending for attempt in attempts} == {None, *State} - ACTIVE
    assert any(attempt.answered and attempt.sent for attempt in attempts)
    assert len(attempts) > 100


def test_a_new_attempt_first_records_that_it_is_there():
    for kind in Kind:
        attempt, effects = open_attempt(kind)
        first = State.PREPARING if kind is Kind.WRITE else State.GRANTED
        assert (attempt.state, attempt.recording, effects) == (None, first, (Record(first),))


def test_recovery_leaves_ends_alone_and_gives_every_other_row_its_own():
    for kind in Kind:
        for state in State:
            outcome = recovered(state, kind)
            if state not in ACTIVE:
                assert outcome is state
            else:
                assert outcome in TABLE[state] - ACTIVE
    assert recovered(State.GRANTED, Kind.WRITE) is State.UNKNOWN
    assert recovered(State.GRANTED, Kind.READ) is State.TIMED_OUT
    assert recovered(State.GRANTED, Kind.DRY_RUN) is State.TIMED_OUT
    assert recovered(State.PREPARING, Kind.WRITE) is State.NOT_STARTED


def test_only_what_was_not_started_or_timed_out_is_safe_to_retry():
    safe = {state for state in State if is_safe_to_retry(state)}
    assert safe == {State.NOT_STARTED, State.TIMED_OUT}


def time_out_when_sent(attempt, event):
    after, effects = decide_step(attempt, event)
    if after.ending is State.UNKNOWN and isinstance(event, STOPS):
        after = replace(after, ending=State.COMPLETED, recording=State.COMPLETED)
        return after, (Record(State.COMPLETED, after.result),)
    return after, effects


def leave_granted_at_the_deadline(attempt, event):
    if isinstance(event, DeadlinePassed) and attempt.state is State.GRANTED:
        return attempt, ()
    return decide_step(attempt, event)


def unknown_lets_writes_through(attempt, event):
    after, effects = decide_step(attempt, event)
    return after, tuple(effect for effect in effects if not isinstance(effect, Block))


def a_refusal_is_called_not_started(attempt, event):
    after, effects = decide_step(attempt, event)
    if isinstance(event, Ended) and event.result == STALE and effects:
        after = replace(after, ending=State.NOT_STARTED, recording=State.NOT_STARTED)
        return after, (Record(State.NOT_STARTED, STALE),)
    return after, effects


def input_from_a_dry_run(attempt, event):
    if isinstance(event, Sent) and attempt.kind is Kind.DRY_RUN and attempt.state == "granted":
        return replace(attempt, sent=True), ()
    return decide_step(attempt, event)


def input_before_the_checks(attempt, event):
    if isinstance(event, Sent) and attempt.state is State.GRANTED:
        return replace(attempt, sent=True), ()
    return decide_step(attempt, event)


def late_results_revive(attempt, event):
    if isinstance(event, Ended) and attempt.ending is State.UNKNOWN:
        return replace(attempt, ending=State.COMPLETED, result=event.result), ()
    return decide_step(attempt, event)


def act_twice(attempt, event):
    if isinstance(event, Checked) and attempt.checked:
        return attempt, (Act(),)
    return decide_step(attempt, event)


MUTANTS = [
    time_out_when_sent, leave_granted_at_the_deadline, unknown_lets_writes_through,
    a_refusal_is_called_not_started, input_from_a_dry_run, input_before_the_checks,
    late_results_revive, act_twice,
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_walk_kills_mutants_of_the_step(mutant):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        walk(mutant)
