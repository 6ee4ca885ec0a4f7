"""Dialogs in the database: kept once, amended, forgotten, ended by a restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.store.dialogs import StoredDialogs
from protocol.dialogs import Disposition, Met
from protocol.errors import Failure
from tests.fakes.disks import CountingDisk

SESSION = "us-" + "1" * 32


def met(number, message="Sure?"):
    return Met(number, f"id-{number}", 100 + number, "confirm", message, "", "https://a.example/")


async def test_a_dialog_is_kept_once_and_says_what_became_of_it(opened):
    disk = CountingDisk()
    async with opened(disk) as store:
        disk.commits.clear()
        dialogs = StoredDialogs(store.database)
        await dialogs.put(SESSION, met(1))
        await dialogs.put(SESSION, met(1, "another text"))
        await dialogs.amend(SESSION, 1, Disposition.ACCEPTED, 150)
        await dialogs.put(SESSION, met(2))
        assert disk.commits == [False] * 4
        first = replace(met(1), disposition=Disposition.ACCEPTED, answered_ms=150)
        assert await dialogs.list_of(SESSION, limit=50) == [first, met(2)]
        assert await dialogs.list_of(SESSION, limit=1) == [met(2)]
        await dialogs.forget(SESSION, 1)
        assert await dialogs.list_of(SESSION, limit=50) == [met(2)]


async def test_a_restart_leaves_no_dialog_open(opened):
    async with opened() as store:
        dialogs = StoredDialogs(store.database)
        await dialogs.put(SESSION, met(1))
        await dialogs.put(SESSION, met(2))
        await dialogs.amend(SESSION, 1, Disposition.ELSEWHERE, 5)
        assert await dialogs.interrupt(9) == 1
        listed = await dialogs.list_of(SESSION, limit=50)
        assert [(one.disposition, one.answered_ms) for one in listed] == [
            (Disposition.ELSEWHERE, 5),
            (Disposition.INTERRUPTED, 9),
        ]


async def test_a_dialog_of_no_session_is_refused(opened):
    async with opened() as store:
        with pytest.raises(Failure):
            await StoredDialogs(store.database).put("us-none", met(1))
