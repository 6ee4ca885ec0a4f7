"""What the start makes of what was left: by kill, by power cut, by a disk that refuses."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from daemon.store.database import DATABASE, open_database
from daemon.store.journal import Admission, Journal
from daemon.store.recovery import LOST_REASON, recover
from daemon.store.rows import BatchStep, StepOutcome
from daemon.store.sessions import Sessions
from daemon.store.store import open_store
from protocol.admission import Circumstances, Execute, Replay, decide_admission
from protocol.leases import LeaseState
from protocol.writes import Kind, Result, State, Status
from tests.fakes.clocks import TurnedClock
from tests.fakes.disks import CountingDisk, FailingDisk, PowerCutDisk
from tests.fakes.write_paths import INJECTED, WritePath

SESSION = "us-" + "1" * 32
OK = Result(Status.OK)


async def test_every_unfinished_row_gets_its_outcome_and_every_other_keeps_its_own(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        await store.admit("preparing")
        await store.journal.grant(await store.admit("granted"))
        await store.admit("read", Kind.READ)
        await store.admit("dry", Kind.DRY_RUN)
        await store.journal.complete(await store.admit("done", Kind.READ), OK)
        await store.journal.end(await store.admit("ended"), State.NOT_STARTED)
        disk.commits.clear()
        recovery = await recover(store.database, 99)
        assert disk.commits == [True]
        assert recovery.lost == 1
        assert {state: count for state, count in recovery.commands.items() if count} == {
            State.NOT_STARTED: 1,
            State.UNKNOWN: 1,
            State.TIMED_OUT: 2,
        }
        rows = {row.command_id: row for row in await store.journal.log(SESSION, limit=10)}
        assert {name: str(row.state) for name, row in rows.items()} == {
            "preparing": "not_started",
            "granted": "unknown",
            "read": "timed_out",
            "dry": "timed_out",
            "done": "completed",
            "ended": "not_started",
        }
        assert rows["granted"].ended_ms == 99
        assert rows["ended"].ended_ms == 7
        assert (await store.journal.unresolved(SESSION)).command_id == "granted"
        again = await recover(store.database, 100)
        assert (again.lost, set(again.commands.values())) == (0, {0})


async def test_sessions_of_a_dead_daemon_are_lost_unless_they_had_ended(opened):
    async with opened() as store:
        for state in LeaseState:
            await store.begin(f"us-{state}", state=state)
        await store.begin("us-profile", profile="work")
        await recover(store.database, 99)
        rows = {row.session_id: row for row in await store.sessions.list_of("uid:1")}
        ended = {state: rows[f"us-{state}"] for state in LeaseState}
        for state in (LeaseState.PROVISIONING, LeaseState.CONNECTED, LeaseState.RECOVERING):
            row = ended[state]
            assert (row.state, row.reason, row.ended_ms) == (LeaseState.LOST, LOST_REASON, 99)
        assert ended[LeaseState.CLOSING].state is LeaseState.CLOSED
        for state in (LeaseState.CLOSED, LeaseState.EXPIRED, LeaseState.LOST):
            assert ended[state].state is state
        assert all(row.released for row in ended.values())
        assert rows["us-profile"].state is LeaseState.CONNECTED
        assert [row.session_id for row in await store.sessions.held()] == ["us-profile"]


async def test_a_store_is_recovered_before_it_serves_and_its_log_still_answers(
    opened, directory, tmp_path
):
    async with opened() as store:
        await store.journal.grant(await store.admit("granted"))
        killed = shutil.copytree(directory, tmp_path / "killed")
    async with open_store(killed, TurnedClock(), retention_days=30) as store:
        session = await store.sessions.find(SESSION)
        assert session is not None
        assert session.state is LeaseState.LOST
        (row,) = await store.journal.log(SESSION, limit=10)
        assert (row.command_id, row.state) == ("granted", State.UNKNOWN)
        assert await store.generations.next() == 1


async def test_steps_of_a_killed_batch_are_those_recorded(opened):
    async with opened() as store:
        entry = await store.admit(type="batch", size=4)
        await store.journal.grant(entry)
        done = BatchStep(0, "click", StepOutcome.DONE, OK)
        started = BatchStep(1, "click", StepOutcome.STARTED)
        await store.journal.progress(entry, [done, started])
        await recover(store.database, 99)
        assert await store.journal.steps(entry.number) == [done, started]


async def test_after_a_power_cut_steps_without_a_record_may_have_run(opened, directory, tmp_path):
    async with opened() as store:
        for number, state in enumerate((State.GRANTED, State.PREPARING, State.COMPLETED)):
            entry = await store.admit(f"c{number}", type="batch", size=3)
            if state is not State.PREPARING:
                await store.journal.grant(entry)
                done = [BatchStep(0, "click", StepOutcome.DONE, OK)]
                await store.journal.progress(entry, done)
            if state is State.COMPLETED:
                await store.journal.complete(entry, OK)
        killed = shutil.copytree(directory, tmp_path / "killed")
    with closing(sqlite3.connect(killed / DATABASE)) as connection, connection:
        connection.execute("UPDATE installation SET boot_id = 'an earlier one'")
    async with open_store(killed, TurnedClock(), retention_days=30) as store:
        outcomes = []
        for number in range(3):
            row = await store.journal.find(SESSION, f"c{number}")
            assert row is not None
            steps = await store.journal.steps(row.number)
            outcomes.append([(step.place, str(step.outcome)) for step in steps])
    assert outcomes == [[(0, "done"), (1, "started"), (2, "started")], [], [(0, "done")]]


def admission(command_id="c1", kind=Kind.WRITE):
    return Admission(SESSION, command_id, kind, "click", "f" * 64)


async def said(directory):
    """What the next start says of the command; None when it has never heard of it."""
    async with open_database(directory, 50) as database:
        await recover(database, 50)
        assert await Sessions(database).find(SESSION) is not None
        return await Journal(database, lambda: 50).find(SESSION, "c1")


def check_outcome(row, path):
    """Hold what is said against what happened, as any caller would find out."""
    known = row.known if row else None
    decision = decide_admission(known, "f" * 64, Kind.WRITE, Circumstances())
    if path.inputs:
        assert not isinstance(decision, Execute), "it would act twice"
    if path.answer is not None:
        assert isinstance(decision, Replay), "it was told that it has completed"
        assert decision.result == INJECTED
    assert row is None or row.state not in {State.PREPARING, State.GRANTED}
    return str(row.state) if row else "nothing"


async def test_a_kill_or_a_power_cut_at_any_point_neither_repeats_nor_denies_a_write(
    opened, directory, tmp_path
):
    disk = PowerCutDisk(directory, tmp_path / "cuts")
    outcomes = {}
    async with opened(disk) as store:

        async def watch(point):
            found = set()
            for cut in disk.cuts():
                found.add(check_outcome(await said(cut), path))
            outcomes[point] = found

        path = WritePath(store.journal, admission(), watch)
        await path.run()
    assert path.inputs == 1
    by_point = {point.partition("(")[0]: found for point, found in outcomes.items()}
    assert outcomes[next(point for point in outcomes)] == {"nothing"}
    assert by_point["after Sent"] == {"unknown"}, "a grant is never lost"
    assert by_point["before Answer"] == {"completed"}
    assert {"nothing", "not_started"} in outcomes.values(), "an admission may be lost"
    assert len(outcomes) >= 10


BROKEN = ("full", "read-only", "at commit")


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("step", range(4))
async def test_no_input_goes_out_without_its_record(opened, directory, tmp_path, how, step):
    """The disk refuses from the n-th thing on that is asked of it: admit, grant, complete."""
    disk = FailingDisk()
    async with opened(disk) as store:
        records = 0

        async def watch(point):
            nonlocal records
            if point.startswith("before Record"):
                records += 1
                disk.broken = how if records > step else ""

        path = WritePath(store.journal, admission(), watch)
        answer = await path.run()
        disk.broken = ""
        expected = [
            (State.NOT_STARTED, 0),
            (State.NOT_STARTED, 0),
            (State.UNKNOWN, 1),
            (State.COMPLETED, 1),
        ]
        assert (answer.state, path.inputs) == expected[step]
        assert path.blocked == (answer.state is State.UNKNOWN)
        if answer.state is not State.COMPLETED:
            code = "store_full" if how == "full" else "store_unwritable"
            assert answer.result is not None
            assert answer.result.code == code
        killed = shutil.copytree(directory, tmp_path / "killed")
    row = await said(killed)
    assert (str(row.state) if row else "nothing") == [
        "nothing",
        "not_started",
        "unknown",
        "completed",
    ][step]


@pytest.mark.parametrize("how", BROKEN)
async def test_a_disk_that_works_again_serves_again(opened, how):
    disk = FailingDisk()
    async with opened(disk) as store:

        async def watch(point):
            pass

        disk.broken = how
        refused = await WritePath(store.journal, admission("c1"), watch).run()
        assert refused.state is State.NOT_STARTED
        disk.broken = ""
        again = await WritePath(store.journal, admission("c1"), watch).run()
        assert (again.state, again.result) == (State.COMPLETED, INJECTED)
