"""The multiplexer: each command is settled once, whatever happens in whatever order."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdp.errors import CallRefused, ConnectionClosed, SessionDetached, TargetCrashed
from cdp.messages import Event
from cdp.multiplexer import BROWSER, Answered, Command, Failed, Multiplexer

PAGE, OTHER = "S-page", "S-other"


def send(mux: Multiplexer, session_id: str = BROWSER, method: str = "A.b") -> Command:
    command, data = mux.command(method, {"x": 1}, session_id)
    assert json.loads(data)["id"] == command.id
    return command


def say(mux: Multiplexer, **message: Any) -> tuple[object, ...]:
    return mux.receive(json.dumps(message).encode())


def attach(mux: Multiplexer, session_id: str, target_id: str) -> None:
    say(
        mux,
        method="Target.attachedToTarget",
        params={"sessionId": session_id, "targetInfo": {"targetId": target_id}},
    )


def test_replies_find_their_commands_in_any_order() -> None:
    mux = Multiplexer()
    first, second = send(mux), send(mux, PAGE)
    assert say(mux, id=second.id, result={"n": 2}) == (Answered(second, {"n": 2}),)
    assert say(mux, id=first.id, result={"n": 1}) == (Answered(first, {"n": 1}),)
    assert mux.pending == ()


def test_a_refusal_carries_method_code_and_text() -> None:
    mux = Multiplexer()
    command = send(mux, method="Page.navigate")
    error = {"code": -32602, "message": "Invalid", "data": "url"}
    ((failed),) = say(mux, id=command.id, error=error)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, CallRefused)
    assert (failed.error.method, failed.error.code) == ("Page.navigate", -32602)
    assert str(failed.error) == "Page.navigate was refused (-32602): Invalid url"


def test_a_session_that_the_browser_does_not_know_is_detached() -> None:
    mux = Multiplexer()
    command = send(mux, PAGE)
    error = {"code": -32001, "message": "Session with given id not found."}
    (failed,) = say(mux, id=command.id, error=error)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, SessionDetached)


def test_a_late_reply_is_dropped() -> None:
    mux = Multiplexer()
    command = send(mux)
    mux.forget(command)
    assert say(mux, id=command.id, result={}) == ()
    assert say(mux, id=command.id, error={"code": 1, "message": ""}) == ()
    assert say(mux, id=999, result={}) == ()


def test_a_detached_session_leaves_no_waiter_and_touches_no_other() -> None:
    mux = Multiplexer()
    one, other, browser = send(mux, PAGE), send(mux, OTHER), send(mux)
    event, failed = say(mux, method="Target.detachedFromTarget", params={"sessionId": PAGE})
    assert isinstance(event, Event)
    assert isinstance(failed, Failed)
    assert failed.command == one
    assert isinstance(failed.error, SessionDetached)
    assert mux.pending == (other, browser)


@pytest.mark.parametrize(
    "crash",
    [
        {"method": "Inspector.targetCrashed", "params": {}, "sessionId": PAGE},
        {"method": "Target.targetCrashed", "params": {"targetId": "T", "status": "crashed"}},
    ],
)
def test_a_crash_fails_the_waiters_of_its_page_and_the_session_lives_on(
    crash: dict[str, Any],
) -> None:
    mux = Multiplexer()
    attach(mux, PAGE, "T")
    attach(mux, OTHER, "U")
    one, other, browser = send(mux, PAGE), send(mux, OTHER), send(mux)
    _, failed = say(mux, **crash)
    assert isinstance(failed, Failed)
    assert failed.command == one
    assert isinstance(failed.error, TargetCrashed)
    assert mux.pending == (other, browser)
    reload = send(mux, PAGE)
    assert say(mux, id=reload.id, result={}) == (Answered(reload, {}),)


@pytest.mark.parametrize(
    "params", [{}, {"sessionId": None}, {"sessionId": BROWSER}, {"targetInfo": 7}]
)
@pytest.mark.parametrize(
    "method",
    [
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Inspector.targetCrashed",
        "Target.targetCrashed",
    ],
)
def test_odd_session_events_abandon_no_browser_call(method: str, params: dict[str, Any]) -> None:
    mux = Multiplexer()
    command = send(mux)
    assert len(say(mux, method=method, params=params)) == 1
    assert mux.pending == (command,)


def test_the_end_settles_all_with_the_reason_and_an_error_of_each_own() -> None:
    mux = Multiplexer()
    commands = [send(mux), send(mux, PAGE)]
    failures = mux.end("the browser closed the pipe")
    assert [f.command for f in failures] == commands
    assert all(isinstance(f.error, ConnectionClosed) for f in failures)
    assert failures[0].error is not failures[1].error
    assert mux.end("again") == ()


STEPS = ("send page", "send other", "reply", "refuse", "forget", "detach", "crash", "end")


def walk(steps: tuple[str, ...]) -> None:
    """Play steps, and check after each that every command was settled once or still waits."""
    mux = Multiplexer()
    attach(mux, PAGE, "T")
    sent: list[Command] = []
    settled: list[Command] = []
    for step in steps:
        oldest = mux.pending[:1]
        occurrences: tuple[object, ...] = ()
        match step:
            case "send page":
                sent.append(send(mux, PAGE))
            case "send other":
                sent.append(send(mux, OTHER))
            case "reply" if oldest:
                occurrences = say(mux, id=oldest[0].id, result={})
            case "refuse" if oldest:
                occurrences = say(mux, id=oldest[0].id, error={"code": 1, "message": "m"})
            case "forget" if oldest:
                mux.forget(oldest[0])
                settled.append(oldest[0])
            case "detach":
                occurrences = say(
                    mux, method="Target.detachedFromTarget", params={"sessionId": PAGE}
                )
                assert not [c for c in mux.pending if c.session_id == PAGE]
            case "crash":
                occurrences = say(mux, method="Inspector.targetCrashed", sessionId=PAGE)
                assert not [c for c in mux.pending if c.session_id == PAGE]
            case "end":
                occurrences = mux.end("over")
                assert mux.pending == ()
        settled += [o.command for o in occurrences if isinstance(o, Answered | Failed)]
        assert sorted(c.id for c in (*settled, *mux.pending)) == [c.id for c in sent]


def test_every_walk_of_four_steps_settles_each_command_once() -> None:
    for steps in product(STEPS, repeat=4):
        walk(("send page", "send other", *steps))


@given(st.lists(st.sampled_from(STEPS), max_size=60).map(tuple))
def test_long_walks_settle_each_command_once(steps: tuple[str, ...]) -> None:
    walk(steps)
