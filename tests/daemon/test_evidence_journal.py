"""A batch of actions is one write in the journal, and a dead daemon's is told of honestly."""

from __future__ import annotations

import json
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import trio

from daemon.attempt import ActionFailed
from daemon.everyday.performer import Done
from daemon.evidence_journal import StoredBatches
from daemon.evidence_recovery import Tombstone, interrupted, recover_proofs
from daemon.store.proofs import EndedProof
from daemon.store.store import open_store
from daemon.tab import Outcome
from protocol.actions import parse_actions
from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.evidence_session import ActionOutcome, End, Moment, Phase
from protocol.messages import Abort, Status
from protocol.receipts import ActionStatus
from protocol.viewports import Viewport
from protocol.writes import State
from protocol.writes import Status as Seen
from tests.fakes.clocks import TurnedClock
from tests.fakes.disks import CountingDisk, FailingDisk
from tests.fakes.house import CLICK, OTHER, House, code_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from daemon.store.store import Store
    from protocol.actions import Action

PROOF = "ecup-" + "1" * 32
WHO = "uid:1"
SAVE: Mapping[str, object] = {"role": "button", "name": "Save"}
FILL: Mapping[str, object] = {"type": "fill", "target": SAVE, "text": "swordfish"}
SEEN = [{"type": "screenshot"}]


def actions(*wanted: Mapping[str, object]) -> Sequence[Action]:
    return parse_actions(json.dumps(wanted), viewport=Viewport(40, 30), origins=())


THREE = actions(CLICK, FILL, CLICK)


class Kept:
    """A store, and the batches of one session in it."""

    def __init__(self, store: Store, clock: TurnedClock, disk: CountingDisk) -> None:
        self.store, self.clock, self.disk = store, clock, disk
        self.batches = StoredBatches(store.journal, store.proofs, store.database.key, clock.utc_ms)

    async def row(self, sequence: int = 0) -> Any:
        return await self.store.journal.find(PROOF, f"{PROOF}:{sequence}")

    async def steps(self, sequence: int = 0) -> list[tuple[int, str]]:
        row = await self.row(sequence)
        steps = await self.store.journal.steps(row.number)
        return [(step.place, step.outcome.value) for step in steps]


def make_private(directory: Path) -> None:
    directory.mkdir(mode=0o700, exist_ok=True)


@asynccontextmanager
async def opened(
    directory: Path, clock: TurnedClock | None = None, disk: CountingDisk | None = None
) -> AsyncIterator[Kept]:
    make_private(directory)
    now, disk = clock or TurnedClock(), disk or CountingDisk()
    async with open_store(directory, now, retention_days=30, disk=disk) as store:
        yield Kept(store, now, disk)


# --- one batch -----------------------------------------------------------------------


async def test_a_batch_is_one_grant_its_progress_and_one_completion(tmp_path: Path) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, ["https://a.example"])
        before = kept.disk.syncs
        async with kept.batches.batch(PROOF, 0, THREE) as progress:
            assert kept.disk.syncs == before + 1
            assert (await kept.row()).state is State.GRANTED
            for place in range(3):
                await progress.start(place)
                assert (await kept.steps())[-1] == (place, "started")
                progress.end(place, ActionStatus.OK)
            assert kept.disk.syncs == before + 1
        assert kept.disk.syncs == before + 2
        row = await kept.row()
        assert (row.state, row.type, row.size) == (State.COMPLETED, "actions", 3)
        assert await kept.steps() == [(0, "done"), (1, "done"), (2, "done")]


async def test_a_batch_without_input_costs_no_sync(tmp_path: Path) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        before = kept.disk.syncs
        async with kept.batches.batch(PROOF, 0, actions(*SEEN)) as progress:
            await progress.start(0)
        assert kept.disk.syncs == before
        assert (await kept.row()).state is State.COMPLETED


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (ActionFailed(1, THREE[1], "covered", ActionOutcome.FAILED), State.COMPLETED),
        (ActionFailed(1, THREE[1], "gone", ActionOutcome.UNKNOWN), State.UNKNOWN),
        (ValueError(), State.UNKNOWN),
    ],
)
async def test_how_a_batch_broke_is_how_it_ended(
    tmp_path: Path, error: Exception, state: State
) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        with pytest.raises(type(error)):
            await break_batch(kept, error)
        assert (await kept.row()).state is state


