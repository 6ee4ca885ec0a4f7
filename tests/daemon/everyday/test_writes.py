"""Writes of an everyday session, from the call to the journal and the page, and back."""

from __future__ import annotations

import threading

import pytest
import trio

from daemon.everyday.performer import Done, PageFailed
from daemon.everyday.work import failure_of_done
from daemon.store.database import SystemDisk
from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.leases import LeaseState
from protocol.writes import Status
from tests.fakes.disks import CountingDisk, FailingDisk
from tests.fakes.everyday import CLICK, TITLE, open_everyday_house

BATCH = [
    {"type": "click", "target": {"css": "#a"}, "id": "first"},
    {"type": "fill", "target": {"css": "#b"}, "text": "x"},
    {"type": "read", "what": "title"},
]


async def failure_of(call):
    with pytest.raises(Failure) as caught:
        await call
    return caught.value


async def until(condition):
    with trio.fail_after(5):
        while not condition():  # noqa: ASYNC110 - what is waited for sends no event
            await trio.sleep(0.005)


async def test_a_click_is_done_once_and_journaled(house):
    session = await house.open()
    reply = await house.run(session)
    assert (reply["outcome"], reply["status"], reply["replayed"]) == ("completed", "ok", False)
    assert reply["page"] == {"url": "about:blank", "title": "a page", "loaderId": "L1"}
    assert len(house.page.inputs) == 1
    (logged,) = (await house.call("session.log", session_id=session))["commands"]
    assert (logged["commandId"], logged["state"], logged["status"]) == ("c1", "completed", "ok")
    assert (await house.poll())["state"] == "completed"


async def test_the_same_id_answers_again_and_does_nothing(house):
    session = await house.open()
    first = await house.run(session)
    again = await house.run(session)
    assert again == {**first, "replayed": True}
    conflict = await failure_of(house.run(session, command=TITLE))
    dry = await failure_of(house.run(session, dry_run=True))
    assert [conflict.code, dry.code] == ["command_id_conflict"] * 2
    assert len(house.page.inputs) == 1


async def test_two_sendings_of_one_id_at_once_are_one_command(house):
    session = await house.open()
    house.page.gates["click"] = trio.Event()
    replies = []

    async def send():
        replies.append(await house.run(session))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        nursery.start_soon(send)
        await until(lambda: house.page.inputs)
        assert (await failure_of(house.run(session, command=TITLE))).code == "command_id_conflict"
        assert (await house.poll())["state"] == "granted"
        house.page.gates["click"].set()
    assert replies[0] == replies[1]
    assert len(house.page.inputs) == 1


async def test_what_pre_flight_refuses_is_definite_and_sends_nothing(house):
    session = await house.open()
    house.page.refusals["click"] = CommandFailed("covered", "It is covered", seen=["div"])
    failure = await failure_of(house.run(session))
    body = failure.body()
    assert (body["code"], body["outcome"], body["seen"]) == ("covered", "completed", ["div"])
    assert (body["commandId"], body["sessionId"]) == ("c1", session)
    assert house.page.inputs == []
    again = await failure_of(house.run(session))
    assert (again.code, again.body()["replayed"]) == ("covered", True)
    assert (await house.poll())["code"] == "covered"
    assert (await house.run(session, "c2", TITLE))["status"] == "ok"


class GatedDisk(SystemDisk):
    """Each durable commit waits, in the writer's thread, until it is let go."""

    def __init__(self) -> None:
        self.waiting = threading.Event()
        self.go = threading.Event()
        self.armed = False

    def commit(self, connection, *, durable):
        if durable and self.armed:
            self.waiting.set()
            assert self.go.wait(5)
        super().commit(connection, durable=durable)


async def open_recorded(house):
    """Begin a session and wait until the store knows that it has its tab."""
    session = await house.open()
    for _ in range(1000):
        if (await house.store.sessions.find(session)).state is LeaseState.CONNECTED:
            return session
        await trio.sleep(0.005)
    raise AssertionError("it was not recorded")


async def test_checks_run_while_the_grant_syncs_and_input_waits_for_both(tmp_path):
    disk = GatedDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house, trio.open_nursery() as nursery:
        session = await open_recorded(house)
        disk.armed = True
        nursery.start_soon(house.run, session)
        await until(lambda: disk.waiting.is_set() and house.page.asked == ["click"])
        await trio.sleep(0.05)
        assert house.page.inputs == []
        disk.armed = False
        disk.go.set()
        await until(lambda: house.page.inputs)


