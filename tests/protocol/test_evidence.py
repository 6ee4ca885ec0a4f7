"""The evidence machine in particular: clocks, contents, budgets, aborts, how it ended."""

import json
from dataclasses import replace

import pytest

from protocol.errors import proof_failure
from protocol.evidence import (
    ActionEnded,
    ActionStarted,
    Broke,
    Called,
    Completed,
    Refuse,
    Release,
    Run,
    Ticked,
    decide_step,
    open_session,
)
from protocol.evidence_session import Moment, Phase, SessionEnded
from protocol.messages import Abort, Actions, Close, Finish, Freeze, Observe, Op, Status
from protocol.viewports import Viewport

PROOF = "ecup-" + "0" * 32
ME = "uid:1"
SEEN, PRE = "5" * 64, "c" * 64
START = Moment(1000.0, 5000.0)
NOW = START.after(1)
BATCH = json.dumps([{"type": "screenshot"}] * 16)
BROKEN = proof_failure("action-failed", "the element went away", "")


def opened():
    return open_session(ME, Viewport(320, 200), ("http://localhost:1",), START)


def step_through(session, *happenings, now=NOW):
    effects = ()
    for happening in happenings:
        session, effects = decide_step(session, happening, now)
    return session, effects


def staged():
    return step_through(opened(), Completed())[0]


def observed():
    return step_through(
        staged(),
        Called(ME, Freeze(PROOF, 0)), Completed(),
        Called(ME, Observe(PROOF, 1, PRE)), Completed(SEEN),
    )[0]  # fmt: skip


def refusal(session, asked, now=NOW):
    after, effects = decide_step(session, Called(ME, asked), now)
    (refused,) = effects
    assert after == session
    assert isinstance(refused, Refuse)
    return refused.failure.code.removeprefix("external-proof-")


def test_a_whole_session_counts_six_calls():
    session, effects = step_through(
        staged(),
        Called(ME, Actions(PROOF, 0, BATCH)), Completed(),
        Called(ME, Freeze(PROOF, 1)), Completed(),
        Called(ME, Observe(PROOF, 2, PRE)), Completed(SEEN),
        Called(ME, Finish(PROOF, 3, SEEN, "{}")), Completed(),
        Called(ME, Close(PROOF, 4)),
    )  # fmt: skip
    assert (session.phase, session.sequence) == (Phase.CLOSED, 5)
    assert isinstance(effects[0], Release)


def test_the_45_seconds_count_from_freeze_and_never_restart():
    late = START.after(170)
    session, _ = decide_step(staged(), Called(ME, Freeze(PROOF, 0)), late)
    session, _ = decide_step(session, Completed(), late.after(1))
    assert session.deadline == late.after(46)
    session, _ = decide_step(session, Called(ME, Observe(PROOF, 1, PRE)), late.after(40))
    session, _ = decide_step(session, Completed(SEEN), late.after(45.9))
    assert session.phase is Phase.OBSERVED
    session, effects = decide_step(session, Ticked(), late.after(46))
    assert session.phase is Phase.EXPIRED
    assert isinstance(effects[0], Release)


def test_a_freeze_that_completes_too_late_is_no_freeze():
    session, _ = decide_step(staged(), Called(ME, Freeze(PROOF, 0)), START.after(179))
    session, _ = decide_step(session, Completed(), START.after(180))
    assert session.phase is Phase.EXPIRED


def test_contents_are_judged_after_sequence_and_phase():
    bad = Actions(PROOF, 9, "nonsense")
    assert refusal(staged(), bad) == "sequence"
    assert refusal(observed(), replace(bad, sequence=2)) == "phase"
    assert refusal(staged(), replace(bad, sequence=0)) == "json"


@pytest.mark.parametrize(
    ("actions_json", "code"),
    [
        ("[]", "actions"), ("{}", "actions"), ("x", "json"), (" " * 65537, "input-size"),
        ('[{"type":"wait"}]', "action"), ('[{"type":"zoom"}]', "action-forbidden"),
        ('[{"type":"click","x":320,"y":0}]', "action"),
        ('[{"type":"navigate","url":"http://localhost:2/"}]', "action-forbidden"),
    ],
)  # fmt: skip
def test_a_bad_batch_is_refused_whole(actions_json, code):
    assert refusal(staged(), Actions(PROOF, 0, actions_json)) == code


