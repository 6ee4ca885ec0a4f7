"""The everyday part of a daemon, over pages that exist only in memory and a real store."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from daemon.activity import Activity
from daemon.config import Config
from daemon.dispatch import Dispatcher
from daemon.displays import Displays
from daemon.everyday.registry import EverydaySessions
from daemon.facility import everyday_means, throw_away
from daemon.handlers import commands as command_methods
from daemon.handlers import everyday as everyday_methods
from daemon.paths import Layout, prepare
from daemon.runtime import Runtime
from daemon.store.store import open_store
from daemon.workspaces import Workspaces
from protocol.actors import Actor
from tests.fakes.browsers import FakeChromium
from tests.fakes.clocks import TurnedClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from daemon.dispatch import Caller, Params, Reply
    from daemon.everyday.registry import OpenSource
    from daemon.store.database import Disk
    from daemon.store.store import Store
    from tests.fakes.performers import FakePerformer

ME = Actor(1)
OTHER = Actor(1, "other")
ORIGIN = "https://a.example"
CLICK: Mapping[str, object] = {"type": "click", "target": {"css": "#b"}}
TITLE: Mapping[str, object] = {"type": "read", "what": "title"}


class EverydayHouse:
    """Calls on everyday sessions, and everything behind them for a test to look at."""

    def __init__(
        self, sessions: EverydaySessions, chromium: FakeChromium, clock: TurnedClock, store: Store
    ) -> None:
        routes = {
            **everyday_methods.routes(sessions, (), _EVIDENCE),
            **command_methods.routes(sessions),
        }
        self._dispatcher = Dispatcher(routes, _no_request)
        self.sessions = sessions
        self.chromium = chromium
        self.clock = clock
        self.store = store

    @property
    def page(self) -> FakePerformer:
        """The newest browser's page."""
        return self.chromium.tabs[-1].hands

    async def call(self, method: str, actor: Actor = ME, **params: object) -> Any:
        """Call a method by name. Raises Failure."""
        return await self._dispatcher.call(actor, method, params)

    async def open(self, **given: object) -> str:
        """Begin a session; its id."""
        given.setdefault("origins", [ORIGIN])
        reply = await self.call("session.open", ME, **given)
        return str(reply["session"]["sessionId"])

    async def run(
        self,
        session_id: str,
        command_id: str = "c1",
        command: Mapping[str, object] = CLICK,
        **more: object,
    ) -> Any:
        """Run one command; a click unless told otherwise. Raises Failure."""
        return await self.call(
            "command.run",
            ME,
            session_id=session_id,
            command_id=command_id,
            command=dict(command),
            **more,
        )

    async def poll(self, command_id: str = "c1") -> Any:
        """Ask what a command came to."""
        return await self.call("command.poll", command_id=command_id)


@asynccontextmanager
async def open_everyday_house(
    root: Path,
    *,
    disk: Disk | None = None,
    config: Config | None = None,
    source: OpenSource | None = None,
) -> AsyncIterator[EverydayHouse]:
    """Open the everyday part for the length of the block."""
    layout, clock, chromium = Layout(root / "state"), TurnedClock(), FakeChromium()
    prepare(layout)
    displays = Displays(x_directory=root)
    async with (
        open_store(layout.store, clock, retention_days=30, disk=disk) as store,
        trio.open_nursery() as nursery,
    ):
        runtime = Runtime(layout, config or Config(), clock, Activity(clock), nursery, {})
        workspaces = Workspaces(nursery, chromium, displays)
        means = everyday_means(runtime, store)
        sessions = EverydaySessions(nursery, source or throw_away(workspaces), means)
        yield EverydayHouse(sessions, chromium, clock, store)
        nursery.cancel_scope.cancel()


async def _no_request(raw: bytes, caller: Caller) -> Reply:
    raise AssertionError(f"no raw request is expected: {raw!r} of {caller}")


async def _no_sessions(params: Params, caller: Caller) -> Reply:
    del params, caller
    await trio.lowlevel.checkpoint()
    return {"ok": True, "sessions": []}


_EVIDENCE = {f"session.{name}": _no_sessions for name in ("status", "close", "list")}