async def break_batch(kept: Kept, error: Exception) -> None:
    async with kept.batches.batch(PROOF, 0, THREE) as progress:
        await progress.start(0)
        raise error


async def test_a_cancelled_batch_is_not_left_granted(tmp_path: Path) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        with trio.move_on_after(0.05):
            async with kept.batches.batch(PROOF, 0, THREE):
                await trio.sleep_forever()
        assert (await kept.row()).state is State.UNKNOWN


async def test_nothing_typed_is_in_the_database(tmp_path: Path) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        async with kept.batches.batch(PROOF, 0, THREE) as progress:
            await progress.start(1)
    everything = b"".join(path.read_bytes() for path in (tmp_path / "store").iterdir())
    assert PROOF.encode() in everything
    assert b"swordfish" not in everything


@pytest.mark.parametrize(("step", "state"), [(1, State.NOT_STARTED), (2, State.UNKNOWN)])
async def test_a_batch_that_the_disk_did_not_take_has_its_end_when_it_does(
    tmp_path: Path, step: int, state: State
) -> None:
    disk = FailingDisk()
    async with opened(tmp_path / "store", disk=disk) as kept:
        await kept.batches.begin(PROOF, WHO, [])
        disk.broken_after = step
        with pytest.raises(Failure):
            async with kept.batches.batch(PROOF, 0, THREE):
                pass
        assert (await kept.row()).state is state
        disk.broken, disk.broken_after = "", None
        assert (await kept.row()).state is state
    async with opened(tmp_path / "store") as kept:
        assert (await kept.row()).state is state


async def test_evidence_sessions_are_none_of_the_everyday_ones(tmp_path: Path) -> None:
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        assert await kept.store.sessions.list_of(WHO) == []
        assert await kept.store.sessions.find(PROOF) is None


# --- after the daemon ----------------------------------------------------------------


async def die_at(tmp_path: Path, place: int | None) -> Path:
    """Leave what a daemon leaves that is killed in an action (or before it), as a copy."""
    left = tmp_path / "left"
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        async with kept.batches.batch(PROOF, 0, THREE) as progress:
            for begun in range(0 if place is None else place + 1):
                await progress.start(begun)
                if begun != place:
                    progress.end(begun, ActionStatus.OK)
            shutil.copytree(tmp_path / "store", left, ignore=shutil.ignore_patterns("*-shm"))
    return left


def write_record(root: Path, *events: Mapping[str, object]) -> Path:
    home = root / PROOF
    home.mkdir(parents=True)
    record = home / "attempt.jsonl"
    record.write_text("".join(json.dumps(event) + "\n" for event in events) + '{"event":"act')
    return record


BEGUN: Mapping[str, object] = {"event": "begun", "binding": {"attemptId": "try-1"}}


@pytest.mark.parametrize("place", [None, 0, 2])
async def test_a_dead_daemons_batch_is_unknown_and_its_action_named(
    tmp_path: Path, place: int | None
) -> None:
    left = await die_at(tmp_path, place)
    record = write_record(tmp_path / "evidence", BEGUN)
    async with opened(left) as kept:
        row = await kept.store.journal.find(PROOF, f"{PROOF}:0")
        assert row is not None
        assert row.state is State.UNKNOWN
        [tomb] = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
        now = Moment(kept.clock.boot_s(), kept.clock.utc_ms() / 1000)
        for request in (Status(PROOF), Abort(PROOF, 0)):
            with pytest.raises(Failure) as caught:
                tomb.answer(WHO, request, now)
            body: Any = caught.value.body()
            assert (body["code"], body["phase"]) == ("external-proof-closed", "failed")
            assert (body["endedDuring"], body["actionIndex"]) == ("stage", place)
            assert body["actionOutcome"] == (None if place is None else "unknown")
            assert body["reason"].startswith("the daemon was killed")
        with pytest.raises(Failure, match="no such session"):
            tomb.answer("uid:1/client:other", Status(PROOF), now)
        with pytest.raises(Failure, match="no such session"):
            tomb.answer(WHO, Status(PROOF), now.after(3600))

    ended = json.loads(record.read_text().splitlines()[-1])
    assert ended == {"event": "ended", **tomb.summary}
    assert (ended["attemptId"], ended["actionIndex"]) == ("try-1", place)
    async with opened(left) as kept:  # the next start finds the same, and adds nothing
        [again] = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
        assert again.summary == tomb.summary
    assert record.read_text().count('"ended"') == 1


