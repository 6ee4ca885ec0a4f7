"""What a command's id answers, and what its session answers, in that order."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.admission import (
    Circumstances,
    Execute,
    Known,
    Pending,
    Refuse,
    Replay,
    check_start,
    decide_admission,
    fingerprint_of,
    not_started,
    parse_command_id,
    pending,
    timed_out,
)
from protocol.errors import Failure
from protocol.writes import Kind, Result, State, Status, failed

MINE, OTHER = "a" * 64, "b" * 64
DONE = Result(Status.INJECTED)
KEY = b"k" * 32


def word(decision):
    if isinstance(decision, Refuse):
        return decision.failure.code
    return type(decision).__name__.lower()


def expected(known, kind, now):
    """The order of behaviour.md §1.0.3 for one process."""
    if known and known.fingerprint != MINE:
        return "command_id_conflict"
    if known and known.state in {"preparing", "granted"}:
        return "pending"
    if known and known.state in {"completed", "unknown"}:
        return "replay" if known.state == "completed" else "outcome_unknown"
    if not now.reachable:
        return "browser_unavailable"
    if kind == "write" and (now.writes_blocked or now.restarted):
        return "outcome_unknown"
    if now.busy:
        return "session_busy"
    if not known and now.command_cap is not None and now.commands >= now.command_cap:
        return "command_cap_reached"
    return "execute"


def decide_every(decide):
    rows = [None] + [
        Known(fingerprint, 3, state, DONE if state is State.COMPLETED else None)
        for fingerprint in (MINE, OTHER)
        for state in State
    ]
    both = (True, False)
    flags = product(both, both, both, both, (9, 10, 11), (None, 10))
    for values in flags:
        now = Circumstances(*values)
        for known in rows:
            for kind in Kind:
                assert word(decide(known, MINE, kind, now)) == expected(known, kind, now)


def test_every_row_meets_every_circumstance():
    decide_every(decide_admission)


def test_a_replay_answers_with_the_stored_result_and_a_retry_is_another_attempt():
    assert decide_admission(
        Known(MINE, 1, State.COMPLETED, DONE), MINE, Kind.WRITE, Circumstances()
    ) == Replay(DONE)
    assert decide_admission(None, MINE, Kind.WRITE, Circumstances()) == Execute(1)
    for state in (State.NOT_STARTED, State.TIMED_OUT):
        row = Known(MINE, 4, state, failed("dialog_open"))
        assert decide_admission(row, MINE, Kind.WRITE, Circumstances()) == Execute(5)
    running = Known(MINE, 1, State.GRANTED)
    assert decide_admission(running, MINE, Kind.WRITE, Circumstances()) == Pending()


def unknown_is_tried_again(known, fingerprint, kind, now):
    if known and known.state is State.UNKNOWN and known.fingerprint == fingerprint:
        return Execute(known.attempt + 1)
    return decide_admission(known, fingerprint, kind, now)


def contents_are_not_compared(known, fingerprint, kind, now):
    return decide_admission(known, known.fingerprint if known else fingerprint, kind, now)


def blocked_writes_pass(known, fingerprint, kind, now):
    kind = Kind.READ if kind is Kind.WRITE else kind
    return decide_admission(known, fingerprint, kind, now)


def blocked_reads_do_not_pass(known, fingerprint, kind, now):
    return decide_admission(known, fingerprint, Kind.WRITE, now)


def what_runs_runs_again(known, fingerprint, kind, now):
    decision = decide_admission(known, fingerprint, kind, now)
    return Execute(1) if isinstance(decision, Pending) else decision


def the_session_is_asked_first(known, fingerprint, kind, now):
    refusal = check_start(kind, now)
    return Refuse(refusal) if refusal else decide_admission(known, fingerprint, kind, now)


@pytest.mark.parametrize(
    "mutant",
    [
        unknown_is_tried_again,
        contents_are_not_compared,
        blocked_writes_pass,
        blocked_reads_do_not_pass,
        what_runs_runs_again,
        the_session_is_asked_first,
    ],
)
def test_mutants_are_killed(mutant):
    with pytest.raises(AssertionError):
        decide_every(mutant)


def test_only_refusals_after_which_nothing_is_open_are_safe_to_retry():
    assert not_started().safe_to_retry
    assert timed_out().safe_to_retry
    assert not pending("order-7").safe_to_retry
    unknown = decide_admission(Known(MINE, 1, State.UNKNOWN), MINE, Kind.READ, Circumstances())
    assert isinstance(unknown, Refuse)
    assert not unknown.failure.safe_to_retry
    blocked = check_start(Kind.WRITE, Circumstances(writes_blocked=True))
    assert blocked is not None
    assert not blocked.safe_to_retry
    gone = check_start(Kind.WRITE, Circumstances(writes_blocked=True, restarted=True))
    assert gone is not None
    assert not gone.safe_to_retry
    assert "earlier write" not in gone.message
    assert check_start(Kind.READ, Circumstances(writes_blocked=True, restarted=True)) is None


commands = st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers(), max_size=4)


@given(commands, commands, st.booleans(), st.booleans())
def test_two_commands_are_the_same_exactly_when_their_contents_are(one, other, dry, other_dry):
    same = fingerprint_of(KEY, one, dry_run=dry) == fingerprint_of(KEY, other, dry_run=other_dry)
    assert same == ((one, dry) == (other, other_dry))


def test_a_fingerprint_is_keyed_and_ignores_the_order_of_keys():
    one = fingerprint_of(KEY, {"type": "fill", "text": "hunter2"}, dry_run=False)
    assert one == fingerprint_of(KEY, {"text": "hunter2", "type": "fill"}, dry_run=False)
    assert one != fingerprint_of(b"l" * 32, {"type": "fill", "text": "hunter2"}, dry_run=False)
    assert len(one) == 64
    assert "hunter2" not in one


@pytest.mark.parametrize("good", ["a", "a" * 128, "../../etc", "7e6f-0"])
def test_a_command_id_is_the_callers_own(good):
    assert parse_command_id(good) == good


@pytest.mark.parametrize("bad", ["", "a" * 129, "a b", "a\n", "é", "\x7f", 5, None])
def test_a_command_id_that_could_not_be_shown_is_refused(bad):
    with pytest.raises(Failure) as refused:
        parse_command_id(bad)
    assert refused.value.code == "invalid_request"
