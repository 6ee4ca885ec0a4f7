"""The journal keeps what it says, at the edges where it says so, and allows nothing else."""

from __future__ import annotations

import sqlite3
from itertools import product

import pytest

from daemon.store import journal, recovery, rows, sessions
from daemon.store.database import DATABASE
from daemon.store.journal import Entry, JournalConflict
from daemon.store.rows import BatchStep, Resolution, StepOutcome
from protocol.admission import Known, fingerprint_of
from protocol.errors import Failure
from protocol.writes import TABLE, Kind, Result, State, Status, failed
from tests.fakes.disks import CountingDisk, FailingDisk

SESSION = "us-" + "1" * 32
OK = Result(Status.OK)
SIMULATED = Result(Status.OK, simulated=True)


async def test_a_write_costs_two_syncs_and_nothing_else_costs_any(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        disk.commits.clear()
        entry = await store.admit()
        assert disk.commits == [False]
        await store.journal.grant(entry)
        await store.journal.complete(entry, OK)
        assert disk.commits == [False, True, True]
        disk.commits.clear()
        for kind in (Kind.READ, Kind.DRY_RUN):
            entry = await store.admit(str(kind), kind)
            await store.journal.complete(entry, OK)
        entry = await store.admit("late", Kind.READ)
        await store.journal.end(entry, State.TIMED_OUT, failed("timed_out"))
        assert disk.syncs == 0


async def test_a_batch_costs_two_syncs_however_long_it_is(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        disk.commits.clear()
        entry = await store.admit(type="batch", size=50)
        await store.journal.grant(entry)
        for place in range(50):
            started = [BatchStep(place, "click", StepOutcome.STARTED)]
            before = [BatchStep(place - 1, "click", StepOutcome.DONE, OK)] if place else []
            await store.journal.progress(entry, [*before, *started])
        last = BatchStep(49, "click", StepOutcome.FAILED, failed("covered"))
        await store.journal.complete(entry, failed("covered"), [last])
        assert disk.syncs == 2
        assert len(disk.commits) == 53
        steps = await store.journal.steps(entry.number)
        assert [step.place for step in steps] == list(range(50))
        assert steps[48] == BatchStep(48, "click", StepOutcome.DONE, OK)
        assert steps[49] == last


async def test_a_row_says_what_was_recorded(opened):
    async with opened() as store:
        entry = await store.admit("c1", size=3)
        row = await store.journal.find(SESSION, "c1")
        assert (row.state, row.result, row.size, row.admitted_ms) == (State.PREPARING, None, 3, 7)
        await store.journal.grant(entry)
        assert (await store.journal.find(SESSION, "c1")).state is State.GRANTED
        await store.journal.complete(entry, failed("landed_elsewhere"))
        row = await store.journal.find(SESSION, "c1")
        assert row.known == Known("f" * 64, 1, State.COMPLETED, failed("landed_elsewhere"))
        assert row.ended_ms == 7
        await store.journal.complete(await store.admit("c2", Kind.DRY_RUN), SIMULATED)
        assert (await store.journal.find(SESSION, "c2")).result == SIMULATED
        assert await store.journal.find(SESSION, "c3") is None
        assert await store.journal.count(SESSION) == 2


async def bring(store, entry, state):
    """Take a fresh write to a state by a legal way."""
    if state is not State.PREPARING and state is not State.NOT_STARTED:
        await store.journal.grant(entry)
    if state is State.COMPLETED:
        await store.journal.complete(entry, OK)
    elif state not in {State.PREPARING, State.GRANTED}:
        await store.journal.end(entry, state)


async def change(store, entry, state):
    if state is State.GRANTED:
        await store.journal.grant(entry)
    elif state is State.COMPLETED:
        await store.journal.complete(entry, OK)
    else:
        await store.journal.end(entry, state)


async def test_no_row_changes_but_by_the_table(opened):
    async with opened() as store:
        for number, (before, after) in enumerate(product(State, State)):
            entry = await store.admit(f"c{number}")
            await bring(store, entry, before)
            if after in TABLE[before]:
                await change(store, entry, after)
                continue
            with pytest.raises(JournalConflict):
                await change(store, entry, after)
            assert (await store.journal.find(SESSION, f"c{number}")).state is before


async def test_a_safe_retry_is_a_new_attempt_with_nothing_of_the_old(opened):
    async with opened() as store:
        first = await store.admit(size=2)
        await store.journal.progress(first, [BatchStep(0, "click", StepOutcome.STARTED)])
        await store.journal.end(first, State.NOT_STARTED, failed("dialog_open"))
        second = await store.admit(attempt=2)
        assert second == Entry(first.number, 2, Kind.WRITE)
        row = await store.journal.find(SESSION, "c1")
        assert (row.state, row.attempt, row.result, row.ended_ms) == (
            State.PREPARING,
            2,
            None,
            None,
        )
        assert await store.journal.steps(first.number) == []
        with pytest.raises(JournalConflict):
            await store.journal.grant(first)
        await store.journal.grant(second)


async def test_whoever_loses_the_race_for_a_retry_is_told(opened):
    async with opened() as store:
        entry = await store.admit()
        await store.journal.end(entry, State.NOT_STARTED)
        await store.admit(attempt=2)
        for attempt in (1, 2, 3):
            with pytest.raises(JournalConflict):
                await store.admit(attempt=attempt)
        with pytest.raises(JournalConflict):
            await store.admit("of another session", session_id="us-none")


@pytest.mark.parametrize("state", [State.GRANTED, State.COMPLETED, State.UNKNOWN])
async def test_what_may_have_acted_is_never_taken_back_to_its_beginning(opened, state):
    async with opened() as store:
        await bring(store, await store.admit(), state)
        with pytest.raises(JournalConflict):
            await store.admit(attempt=2)


async def test_an_unknown_write_blocks_until_the_caller_judges_it(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        assert await store.journal.unresolved(SESSION) is None
        await bring(store, await store.admit("c1"), State.UNKNOWN)
        await bring(store, await store.admit("c2"), State.UNKNOWN)
        assert (await store.journal.unresolved(SESSION)).command_id == "c1"
        disk.commits.clear()
        assert await store.journal.resolve(SESSION, "c1", Resolution.NOT_DONE)
        assert disk.commits == [True]
        assert (await store.journal.unresolved(SESSION)).command_id == "c2"
        assert await store.journal.resolve(SESSION, "c2", Resolution.DONE)
        assert await store.journal.unresolved(SESSION) is None
        row = await store.journal.find(SESSION, "c1")
        assert (row.state, row.resolution) == (State.UNKNOWN, Resolution.NOT_DONE)
        assert not await store.journal.resolve(SESSION, "c1", Resolution.DONE)
        await bring(store, await store.admit("c3"), State.COMPLETED)
        assert not await store.journal.resolve(SESSION, "c3", Resolution.DONE)


async def refused(call):
    with pytest.raises(Failure) as caught:
        await call
    assert caught.value.code == "store_full"


async def fail_to_end(store, disk, state, command_id="c1"):
    entry = await store.admit(command_id)
    if state is not State.NOT_STARTED:
        await store.journal.grant(entry)
    disk.broken = "full"
    await refused(store.journal.end(entry, state, failed("store_full")))
    return entry


@pytest.mark.parametrize("state", [State.UNKNOWN, State.NOT_STARTED])
async def test_an_end_that_the_disk_did_not_take_holds_and_is_recorded_when_it_does(opened, state):
    disk = FailingDisk()
    async with opened(disk) as store:
        entry = await fail_to_end(store, disk, state)
        row = await store.journal.find(SESSION, "c1")
        assert (row.state, row.result, row.ended_ms) == (state, failed("store_full"), 7)
        assert await store.journal.log(SESSION, limit=9) == [row]
        await refused(store.journal.resolve(SESSION, "c1", Resolution.DONE))
        await refused(store.admit("c2"))
        disk.broken = ""
        assert await store.journal.find(SESSION, "c1") == row
        with pytest.raises(JournalConflict):
            await store.journal.end(entry, state)
    async with opened() as later:
        assert await later.journal.find(SESSION, "c1") == row


async def test_an_unknown_end_that_is_owed_blocks_and_is_judged_like_any_other(opened):
    disk = FailingDisk()
    async with opened(disk) as store:
        await fail_to_end(store, disk, State.UNKNOWN)
        disk.broken = ""
        assert (await store.journal.unresolved(SESSION)).command_id == "c1"
    async with opened(disk) as store:
        await fail_to_end(store, disk, State.UNKNOWN, "c2")
        disk.broken = ""
        assert await store.journal.resolve(SESSION, "c2", Resolution.DONE)


async def test_a_row_that_never_left_its_beginning_is_taken_up_again(opened):
    disk = FailingDisk()
    async with opened(disk) as store:
        await fail_to_end(store, disk, State.NOT_STARTED)
        disk.broken = ""
        again = await store.admit(attempt=2)
        await store.journal.grant(again)
        assert (await store.journal.find(SESSION, "c1")).state is State.GRANTED


async def test_the_log_tells_a_sessions_commands_newest_first_page_by_page(opened):
    async with opened() as store:
        await store.begin("us-2")
        for number in range(5):
            await store.admit(f"c{number}", Kind.READ)
            await store.admit(f"c{number}", Kind.READ, session_id="us-2")
        page = await store.journal.log(SESSION, limit=3)
        assert [row.command_id for row in page] == ["c4", "c3", "c2"]
        rest = await store.journal.log(SESSION, limit=3, before=page[-1].number)
        assert [row.command_id for row in rest] == ["c1", "c0"]
        assert {row.session_id for row in page + rest} == {SESSION}


async def test_an_id_is_found_in_the_actors_own_sessions_only(opened):
    async with opened() as store:
        await store.begin("us-2", "uid:1/client:other")
        await store.begin("us-3")
        await store.admit("mine")
        await store.admit("mine", session_id="us-3")
        await store.admit("theirs", session_id="us-2")
        assert (await store.journal.find_of("uid:1", "mine")).session_id == "us-3"
        assert await store.journal.find_of("uid:1", "theirs") is None
        assert (await store.journal.find_of("uid:1/client:other", "theirs")) is not None


async def test_nothing_typed_reaches_the_files(opened, directory):
    typed = "correct horse battery staple"
    async with opened() as store:
        command = {"type": "fill", "text": typed}
        fingerprint = fingerprint_of(store.database.key, command, dry_run=False)
        entry = await store.admit("a-command-id", fingerprint=fingerprint)
        await store.journal.grant(entry)
        await store.journal.complete(entry, OK)
        files = {path.name: path.read_bytes() for path in directory.iterdir()}
        assert any(b"a-command-id" in data for data in files.values())
        assert not any(word in data for word in typed.encode().split() for data in files.values())


HOT = {
    "find": lambda store: store.journal.find(SESSION, "c7"),
    "find_of": lambda store: store.journal.find_of("uid:1", "c7"),
    "log": lambda store: store.journal.log(SESSION, limit=10),
    "unresolved": lambda store: store.journal.unresolved(SESSION),
    "admit": lambda store: store.admit("new"),
    "session": lambda store: store.sessions.find(SESSION),
    "held": lambda store: store.sessions.held(),
    "begun": lambda store: store.sessions.find_begun("uid:1", "key"),
}


@pytest.mark.parametrize("call", HOT.values(), ids=HOT.keys())
async def test_ten_thousand_commands_cost_a_query_nothing(opened, call):
    """Counted in steps of SQLite's own machine, so that no clock is asked."""
    async with opened() as store:
        few = await steps_of(store, 10, call)
        await store.database.write(lambda c: c.execute("DELETE FROM commands"))
        assert await steps_of(store, 10_000, call) <= few + 60


async def steps_of(store, rows, call):
    values = [(SESSION, f"c{number}", number) for number in range(rows)]
    await store.database.write(
        lambda c: c.executemany(
            "INSERT INTO commands (session_id, command_id, kind, type, size, fingerprint,"
            " attempt, state, admitted_ms) VALUES (?, ?, 'write', 'click', 0, 'f', 1,"
            " 'completed', ?)",
            values,
        )
    )
    steps = 0

    def step():
        nonlocal steps
        steps += 1
        return 0

    connection = store.database._connection
    connection.set_progress_handler(step, 1)
    await call(store)
    connection.set_progress_handler(None, 1)
    assert steps
    return steps


async def test_every_statement_on_commands_uses_an_index(opened, directory):
    async with opened():
        pass
    found = {
        f"{module.__name__}.{name}": text
        for module in (journal, recovery, rows, sessions)
        for name, text in vars(module).items()
        if isinstance(text, str) and text.startswith(("SELECT", "UPDATE", "DELETE"))
        and " WHERE " in text
    }  # fmt: skip
    assert len(found) >= 15
    connection = sqlite3.connect(directory / DATABASE)
    for name, text in found.items():
        values = (0,) * text.count("?")
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)]
        assert plan, name
        partial = ("USING INDEX sessions_held", "USING INDEX commands_unfinished")
        scans = [line for line in plan if line.startswith("SCAN") and not line.endswith(partial)]
        assert scans == [], (name, plan)
        sorted_whole = "USE TEMP B-TREE FOR ORDER BY" in plan
        assert not sorted_whole or name.endswith("_FIND_OF"), (name, plan)
    connection.close()
