"""How sessions end: by their clocks, by abort, by what breaks; and that nothing stays behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from daemon.tab import Outcome
from daemon.workspaces import Cleanup
from protocol.errors import Failure, proof_failure
from protocol.receipts import ActionStatus
from tests.fakes.house import CLICK, PRE, House, MemoryStore, code_of

if TYPE_CHECKING:
    from pathlib import Path

    from daemon.tab import Picture

NOTHING = (0, 0, 0, 0)


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path)


async def settled() -> None:
    await trio.testing.wait_all_tasks_blocked(0.05)


# --- clocks ------------------------------------------------------------------------


async def test_the_stage_expires_without_a_caller(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.clock.turn(179.9)
    assert house.held() == (1, 1, 1, 1)
    await house.clock.turn(0.1)
    await settled()
    assert house.held() == NOTHING
    with pytest.raises(Failure) as caught:
        await house.status(proof_id)
    assert caught.value.code == "external-proof-expired"
    assert house.events(proof_id)[-1]["phase"] == "expired"


async def test_the_frozen_phase_has_45_seconds_until_close(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.clock.turn(170)
    await house.op("freeze", proof_id, 0)
    await house.clock.turn(30)
    observed = await house.op("observe", proof_id, 1, pre_observation_sha256=PRE)
    sha256 = observed["frame"]["sha256"]
    await house.op("finish", proof_id, 2, observation_sha256=sha256, claims_json="{}")
    await house.clock.turn(14.9)
    assert (await house.status(proof_id))["phase"] == "finished"
    await house.clock.turn(0.1)
    await settled()
    assert house.held() == NOTHING
    assert await code_of(house.op("close", proof_id, 3)) == "expired"


async def test_set_up_counts_and_neither_clock_restarts(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    for sequence in range(17):
        await house.clock.turn(10)
        await house.act(proof_id, sequence)
    await house.clock.turn(10)
    await settled()
    assert await code_of(house.act(proof_id, 17)) == "expired"


async def test_a_wall_clock_that_is_set_forward_expires_too(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.clock.turn(5, wall_s=180)
    await settled()
    assert house.held() == NOTHING
    assert await code_of(house.status(proof_id)) == "expired"


async def test_a_wall_clock_that_is_set_back_gains_nothing_and_proves_nothing(
    house: House,
) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.clock.turn(5, wall_s=-3600)
    assert await code_of(house.op("freeze", proof_id, 0)) == "clock"
    assert house.held() == NOTHING
    assert await code_of(house.status(proof_id)) == "closed"


async def test_a_set_up_that_takes_too_long(house: House, nursery: trio.Nursery) -> None:
    house.chromium.launch_gate = trio.Event()
    codes: list[str] = []

    async def begin() -> None:
        codes.append(await code_of(house.begin()))

    nursery.start_soon(begin)
    await settled()
    await house.clock.turn(19.9)
    assert (codes, house.held()) == ([], (1, 1, 1, 0))
    await house.clock.turn(0.1)
    await settled()
    assert (codes, house.held()) == (["setup-timeout"], NOTHING)


async def test_an_operation_is_stopped_when_time_runs_out(
    house: House, nursery: trio.Nursery
) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.gate = trio.Event()
    codes: list[str] = []

    async def act() -> None:
        codes.append(await code_of(house.act(proof_id, 0, CLICK, CLICK)))

    nursery.start_soon(act)
    await settled()
    await house.clock.turn(180)
    await settled()
    assert (codes, house.held()) == (["expired"], NOTHING)
    assert house.tab.inputs[1:] == [("click", 3, 4, "left", 1)]


async def test_a_tombstone_lasts_an_hour(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.op("abort", proof_id, 0)
    await house.clock.turn(3599)
    assert await code_of(house.status(proof_id)) == "closed"
    await house.clock.turn(1)
    assert await code_of(house.status(proof_id)) == "not-found"
    assert (await house.call("session.list"))["sessions"] == []
    assert house.events(proof_id)[-1]["event"] == "ended"


# --- abort ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "sequence"), [("stage", 0), ("frozen", 1), ("observed", 2), ("finished", 3)]
)
async def test_abort_in_every_phase(house: House, phase: str, sequence: int) -> None:
    proof_id = (await house.reach(phase))["proofId"]
    reply = await house.op("abort", proof_id, sequence)
    assert reply == {
        "ok": True,
        "profile": "intendant-external-cu-proof-v1",
        "proofId": proof_id,
        "sequence": sequence + 1,
        "closed": True,
        "aborted": True,
        "cleanupComplete": True,
        "receiptId": None,
    }
    assert house.held() == NOTHING
    with pytest.raises(Failure) as caught:
        await house.status(proof_id)
    body = caught.value.body()
    assert body["code"] == "external-proof-closed"
    assert (body["phase"], body["endedDuring"]) == ("aborted", phase)  # type: ignore[typeddict-item]


@pytest.mark.parametrize("sequence", [0, 1])
async def test_abort_interrupts_what_runs(
    house: House, nursery: trio.Nursery, sequence: int
) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.gate = trio.Event()
    codes: list[str] = []

    async def act() -> None:
        codes.append(await code_of(house.act(proof_id, 0, CLICK, CLICK)))

    nursery.start_soon(act)
    await settled()
    status = await house.status(proof_id)
    assert (status["sequence"], status["phase"]) == (0, "stage")
    assert await code_of(house.act(proof_id, 0)) == "busy"
    assert await code_of(house.op("abort", proof_id, 2)) == "sequence"
    reply = await house.op("abort", proof_id, sequence)
    await settled()
    assert (reply["aborted"], reply["sequence"]) == (True, 2)
    assert codes == ["closed"]
    assert house.held() == NOTHING
    assert house.tab.inputs[1:] == [("click", 3, 4, "left", 1)]


async def test_abort_during_set_up(house: House, nursery: trio.Nursery) -> None:
    house.chromium.launch_gate = trio.Event()
    codes: list[str] = []

    async def begin() -> None:
        codes.append(await code_of(house.begin()))

    nursery.start_soon(begin)
    await settled()
    (listed,) = (await house.call("session.list"))["sessions"]
    status = await house.status(listed["proofId"])
    assert (status["phase"], status["frame"], status["binding"]) == ("setup", None, None)
    await house.op("abort", listed["proofId"], 0)
    await settled()
    assert (codes, house.held()) == (["closed"], NOTHING)


# --- what breaks ---------------------------------------------------------------------


async def test_a_failed_action_ends_the_session_and_is_named(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.outcomes["type"] = Outcome(ActionStatus.FAILED, "it has 3 characters instead of 5")
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 0, CLICK, {"type": "type", "text": "hello"}, CLICK)
    body = caught.value.body()
    assert body["code"] == "external-proof-action-failed"
    assert body["actionIndex"] == 1  # type: ignore[typeddict-item]
    assert "Action 1 (type) failed: it has 3 characters instead of 5" in body["message"]
    assert house.held() == NOTHING
    assert [one[0] for one in house.tab.inputs] == ["navigate", "click", "type"]
    with pytest.raises(Failure) as ended:
        await house.status(proof_id)
    told = ended.value.body()
    assert told["code"] == "external-proof-closed"
    assert (told["phase"], told["actionIndex"]) == ("failed", 1)  # type: ignore[typeddict-item]
    statuses = [one.get("status") for one in house.events(proof_id)]
    assert statuses == [None, "injected", "failed", None]


async def test_a_browser_that_dies_while_nothing_runs(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.lose("the browser ended")
    await settled()
    assert house.held() == NOTHING
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 0)
    assert caught.value.code == "external-proof-closed"
    assert "the browser ended" in caught.value.message


@pytest.mark.parametrize("phase", ["frozen", "observed", "finished"])
async def test_a_browser_that_dies_later(house: House, phase: str) -> None:
    proof_id = (await house.reach(phase))["proofId"]
    house.tab.lose("the browser ended")
    await settled()
    assert house.held() == NOTHING
    with pytest.raises(Failure) as caught:
        await house.op("close", proof_id, 3)
    body: Any = caught.value.body()
    receipt = json.loads(house.store.receipts.get(proof_id, b'{"receiptId":null}'))
    assert body["code"] == "external-proof-closed"
    assert body["receiptId"] == receipt["receiptId"]
    assert (body["receiptId"] is not None) is (phase == "finished")


async def test_a_record_tells_of_a_receipt_only_once_it_is_kept(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    store = MemoryStore(writes=8)  # the ninth is the receipt
    house = House(nursery, tmp_path, store=store)
    with pytest.raises(Failure, match="the receipt could not be kept"):
        await run_to_finish(house)
    [events] = store.events.values()
    assert (store.receipts, [one["event"] for one in events][-1]) == ({}, "observed")


async def test_a_browser_that_dies_in_an_action(house: House, nursery: trio.Nursery) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.gate = trio.Event()
    codes: list[str] = []

    async def act() -> None:
        codes.append(await code_of(house.act(proof_id, 0)))

    nursery.start_soon(act)
    await settled()
    house.tab.lose("the browser ended")
    house.tab.gate.set()
    await settled()
    assert codes[0] in {"action-failed", "closed"}
    assert house.held() == NOTHING


@pytest.mark.parametrize("how", ["abort", "loss", "time"])
async def test_an_end_in_an_action_names_it_in_every_record(
    house: House, nursery: trio.Nursery, how: str
) -> None:
    proof_id = (await house.begin())["proofId"]
    bodies: list[Any] = []

    async def act() -> None:
        with pytest.raises(Failure) as caught:
            await house.act(proof_id, 0, CLICK, {"type": "wait", "ms": 5000}, CLICK)
        bodies.append(caught.value.body())

    nursery.start_soon(act)
    await settled()
    if how == "abort":
        await house.op("abort", proof_id, 0)
    elif how == "loss":
        house.tab.lose("the browser ended")
    else:
        await house.clock.turn(180)
    await settled()
    with pytest.raises(Failure) as ended:
        await house.status(proof_id)
    bodies.append(ended.value.body())
    records = [*bodies, await house.summary(proof_id), house.events(proof_id)[-1]]
    assert len(records) == 4
    for record in records:
        assert (record["endedDuring"], record["actionIndex"]) == ("stage", 1)
        assert record["actionOutcome"] == "unknown"
        assert "outcome is unknown, action 0 was done" in record["reason"]
    assert house.journal.lines[-2:] == [("unknown", 0), ("ended", bodies[1]["phase"])]


async def test_a_frame_that_cannot_be_taken_leaves_its_action_unknown(house: House) -> None:
    proof_id = (await house.begin())["proofId"]

    async def broken() -> Picture:
        raise proof_failure("frame", "The picture is none", "Begin a new attempt.")

    house.tab.capture = broken  # type: ignore[method-assign]
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 0)
    body: Any = caught.value.body()
    assert (body["code"], body["actionIndex"]) == ("external-proof-frame", 0)
    assert body["actionOutcome"] == "unknown"


async def run_to_finish(house: House) -> str:
    """Run a whole session, which is ten writes; its proof id."""
    proof_id = str((await house.begin())["proofId"])
    await house.act(proof_id, 0, CLICK)
    await house.op("freeze", proof_id, 1)
    observed = await house.op("observe", proof_id, 2, pre_observation_sha256=PRE)
    sha256 = observed["frame"]["sha256"]
    await house.op("finish", proof_id, 3, observation_sha256=sha256, claims_json="{}")
    return proof_id


@pytest.mark.parametrize("writes", range(10))
async def test_a_disk_that_fails_at_each_write(
    nursery: trio.Nursery, tmp_path: Path, writes: int
) -> None:
    house = House(nursery, tmp_path, store=MemoryStore(writes=writes))
    with pytest.raises(Failure) as caught:
        await run_to_finish(house)
    assert caught.value.code == "external-proof-frame"
    assert "No space left on device" in caught.value.message
    assert house.held() == NOTHING
    (listed,) = (await house.call("session.list"))["sessions"]
    assert (listed["phase"], listed["receiptId"]) == ("failed", None)


async def test_a_disk_that_fails_at_the_last_event_spoils_nothing(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    house = House(nursery, tmp_path, store=MemoryStore(writes=10))
    proof_id = await run_to_finish(house)
    assert (await house.op("close", proof_id, 4))["cleanupComplete"] is True
    assert isinstance(house.store, MemoryStore)
    assert list(house.store.receipts) == [proof_id]


async def test_a_fault_of_ours_ends_the_session_and_not_the_daemon(house: House) -> None:
    proof_id = (await house.begin())["proofId"]

    async def broken(*_: object, **__: object) -> Outcome:
        raise ZeroDivisionError

    house.tab.click = broken  # type: ignore[method-assign]
    assert await code_of(house.act(proof_id, 0)) == "internal"
    assert house.held() == NOTHING
    await house.begin("b")


async def test_a_batch_has_25_seconds_and_its_own_waits(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    proof_id = (await house.begin())["proofId"]
    waits = [{"type": "wait", "ms": 5000}] * 7
    await house.act(proof_id, 0, *waits)
    house.tab.gate = trio.Event()
    began_s = trio.current_time()
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 1, waits[0], CLICK, CLICK)
    assert caught.value.code == "external-proof-action-failed"
    assert (
        "Action 1 (click) has an unknown outcome: the batch ran out of time" in caught.value.message
    )
    assert trio.current_time() - began_s == pytest.approx(30, abs=1)
    assert house.held() == NOTHING


# --- dialogs -------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["frozen", "observed", "finished"])
async def test_a_dialog_after_freeze_fails_the_session(house: House, phase: str) -> None:
    proof_id = (await house.reach(phase))["proofId"]
    house.tab.dialog_open.set()
    await settled()
    assert house.held() == NOTHING
    summary = await house.summary(proof_id)
    assert summary["phase"] == "failed"
    assert "dialog" in summary["reason"]


async def test_a_dialog_that_stands_at_freeze_fails_it(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.dialog_open.set()
    await settled()
    assert (await house.status(proof_id))["phase"] == "stage"
    with pytest.raises(Failure, match="dialog"):
        await house.op("freeze", proof_id, 0)
    assert house.held() == NOTHING


# --- capacity and cleanup --------------------------------------------------------------


async def test_eight_at_once_and_the_ninth_is_busy(house: House) -> None:
    proofs = [(await house.begin(f"a{number}"))["proofId"] for number in range(8)]
    assert await code_of(house.begin("a8")) == "busy"
    assert house.held() == (8, 8, 8, 8)
    await house.op("abort", proofs[3], 0)
    await house.begin("a8")
    del proofs[3]
    displays = {(await house.status(proof))["binding"]["displayId"] for proof in proofs}
    assert len(displays) == 7


async def test_begins_at_the_same_time_are_counted(house: House, nursery: trio.Nursery) -> None:
    house.chromium.launch_gate = trio.Event()
    ends: list[str] = []

    async def begin(number: int) -> None:
        try:
            await house.begin(f"a{number}")
            ends.append("begun")
        except Failure as failure:
            ends.append(failure.code)

    for number in range(12):
        nursery.start_soon(begin, number)
    await settled()
    assert ends == ["external-proof-busy"] * 4
    house.chromium.launch_gate.set()
    await settled()
    assert ends.count("begun") == 8


async def test_an_attempt_is_in_one_session(house: House) -> None:
    proof_id = (await house.begin("a"))["proofId"]
    assert await code_of(house.begin("a")) == "busy"
    await house.op("abort", proof_id, 0)
    await house.begin("a")


async def test_a_cleanup_that_takes_longer_blocks_nobody(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    finished = await house.reach("finished")
    proof_id = finished["proofId"]
    house.chromium.cleanup_failures = 3
    with pytest.raises(Failure) as caught:
        await house.op("close", proof_id, 3)
    assert caught.value.code == "external-proof-cleanup-pending"
    assert house.held() == NOTHING
    assert (await house.summary(proof_id))["phase"] == "closed"
    assert await code_of(house.op("close", proof_id, 4)) == "cleanup-pending"
    await house.begin("b")
    await trio.sleep(60)
    summary = await house.summary(proof_id)
    assert summary["cleanup"] == Cleanup.DONE
    assert summary["receiptId"] == finished["receipt"]["receiptId"]
    assert await code_of(house.op("close", proof_id, 4)) == "closed"


async def test_a_cleanup_that_never_works_is_said(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    proof_id = (await house.begin())["proofId"]
    house.chromium.cleanup_failures = 10**6
    assert await code_of(house.op("abort", proof_id, 0)) == "cleanup-pending"
    await trio.sleep(600)
    assert await code_of(house.op("abort", proof_id, 1)) == "cleanup-failed"
    assert await code_of(house.status(proof_id)) == "closed"
    house.chromium.cleanup_failures = 0
    await house.begin("b")


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Failure("browser_unavailable", "none", "install one"), "browser_unavailable"),
        (ZeroDivisionError(), "internal"),
    ],
)
async def test_a_launch_that_fails(house: House, failure: Exception, code: str) -> None:
    house.chromium.launch_failure = failure
    assert await code_of(house.begin()) == code
    assert house.held() == NOTHING
    house.chromium.launch_failure = None
    await house.begin()


async def test_a_first_page_that_does_not_load(house: House) -> None:
    house.chromium.outcomes["navigate"] = Outcome(ActionStatus.FAILED, "net::ERR_FAILED")
    assert await code_of(house.begin()) == "action-failed"
    assert house.held() == NOTHING


# --- callers and the daemon --------------------------------------------------------------


async def test_a_caller_that_goes_away_stops_nothing(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.gate = trio.Event()
    with trio.move_on_after(0.05) as scope:
        await house.act(proof_id, 0)
    assert scope.cancelled_caught
    house.tab.gate.set()
    await settled()
    assert (await house.status(proof_id))["sequence"] == 1
    await house.act(proof_id, 1)


async def test_a_begin_whose_caller_goes_away_expires_by_itself(house: House) -> None:
    house.chromium.launch_gate = trio.Event()
    with trio.move_on_after(0.05) as scope:
        await house.begin()
    assert scope.cancelled_caught
    house.chromium.launch_gate.set()
    await settled()
    assert house.held() == (1, 1, 1, 1)
    await house.clock.turn(180)
    await settled()
    assert house.held() == NOTHING


async def test_the_daemon_stops(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        house = House(nursery, tmp_path)
        proof_id = (await house.begin())["proofId"]
        house.tab.gate = trio.Event()

        async def act() -> None:
            await house.act(proof_id, 0)

        nursery.start_soon(act)
        await settled()
        nursery.cancel_scope.cancel()
    assert house.held() == NOTHING
    ended = house.events(proof_id)[-1]
    assert (ended["phase"], ended["actionIndex"]) == ("failed", 0)
    assert ended["reason"].startswith("The daemon stops; action 0 of the batch was running")