async def test_a_write_and_a_batch_cost_two_syncs_and_a_read_none(tmp_path):
    disk = CountingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house:
        session = await open_recorded(house)
        counts = []
        for send in (
            lambda: house.run(session, "c1"),
            lambda: house.run(session, "c2", TITLE),
            lambda: house.run(session, "c3", dry_run=True),
            lambda: house.call(
                "command.batch", session_id=session, command_id="c4", commands=BATCH
            ),
        ):
            disk.commits.clear()
            await send()
            counts.append(disk.syncs)
        assert counts == [2, 0, 0, 2]


async def test_a_deadline_after_input_is_unknown_and_blocks_writes_until_resolved(
    house, mock_clock
):
    session = await house.open()
    house.page.gates["click"] = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_expect, "outcome_unknown", lambda: house.run(session))
        await until_real(lambda: house.page.inputs)
        mock_clock.jump(26)
    assert (await house.poll())["state"] == "unknown"
    blocked = await failure_of(house.run(session, "c2"))
    assert (blocked.code, len(house.page.inputs)) == ("outcome_unknown", 1)
    assert (await house.run(session, "c3", TITLE))["status"] == "ok"
    assert (await house.run(session, "c4", dry_run=True))["result"]["simulated"] is True
    resolved = await house.call("session.resolve", session_id=session, command_id="c1", done=True)
    assert resolved["writesBlocked"] is False
    house.page.gates.clear()
    assert (await house.run(session, "c2"))["status"] == "ok"
    judged = await failure_of(house.run(session))
    assert (judged.code, len(house.page.inputs)) == ("outcome_unknown", 2)
    assert "it was resolved as done" in judged.message
    assert "session resolve" not in judged.hint, "there is nothing left to resolve"


async def test_a_deadline_before_input_is_a_definite_failure(house, mock_clock):
    session = await house.open()
    house.page.check_gates["click"] = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_expect, "action_failed", lambda: house.run(session))
        await until_real(lambda: house.page.checking)
        mock_clock.jump(26)
    assert (await house.poll())["state"] == "completed"
    assert house.page.inputs == []
    house.page.check_gates.clear()
    assert (await house.run(session, "c2"))["status"] == "ok"


async def test_a_shorter_limit_ends_a_read_that_hangs(house, mock_clock):
    session = await house.open()
    house.page.gates["read"] = trio.Event()
    async with trio.open_nursery() as nursery:
        send = lambda: house.run(session, "c1", TITLE, timeout_s=3)  # noqa: E731
        nursery.start_soon(_expect, "timed_out", send)
        await until_real(lambda: house.page.asked)
        running = (await house.call("session.status", session_id=session))["session"]["running"]
        assert running == {"commandId": "c1", "type": "read", "seconds": 0}
        mock_clock.jump(3.1)
    assert (await house.poll())["safeToRetry"] is True
    house.page.gates.clear()
    assert (await house.run(session, "c1", TITLE))["status"] == "ok"


async def test_a_caller_that_goes_away_stops_nothing(house):
    session = await house.open()
    house.page.gates["click"] = trio.Event()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.run, session)
            await until(lambda: house.page.inputs)
            scope.cancel()
    house.page.gates["click"].set()
    assert (await house.run(session))["status"] == "ok"
    assert len(house.page.inputs) == 1


async def test_no_wait_answers_pending_and_poll_has_the_whole_reply(house):
    session = await house.open()
    house.page.gates["click"] = trio.Event()
    assert (await failure_of(house.run(session, wait_s=0))).code == "pending"
    house.page.gates["click"].set()
    reply = await house.run(session)
    assert (await house.poll())["result"] == {**reply, "replayed": False}