@pytest.mark.parametrize(
    ("events", "during", "receipt"),
    [
        ([], "setup", None),
        (["begun"], "stage", None),
        (["begun", "action"], "stage", None),
        (["begun", "action", "frozen"], "frozen", None),
        (["begun", "frozen", "observed"], "observed", None),
        (["begun", "frozen", "observed", "finished"], "finished", "ecup-receipt:1"),
        (["begun", "frozen", "ended"], "frozen", None),
    ],
)
def test_where_a_dead_session_stood_is_what_its_record_says_last(
    events: list[str], during: str, receipt: str | None
) -> None:
    ended = EndedProof(PROOF, WHO, 1, 2, None)
    told = interrupted(ended, [{"event": each, "receiptId": receipt} for each in events])
    assert (told["endedDuring"], told["receiptId"]) == (during, receipt)
    assert (told["phase"], told["actionIndex"], told["actionOutcome"]) == ("failed", None, None)


async def test_a_record_that_is_no_file_of_ours_is_not_read(tmp_path: Path) -> None:
    left = await die_at(tmp_path, 0)
    elsewhere = write_record(tmp_path / "elsewhere", BEGUN)
    home = tmp_path / "evidence" / PROOF
    home.mkdir(parents=True)
    (home / "attempt.jsonl").symlink_to(elsewhere)
    before = elsewhere.read_text()
    async with opened(left) as kept:
        [tomb] = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
    assert (tomb.summary["attemptId"], tomb.summary["endedDuring"]) == (None, "setup")
    assert elsewhere.read_text() == before


async def test_a_session_that_ended_in_order_answers_so_after_a_start(tmp_path: Path) -> None:
    at = Moment(1.0, 1.0)
    async with opened(tmp_path / "store") as kept:
        await kept.batches.begin(PROOF, WHO, [])
        await kept.batches.end(PROOF, End(Phase.EXPIRED, Phase.FROZEN, "its 45 s", None, at))
    summary = {"phase": "expired", "endedDuring": "frozen", "reason": "its 45 s have run out"}
    home = tmp_path / "evidence" / PROOF
    home.mkdir(parents=True)
    event = {"event": "ended", **summary, "actionIndex": None, "cleanup": "pending"}
    (home / "attempt.jsonl").write_text(json.dumps(event) + "\n")
    async with opened(tmp_path / "store") as kept:
        [tomb] = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
        now = Moment(kept.clock.boot_s(), kept.clock.utc_ms() / 1000)
        with pytest.raises(Failure) as caught:
            tomb.answer(WHO, Status(PROOF), now)
    assert caught.value.code == "external-proof-expired"
    assert tomb.summary["cleanup"] == "done"


async def test_an_hour_after_its_end_nobody_remembers(tmp_path: Path) -> None:
    left, clock = await die_at(tmp_path, 0), TurnedClock()
    async with opened(left, clock) as kept:
        await clock.turn(3600.001)
        assert await recover_proofs(kept.store.proofs, tmp_path / "evidence", clock) == []


