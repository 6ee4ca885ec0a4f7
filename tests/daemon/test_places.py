"""Which session was last begun from where, over the real store and the real methods."""

from __future__ import annotations

import pytest
import trio

from daemon.clock import SystemClock
from daemon.dispatch import Dispatcher
from daemon.handlers.places import routes
from daemon.store.database import DATABASE
from daemon.store.store import open_store
from protocol.actors import Actor
from protocol.errors import Failure

ONE, OTHER = (Actor(1000), Actor(1000, "nightly"))
FIRST, SECOND = "us-" + "1" * 32, "ecup-" + "2" * 32


async def _refuse(raw, caller):
    raise AssertionError


async def found(dispatcher, actor=ONE, **place):
    return (await dispatcher.call(actor, "session.current", place))["sessionId"]


async def note(dispatcher, session_id, actor=ONE, **place):
    params = {"session_id": session_id, **place}
    await dispatcher.call(actor, "session.remember", params)


async def test_a_place_leads_to_the_session_last_begun_from_it_and_outlives_the_daemon(tmp_path):
    clock, there = SystemClock(), {"cwd": "/precious/\udcff"}
    async with open_store(tmp_path, clock, retention_days=30) as store:
        dispatcher = Dispatcher(routes(store.places, clock), _refuse)
        assert await found(dispatcher, terminal="7:1") is None
        await note(dispatcher, FIRST, terminal="7:1")
        await note(dispatcher, SECOND, **there)
        await note(dispatcher, FIRST, **there)
    async with open_store(tmp_path, clock, retention_days=30) as store:
        dispatcher = Dispatcher(routes(store.places, clock), _refuse)
        assert await found(dispatcher, terminal="7:1") == FIRST
        assert await found(dispatcher, **there) == FIRST
        assert await found(dispatcher, terminal="7:2") is None
        assert await found(dispatcher, cwd="7:1") is None, "a directory is no terminal"
        assert await found(dispatcher, actor=OTHER, terminal="7:1") is None, "another's place"
        await note(dispatcher, SECOND, actor=OTHER, terminal="7:1")
        assert await found(dispatcher, terminal="7:1") == FIRST
    for file in tmp_path.glob(f"{DATABASE}*"):
        assert b"precious" not in await trio.Path(file).read_bytes()


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"terminal": ""},
        {"terminal": "7:1", "cwd": "/"},
        {"cwd": "x" * 4097},
        {"cwd": 1},
        {"cwd": "/", "session_id": "bw-1"},
        {"cwd": "/", "session_id": "us-" + "A" * 32},
    ],
)
async def test_what_is_no_place_is_refused(tmp_path, params):
    clock = SystemClock()
    method = "session.remember" if "session_id" in params else "session.current"
    async with open_store(tmp_path, clock, retention_days=30) as store:
        dispatcher = Dispatcher(routes(store.places, clock), _refuse)
        with pytest.raises(Failure) as refused:
            await dispatcher.call(ONE, method, params)
    assert refused.value.code == "invalid_request"