async def test_commands_run_in_order_and_no_more_than_64_wait(house):
    session = await house.open()
    gate = house.page.gates["click"] = trio.Event()
    order, refused = [], []

    async def send(number):
        try:
            await house.run(session, f"c{number}", {"type": "key", "keys": f"f{number % 12 + 1}"})
            order.append(number)
        except Failure as failure:
            refused.append(failure.code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.run, session, "first")
        await until(lambda: house.page.inputs)
        for number in range(66):
            nursery.start_soon(send, number)
            await trio.sleep(0.01)
        await until(lambda: len(refused) == 2)
        status = (await house.call("session.status", session_id=session))["session"]
        assert status["waiting"] == 64
        gate.set()
    assert order == list(range(64))
    assert refused == ["session_busy"] * 2
    keys = [write.keys for write in house.page.inputs[1:]]
    assert keys == [f"f{number % 12 + 1}" for number in range(64)]


async def test_a_dry_run_resolves_its_target_and_sends_nothing(house):
    session = await house.open()
    reply = await house.run(session, dry_run=True)
    assert reply["result"] == {"simulated": True, "targets": [{"state": {}}]}
    assert (house.page.inputs, house.page.asked) == ([], ["probe"])
    blank = await house.run(session, "c2", {"type": "key", "keys": "enter"}, dry_run=True)
    assert blank["result"] == {"simulated": True, "targets": []}
    assert house.page.asked == ["probe"]
    assert (await house.poll("c2"))["kind"] == "dry_run"


async def test_a_write_that_opens_a_dialog_is_done_and_says_so(house):
    session = await house.open()
    house.page.opens_dialog.add("click")
    reply = await house.run(session)
    assert (reply["status"], reply["dialog"]["type"]) == ("injected", "alert")
    refused = await failure_of(house.run(session, "c2"))
    assert (refused.code, refused.safe_to_retry) == ("dialog_open", True)
    assert refused.body()["dialog"]["type"] == "alert"
    assert (await failure_of(house.poll("c2"))).code == "not_found"
    house.page.dialog = None
    house.page.opens_dialog.clear()
    assert (await house.run(session, "c2"))["status"] == "ok"


@pytest.mark.parametrize("broken", ["full", "read-only", "at commit"])
async def test_without_its_record_nothing_is_sent(tmp_path, broken):
    disk = FailingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house:
        session = await open_recorded(house)
        disk.broken = broken
        failure = await failure_of(house.run(session))
        assert failure.code in {"store_full", "store_unwritable"}
        assert house.page.inputs == []
        disk.broken = ""
        assert (await house.run(session))["status"] == "ok"
        assert len(house.page.inputs) == 1


async def test_a_completion_that_cannot_be_recorded_is_unknown(tmp_path):
    disk = FailingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house, trio.open_nursery() as nursery:
        session = await house.open()
        house.page.gates["click"] = trio.Event()
        nursery.start_soon(_expect, "outcome_unknown", lambda: house.run(session))
        await until(lambda: house.page.inputs)
        disk.broken = "full"
        house.page.gates["click"].set()
        await trio.sleep(0.1)
        assert (await house.poll())["state"] == "unknown"
        assert (await failure_of(house.run(session))).code == "outcome_unknown"
        disk.broken = ""
        assert (await failure_of(house.run(session, "c2", CLICK))).code == "outcome_unknown"


@pytest.mark.parametrize("first", ["poll", "the same id", "resolve", "log"])
async def test_a_completion_that_was_not_recorded_is_judged_once_the_disk_takes_it(tmp_path, first):
    disk = FailingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house, trio.open_nursery() as nursery:
        session = await open_recorded(house)
        house.page.gates["click"] = trio.Event()
        nursery.start_soon(_expect, "outcome_unknown", lambda: house.run(session))
        await until(lambda: house.page.inputs)
        disk.broken = "full"
        house.page.gates["click"].set()
        await until(lambda: house.sessions._sessions[session].ticket("c1") is None)
        disk.broken = ""
        if first == "poll":
            assert (await house.poll())["state"] == "unknown"
        if first == "the same id":
            again = await failure_of(house.run(session))
            assert (again.code, again.safe_to_retry) == ("outcome_unknown", False)
        if first == "log":
            (told,) = (await house.call("session.log", session_id=session))["commands"]
            assert told["state"] == "unknown"
        judged = await house.call("session.resolve", session_id=session, command_id="c1", done=True)
        assert judged["writesBlocked"] is False
        assert (await house.poll())["resolution"] == "done"
        assert (await house.run(session, "c2"))["status"] == "ok"
        assert len(house.page.inputs) == 2


