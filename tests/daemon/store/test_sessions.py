"""Sessions and their tombstones; and numbers that are given once."""

from __future__ import annotations

import shutil

import pytest

from daemon.store.generations import BLOCK, Generations
from daemon.store.sessions import SessionRow
from protocol.beginnings import Begun
from protocol.errors import Failure
from protocol.evidence_session import Moment
from protocol.leases import Lease, LeaseState, SessionKind
from protocol.sharing import Held
from tests.fakes.disks import CountingDisk

SESSION = "us-" + "1" * 32
UUID = "7e6f0d3e-41a6-4b62-9f0a-2f1d8f4c9a10"
NOW = Moment(5.0, 1_790_000_000.5)


async def test_a_session_is_on_disk_before_anybody_hears_of_it_and_so_is_its_end(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        disk.commits.clear()
        await store.begin("us-2")
        ended = Lease(NOW, NOW, LeaseState.LOST, reason="its browser ended", ended=NOW)
        await store.sessions.update("us-2", ended)
        assert disk.commits == [True, True]
        row = await store.sessions.find("us-2")
        assert (row.state, row.reason, row.released) == ("lost", "its browser ended", False)
        assert row.ended_ms == 1_790_000_000_500
        assert row.origins == ("https://a.example",)


async def test_a_key_begins_one_session_of_an_actor(opened):
    async with opened() as store:
        row = SessionRow("us-2", SessionKind.UNATTENDED, "uid:1", (), 1)
        await store.sessions.begin(row, (UUID, "f"))
        assert await store.sessions.find_begun("uid:1", UUID) == Begun("us-2", "f")
        assert await store.sessions.find_begun("uid:2", UUID) is None
        another = SessionRow("us-3", SessionKind.UNATTENDED, "uid:1", (), 1)
        with pytest.raises(Failure) as refused:
            await store.sessions.begin(another, (UUID, "g"))
        assert refused.value.code == "conflict"
        assert await store.sessions.find("us-3") is None
        theirs = SessionRow("us-4", SessionKind.UNATTENDED, "uid:2", (), 1)
        await store.sessions.begin(theirs, (UUID, "f"))


async def test_an_actor_sees_its_own_sessions_newest_first(opened):
    async with opened() as store:
        for number in range(3):
            row = SessionRow(f"us-{number}", SessionKind.UNATTENDED, "uid:7", (), number)
            await store.sessions.begin(row)
        await store.begin("us-other", "uid:8")
        listed = await store.sessions.list_of("uid:7")
        assert [row.session_id for row in listed] == ["us-2", "us-1", "us-0"]
        assert len(await store.sessions.list_of("uid:7", limit=2)) == 2


async def test_what_is_not_released_holds_its_profile(opened):
    async with opened() as store:
        await store.begin("us-2", profile="work", profile_state="digest")
        assert (await store.sessions.find(SESSION)).held is None
        held = {row.session_id: row.held for row in await store.sessions.held()}
        origins = frozenset({"https://a.example"})
        assert held["us-2"] == Held("work", LeaseState.CONNECTED, origins, "digest")
        ended = Lease(NOW, NOW, LeaseState.CLOSED, ended=NOW, released=True)
        await store.sessions.update("us-2", ended)
        assert "us-2" not in {row.session_id for row in await store.sessions.held()}


async def test_a_tombstone_goes_with_its_log_and_nothing_else_does(opened):
    async with opened() as store:
        await store.begin("us-2")
        await store.admit("c1")
        await store.admit("c1", session_id="us-2")
        ended = Lease(NOW, NOW, LeaseState.CLOSED, ended=NOW, released=True)
        await store.sessions.update("us-2", ended)
        assert await store.sessions.prune(1_790_000_000_500) == 0
        assert await store.sessions.prune(1_790_000_000_501) == 1
        assert await store.sessions.find("us-2") is None
        assert await store.journal.find("us-2", "c1") is None
        assert await store.journal.find(SESSION, "c1") is not None
        assert await store.sessions.prune(2**60) == 0


async def test_no_generation_is_given_twice_whatever_is_lost(opened, directory, tmp_path):
    disk = CountingDisk()
    given = []
    async with opened(disk) as store:
        disk.commits.clear()
        generations = Generations(store.database)
        given += [await generations.next() for _ in range(BLOCK + 5)]
        assert disk.commits == [True, True]
        killed = shutil.copytree(directory, tmp_path / "killed")
    async with opened(directory=killed) as store:
        given += [await Generations(store.database).next() for _ in range(3)]
    assert len(set(given)) == len(given)
    assert given[:3] == [1, 2, 3]
    assert given == sorted(given)