def test_the_budget_refuses_a_batch_that_would_pass_it():
    session = replace(staged(), action_count=50)
    fits = json.dumps([{"type": "screenshot"}] * 14)
    session_after, effects = decide_step(session, Called(ME, Actions(PROOF, 0, fits)), NOW)
    assert isinstance(effects[0], Run)
    assert session_after.action_count == 64
    assert refusal(session, Actions(PROOF, 0, BATCH)) == "action-limit"


@pytest.mark.parametrize("digest", ["", "C" * 64, "c" * 63, "c" * 65, "c" * 63 + "\n"])
def test_a_pre_observation_is_a_digest(digest):
    frozen, _ = step_through(staged(), Called(ME, Freeze(PROOF, 0)), Completed())
    assert refusal(frozen, Observe(PROOF, 1, digest)) == "observation"


def test_claims_are_about_exactly_the_issued_observation():
    assert refusal(observed(), Finish(PROOF, 2, PRE, "{}")) == "observation"
    assert refusal(observed(), Finish(PROOF, 2, SEEN.upper() + "x", "nonsense")) == "observation"


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ("[]", "claims"), ("null", "claims"), ('"x"', "claims"), ("", "json"), ("{", "json"),
        ('{"a":1,"a":1}', "json"), ('{"a":{"b":1,"b":1}}', "json"), ("{} {}", "json"),
        ('{"a":NaN}', "json"), ('{"a":"\\ud800"}', "json"), ('{"a":' + "[" * 64, "json"),
        ("\ufeff{}", "json"), ("{}".ljust(16 * 1024 + 1), "input-size"),
    ],
)  # fmt: skip
def test_claims_that_are_no_json_object_are_refused(claims, code):
    assert refusal(observed(), Finish(PROOF, 2, SEEN, claims)) == code


@pytest.mark.parametrize("claims", ["{}", ' {"a": 1.5e3}\n', "{}".ljust(16 * 1024), '{"é":"😀"}'])
def test_claims_may_hold_any_json_object(claims):
    _, effects = decide_step(observed(), Called(ME, Finish(PROOF, 2, SEEN, claims)), NOW)
    assert effects == (Run(Op.FINISH),)


@pytest.mark.parametrize("sequence", [0, 1])
def test_abort_interrupts_a_call_from_before_or_after_it(sequence):
    running, _ = step_through(staged(), Called(ME, Actions(PROOF, 0, BATCH)))
    session, (release,) = decide_step(running, Called(ME, Abort(PROOF, sequence)), NOW)
    assert (session.phase, session.sequence) == (Phase.ABORTED, 2)
    assert release.answer.code == "external-proof-closed"
    assert decide_step(session, Completed(), NOW) == (session, ())


def test_status_of_an_ended_session_says_where_why_and_at_which_action():
    running, _ = step_through(staged(), Called(ME, Actions(PROOF, 0, BATCH)))
    session, (release,) = decide_step(running, Broke(BROKEN, 3), NOW)
    assert (release.answer.code, release.answer.message) == (BROKEN.code, BROKEN.message)
    _, (refused,) = decide_step(session, Called(ME, Status(PROOF)), NOW)
    assert isinstance(refused.failure, SessionEnded)
    body = refused.failure.body()
    assert (body["code"], body["phase"]) == ("external-proof-closed", "failed")
    assert (body["endedDuring"], body["actionIndex"]) == ("stage", 3)
    assert body["reason"] == BROKEN.message
    assert BROKEN.message in body["message"]