async def test_a_write_whose_end_was_not_recorded_before_its_grant_may_be_sent_again(tmp_path):
    disk = FailingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house:
        session = await open_recorded(house)
        disk.broken_after = 1
        assert (await failure_of(house.run(session))).code == "store_full"
        told = await house.poll()
        assert (told["state"], told["safeToRetry"]) == ("not_started", True)
        assert (await failure_of(house.run(session))).code == "store_full"
        assert house.page.inputs == []
        disk.broken, disk.broken_after = "", None
        assert (await house.run(session))["status"] == "ok"
        told = await house.poll()
        assert (told["state"], told["attempt"]) == ("completed", 2)
        assert len(house.page.inputs) == 1


async def until_real(condition):
    """As `until`, when trio's clock stands still."""
    for _ in range(1000):
        if condition():
            return
        await trio.to_thread.run_sync(threading.Event().wait, 0.005)
    raise AssertionError("it did not come")


async def test_a_dialog_that_hides_what_is_expected_is_no_success(house):
    session = await house.open()
    house.page.opens_dialog.add("click")
    command = {**CLICK, "expect": {"text": "Thanks"}}
    failed = await failure_of(house.run(session, "c1", command))
    assert failed.code == "expectation_failed"
    assert failed.body()["dialog"]["type"] == "alert"
    assert len(house.page.inputs) == 1


async def test_what_was_so_before_is_no_proof(house):
    session = await house.open()
    house.page.ends["click"] = Done(Status.INJECTED)
    command = {**CLICK, "expect": {"text": "Thanks"}}
    came = await house.run(session, "c1", command)
    assert (came["status"], came["result"]) == ("ok", {})
    house.page.so_before.add("wait")
    was = await house.run(session, "c2", command)
    assert (was["status"], was["result"]) == ("injected", {"expected": "it was so before"})


async def _expect(code, send):
    assert (await failure_of(send())).code == code


async def test_a_page_that_does_not_answer_its_checks_is_a_definite_failure(house):
    session = await house.open()
    house.page.refusals["click"] = PageFailed("no reply")
    failure = await failure_of(house.run(session))
    assert (failure.code, failure.body()["outcome"]) == ("action_failed", "completed")
    house.page.refusals["read"] = PageFailed("no reply")
    failure = await failure_of(house.run(session, "c2", TITLE))
    assert (failure.code, failure.safe_to_retry) == ("timed_out", True)
    house.page.refusals.clear()
    assert (await house.run(session, "c2", TITLE))["status"] == "ok"
    assert (await house.run(session, "c3"))["status"] == "ok"


async def test_what_was_waited_for_in_vain_says_which_page_it_was(house):
    session = await house.open()
    house.page.refusals["wait"] = CommandFailed("timed_out", "not so", seen=["text"])
    wait = {"type": "wait", "for": "text", "value": "x", "timeout_ms": 100}
    failure = await failure_of(house.run(session, command=wait))
    assert failure.body()["page"]["title"] == "a page"


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("net::ERR_CERT_DATE_INVALID", "certificate"),
        ("net::ERR_UNSAFE_PORT", "port"),
        ("net::ERR_CONNECTION_REFUSED", "its server answers"),
    ],
)
def test_what_to_do_about_an_address_is_told_by_why_it_did_not_load(error, hint):
    done = Done(Status.FAILED, "navigation_failed", f"the document did not load ({error})")
    assert hint in failure_of_done(done).hint


async def test_a_page_that_does_not_answer_what_was_sent_leaves_it_unknown(house):
    session = await house.open()
    house.page.falls_silent.add("click")
    assert (await failure_of(house.run(session))).code == "outcome_unknown"
    assert (await failure_of(house.run(session, "c2"))).code == "outcome_unknown"
    assert len(house.page.inputs) == 1


async def test_a_read_is_of_one_document_or_fails(house):
    session = await house.open()
    house.page.moves = ["L2", "L3"]
    reply = await house.run(session, "c1", TITLE)
    assert (reply["page"]["loaderId"], house.page.asked) == ("L3", ["read"] * 3)
    house.page.moves = ["L4", "L5", "L6"]
    assert (await failure_of(house.run(session, "c2", TITLE))).code == "not_stable"
