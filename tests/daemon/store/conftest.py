"""What the store's tests share: a private directory, and a session to journal in."""

from __future__ import annotations

import pytest

from daemon.store.database import open_database
from daemon.store.journal import Admission, Journal
from daemon.store.sessions import SessionRow, Sessions
from protocol.leases import LeaseState, SessionKind
from protocol.writes import Kind

SESSION = "us-" + "1" * 32


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "store"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def opened(directory):
    """Opens the directory's store: a session in it, its journal, and the database."""

    class Opened:
        def __init__(self, disk=None, directory=directory):
            self._context = open_database(directory, 1, disk)

        async def __aenter__(self):
            self.database = await self._context.__aenter__()
            self.sessions = Sessions(self.database)
            self.journal = Journal(self.database, lambda: 7)
            if await self.sessions.find(SESSION) is None:
                await self.begin(SESSION)
            return self

        async def __aexit__(self, *error):
            return await self._context.__aexit__(*error)

        async def begin(self, session_id, principal="uid:1", **given):
            given.setdefault("state", LeaseState.CONNECTED)
            origins = ("https://a.example",)
            row = SessionRow(session_id, SessionKind.UNATTENDED, principal, origins, 1, **given)
            await self.sessions.begin(row)

        async def admit(self, command_id="c1", kind=Kind.WRITE, **given):
            given = {"session_id": SESSION, "type": "click", "fingerprint": "f" * 64, **given}
            return await self.journal.admit(Admission(command_id=command_id, kind=kind, **given))

    return Opened
