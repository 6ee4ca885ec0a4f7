"""Batches: one grant, one completion, and for each step how far it came."""

from __future__ import annotations

import pytest
import trio

from daemon.everyday.performer import Done
from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.writes import Status

A = {"type": "click", "target": {"css": "#a"}, "id": "first"}
B = {"type": "fill", "target": {"css": "#b"}, "text": "secret"}
LOOK = {"type": "read", "what": "title"}
C = {"type": "check", "target": {"css": "#c"}}


async def batch(house, session, *commands, command_id="b1", **more):
    return await house.call(
        "command.batch", session_id=session, command_id=command_id, commands=list(commands), **more
    )


def outcomes(reply):
    return [(step["outcome"], step["status"]) for step in reply["steps"]]


async def failure_of(call):
    with pytest.raises(Failure) as caught:
        await call
    return caught.value


async def test_steps_run_in_order_and_answer_in_order(house):
    session = await house.open()
    reply = await batch(house, session, A, B, LOOK, C)
    assert reply["status"] == "ok"
    assert outcomes(reply) == [("done", "ok")] * 4
    assert reply["steps"][0]["id"] == "first"
    assert reply["steps"][2]["result"] == {"inputs": 2}
    assert [write.type for write in house.page.inputs] == ["click", "fill", "check"]
    (logged,) = (await house.call("session.log", session_id=session))["commands"]
    # steps that only read are done on record too
    assert [step["outcome"] for step in logged["steps"]] == ["done"] * 4


async def test_the_same_batch_again_sends_nothing_and_has_the_first_results(house):
    session = await house.open()
    first = await batch(house, session, A, B)
    assert await batch(house, session, A, B) == {**first, "replayed": True}
    assert len(house.page.inputs) == 2
    other = await failure_of(batch(house, session, A, B, bail=False))
    assert other.code == "command_id_conflict"


@pytest.mark.parametrize("bail", [True, False])
async def test_a_step_that_fails_ends_the_batch_unless_told_otherwise(house, bail):
    session = await house.open()
    house.page.refusals["fill"] = CommandFailed("no_match", "No element fits", seen=["b"])
    reply = await batch(house, session, A, B, C, bail=bail)
    assert (reply["outcome"], reply["status"]) == ("completed", "failed")
    last = ("not_run", None) if bail else ("done", "ok")
    assert outcomes(reply) == [("done", "ok"), ("failed", "failed"), last]
    assert reply["steps"][1]["error"]["code"] == "no_match"
    assert reply["steps"][1]["error"]["seen"] == ["b"]
    sent = ["click"] if bail else ["click", "check"]
    assert [write.type for write in house.page.inputs] == sent
    assert (await house.poll("b1"))["code"] == "no_match"


@pytest.mark.parametrize("bail", [True, False])
async def test_a_first_step_that_fails_its_checks_is_a_step_that_failed(house, bail):
    session = await house.open()
    house.page.refusals["click"] = CommandFailed("disabled", "It is disabled")
    reply = await batch(house, session, A, B, bail=bail)
    assert outcomes(reply) == [("failed", "failed"), ("not_run", None) if bail else ("done", "ok")]
    assert [write.type for write in house.page.inputs] == ([] if bail else ["fill"])
    steps = (await house.poll("b1"))["steps"]
    assert [step["code"] for step in steps] == (["disabled"] if bail else ["disabled", None])


async def test_an_effect_that_was_not_there_is_a_failed_step(house):
    session = await house.open()
    house.page.ends["click"] = Done(Status.FAILED, "landed_elsewhere", "It landed elsewhere")
    reply = await batch(house, session, A, B)
    assert reply["steps"][0]["error"]["code"] == "landed_elsewhere"
    assert outcomes(reply)[1] == ("not_run", None)


async def test_a_dialog_ends_the_batch_with_what_was_done(house):
    session = await house.open()
    house.page.opens_dialog.add("fill")
    reply = await batch(house, session, A, B, C)
    assert outcomes(reply) == [("done", "ok"), ("done", "injected"), ("failed", "failed")]
    assert (reply["status"], reply["steps"][2]["error"]["code"]) == ("failed", "dialog_open")
    assert reply["dialog"]["type"] == "alert"
    assert len(house.page.inputs) == 2


async def test_a_dialog_that_the_last_step_opened_leaves_nothing_undone(house):
    session = await house.open()
    house.page.opens_dialog.add("fill")
    reply = await batch(house, session, A, B)
    assert outcomes(reply) == [("done", "ok"), ("done", "injected")]
    assert (reply["status"], reply["dialog"]["type"]) == ("injected", "alert")


async def test_a_batch_of_reads_is_a_read(house):
    session = await house.open()
    await batch(house, session, LOOK, LOOK)
    assert (await house.poll("b1"))["kind"] == "read"


async def test_a_tab_lost_within_a_step_makes_the_batch_unknown_and_says_which_step(house):
    session = await house.open()
    gate = house.page.gates["fill"] = trio.Event()
    page, tab = house.page, house.chromium.tabs[-1]
    failures = []

    async def send():
        failures.append(await failure_of(batch(house, session, A, B, C)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        with trio.fail_after(5):
            while len(page.inputs) < 2:  # noqa: ASYNC110 - the page sends no event
                await trio.sleep(0.005)
        tab.lose("the target was closed")
        gate.set()
    (failure,) = failures
    assert failure.code == "outcome_unknown"
    assert outcomes(failure.body()) == [("done", "ok"), ("unknown", None), ("not_run", None)]
    polled = await house.poll("b1")
    assert (polled["state"], polled["safeToRetry"]) == ("unknown", False)
    assert [step["outcome"] for step in polled["steps"]] == ["done", "started"]


@pytest.mark.parametrize(
    "commands",
    [
        [],
        [{"type": "click"}],
        [A, {"type": "paste"}],
        [{**A, "id": ""}],
        [{**A, "x": 1}],
        ["click"],
    ],
)
async def test_a_batch_with_a_bad_command_is_refused_whole(house, commands):
    session = await house.open()
    assert (await failure_of(batch(house, session, *commands))).code == "invalid_request"
    assert house.page.asked == []