async def test_tombstones_are_listed_and_answer_at_the_doors(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    left = await die_at(tmp_path, 1)
    house = House(nursery, tmp_path)
    async with opened(left) as kept:
        tombs = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
    house.sessions.remember(tombs)
    assert (await house.summary(PROOF))["actionIndex"] == 1
    assert await code_of(house.status(PROOF)) == "closed"
    assert await code_of(house.status(PROOF, OTHER)) == "not-found"
    assert await code_of(house.call("session.state", proof_id=PROOF)) == "closed"
    assert await code_of(house.op("abort", PROOF, 0)) == "closed"
    assert (await house.call("session.list", OTHER))["sessions"] == []
    frame = house.call("session.frame", proof_id=PROOF, sha256="0" * 64)
    assert await code_of(frame) == "frame"
    await house.clock.turn(3601)
    assert await code_of(house.status(PROOF)) == "not-found"


async def test_the_sessions_of_an_earlier_daemon_are_listed_last_and_the_newest_first(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    left = await die_at(tmp_path, 1)
    house = House(nursery, tmp_path)
    async with opened(left) as kept:
        [tomb] = await recover_proofs(kept.store.proofs, tmp_path / "evidence", kept.clock)
    first = {**tomb.summary, "proofId": "ecup-first", "startedAt": "2001-01-01T00:00:00.000Z"}
    # the one that began first ended last
    house.sessions.remember([tomb, Tombstone("ecup-first", tomb.state, first)])
    later = (await house.begin())["proofId"]
    listed = (await house.call("session.list"))["sessions"]
    assert [one["proofId"] for one in listed] == [later, PROOF, "ecup-first"]


# --- in a session ----------------------------------------------------------------------


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path)


async def test_every_action_is_on_record_before_it_runs(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    await house.act(proof_id, 0, CLICK, {"type": "screenshot"})
    await house.op("abort", proof_id, 1)
    assert [line[0] for line in house.journal.lines] == [
        "begun", "granted", "started", "injected", "started", "ok", "completed", "ended",
    ]  # fmt: skip


async def test_what_cannot_be_recorded_is_not_done(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.journal.broken = True
    assert await code_of(house.act(proof_id, 0)) == "frame"
    assert [kind for kind, *_ in house.tab.inputs] == ["navigate"]
    assert await code_of(house.status(proof_id)) == "closed"
    assert house.held() == (0, 0, 0, 0)


async def test_a_lost_page_leaves_the_action_unknown_a_failed_one_does_not(house: House) -> None:
    for outcome, known in ((Outcome(ActionStatus.FAILED, "no"), "failed"), (None, "unknown")):
        proof_id = (await house.begin())["proofId"]
        house.tab.outcomes = {} if outcome is None else {"move": outcome}
        if outcome is None:
            house.tab.hands.lost = True
        move = {"type": "move_mouse", "x": 1, "y": 1}
        lost = {"type": "hover", "target": SAVE}
        with pytest.raises(Failure) as caught:
            await house.act(proof_id, 0, CLICK, move if outcome else lost)
        body: Any = caught.value.body()
        assert (body["actionIndex"], body["actionOutcome"]) == (1, known)
        with pytest.raises(Failure) as caught:
            await house.status(proof_id)
        body = caught.value.body()
        assert (body["actionIndex"], body["actionOutcome"]) == (1, known)


# --- actions on elements -----------------------------------------------------------------


async def test_an_action_on_an_element_is_recorded_without_what_was_typed(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    reply = await house.act(proof_id, 0, FILL, {"type": "double_click", "target": SAVE})
    assert [one["status"] for one in reply["understudy"]["actions"]] == ["ok", "ok"]
    assert [write.type for write in house.tab.hands.inputs] == ["fill", "click"]
    events = [event for event in house.events(proof_id) if event["event"] == "action"]
    assert [event["action"] for event in events] == [
        {"type": "fill", "target": SAVE},
        {"type": "double_click", "target": SAVE, "button": "left"},
    ]
    assert all(event["input"] for event in events)
    assert "swordfish" not in json.dumps(house.events(proof_id)) + json.dumps(reply)


@pytest.mark.parametrize(
    "arrange",
    [
        lambda hands: hands.refusals.update(fill=CommandFailed("covered", "It is covered")),
        lambda hands: hands.ends.update(fill=Done(Seen.FAILED, "mismatch", "It is covered")),
    ],
)
async def test_an_element_that_cannot_be_acted_on_ends_the_session(
    house: House, arrange: Any
) -> None:
    proof_id = (await house.begin())["proofId"]
    arrange(house.tab.hands)
    with pytest.raises(Failure, match=r"Action 1 \(fill\) failed: It is covered") as caught:
        await house.act(proof_id, 0, CLICK, FILL, CLICK)
    body: Any = caught.value.body()
    assert (body["actionIndex"], body["actionOutcome"]) == (1, "failed")
    assert house.tab.inputs[1:] == [("click", 3, 4, "left", 1)]


async def test_a_write_that_opened_a_dialog_was_injected(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    house.tab.hands.opens_dialog.add("fill")
    reply = await house.act(proof_id, 0, FILL)
    assert reply["understudy"]["actions"][0]["status"] == "injected"