ENDS = {
    "abort": Called(ME, Abort(PROOF, 0)),
    "loss": Broke(proof_failure("closed", "The browser is lost", "")),
    "time": Ticked(),
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize(
    ("done", "starts", "told"),
    [
        (0, False, "; no action of the batch was running, and none had begun"),
        (0, True, "; action 0 of the batch was running and its outcome is unknown"),
        (1, True, "1 of the batch was running and its outcome is unknown, action 0 was done"),
        (
            3,
            True,
            "3 of the batch was running and its outcome is unknown, actions 0 to 2 were done",
        ),
        (3, False, "; no action of the batch was running, actions 0 to 2 were done"),
    ],
)
def test_an_end_within_a_batch_says_how_far_it_had_come(how, done, starts, told):
    happened = [ActionStarted(), ActionEnded()] * done + [ActionStarted()] * starts
    running, _ = step_through(staged(), Called(ME, Actions(PROOF, 0, BATCH)), *happened)
    at = START.after(180) if how == "time" else NOW
    session, (release,) = decide_step(running, ENDS[how], at)
    _, (refused,) = decide_step(session, Called(ME, Status(PROOF)), at)
    for body in (release.answer.body(), refused.failure.body()):
        assert body["endedDuring"] == "stage"
        assert body["actionIndex"] == (done if starts else None)
        assert body["actionOutcome"] == ("unknown" if starts else None)
        assert body["reason"].endswith(told)
        assert told in body["message"]


def test_an_end_after_a_batch_is_none_within_it():
    batch = Called(ME, Actions(PROOF, 0, BATCH))
    ran, _ = step_through(staged(), batch, ActionStarted(), ActionEnded(), Completed())
    session, _ = decide_step(ran, ENDS["loss"], NOW)
    assert (session.end.reason, session.end.action_index) == ("The browser is lost", None)


def test_actions_run_one_after_the_other_and_within_a_batch():
    running, _ = step_through(staged(), Called(ME, Actions(PROOF, 0, BATCH)))
    for happened in ([ActionEnded()], [ActionStarted(), ActionStarted()]):
        with pytest.raises(ValueError, match="one after the other"):
            step_through(running, *happened)
    with pytest.raises(ValueError, match="one after the other"):
        step_through(staged(), ActionStarted())


MADE = "ecup-receipt:" + "a" * 64


@pytest.mark.parametrize(
    ("ends", "told", "left"),
    [
        (Called(ME, Close(PROOF, 3)), MADE, f"made before that: {MADE}. There is nothing left"),
        (Broke(BROKEN), MADE, f"made before that: {MADE}. There is nothing left"),
        (Called(ME, Abort(PROOF, 3)), None, "Infer no success"),
        (Ticked(), MADE, "Infer no success"),
    ],
)
def test_an_end_after_the_receipt_tells_of_it_unless_no_success_may_be_inferred(ends, told, left):
    finish = Called(ME, Finish(PROOF, 2, SEEN, "{}"))
    finished, _ = step_through(observed(), finish, Completed(receipt_id=MADE))
    at = NOW.after(45) if isinstance(ends, Ticked) else NOW
    ended, _ = decide_step(finished, ends, at)
    _, (refused,) = decide_step(ended, Called(ME, Close(PROOF, 4)), at)
    body = refused.failure.body()
    assert (body["endedDuring"], body["receiptId"]) == ("finished", told)
    assert left in body["hint"]


def test_an_end_while_the_receipt_is_made_is_a_loss():
    finishing, _ = step_through(observed(), Called(ME, Finish(PROOF, 2, SEEN, "{}")))
    ended, _ = decide_step(finishing, Broke(BROKEN), NOW)
    _, (refused,) = decide_step(ended, Called(ME, Status(PROOF)), NOW)
    assert refused.failure.body()["receiptId"] is None
    assert "Infer no success" in refused.failure.hint


def test_set_up_that_takes_too_long_answers_begin_so():
    session, (release,) = decide_step(opened(), Ticked(), START.after(20))
    assert release.answer.code == "external-proof-setup-timeout"
    assert session.phase is Phase.FAILED


def test_the_next_deadline_is_what_ends_the_session_by_itself():
    assert opened().next_deadline == START.after(20)
    assert staged().next_deadline == START.after(180)
    assert observed().next_deadline == NOW.after(45)
    ended, _ = decide_step(observed(), Broke(BROKEN), NOW)
    assert ended.next_deadline is None
    assert NOW.remaining_s(START.after(20)) == 19
    assert Moment(1000.0, 5010.0).remaining_s(START.after(20)) == 10


def test_completing_what_does_not_run_is_a_fault_of_the_performer():
    with pytest.raises(ValueError, match="nothing was running"):
        decide_step(staged(), Completed(), NOW)
