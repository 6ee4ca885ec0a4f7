"""The everyday part of a daemon over real browsers, each with the oracle beside it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import trio

from daemon.activity import Activity
from daemon.clock import SystemClock
from daemon.config import Config
from daemon.dispatch import Dispatcher
from daemon.facility import open_facility
from daemon.paths import Layout, prepare
from daemon.runtime import Runtime
from protocol.actors import Actor
from protocol.errors import Failure
from tests.fakes import oracle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Mapping
    from pathlib import Path

    from tests.fakes.oracle import Oracle

ME = Actor(1)


async def refusal(call: Awaitable[object]) -> Any:
    """The body of a call that must fail."""
    with pytest.raises(Failure) as refused:
        await call
    return refused.value.body()


async def take_refs(session: RealSession) -> dict[str, str]:
    """Take a snapshot; the refs of its elements by their names."""
    nodes = (await session.run("snapshot"))["result"]["nodes"]
    return {node["name"]: node["ref"] for node in nodes if "ref" in node and "name" in node}


class RealSession:
    """One everyday session in a browser of its own."""

    def __init__(self, house: RealEveryday, session_id: str, watching: Oracle) -> None:
        self.house, self.session_id, self.watching = house, session_id, watching
        self._ids = count(1)

    async def call(self, method: str, **params: object) -> Any:
        """Call a method of the session. Raises Failure."""
        return await self.house.call(method, session_id=self.session_id, **params)

    async def run(self, kind: str, **fields: object) -> Any:
        """Run one command. Raises Failure."""
        command: Mapping[str, object] = {"type": kind, **fields}
        return await self.call("command.run", command_id=f"c{next(self._ids)}", command=command)

    async def click(self, css: str, **fields: object) -> Any:
        """Click on what a selector matches. Raises Failure."""
        return await self.run("click", target={"css": css}, **fields)

    async def evaluate(self, expression: str) -> Any:
        """Evaluate in the page by the oracle's own connection."""
        return await trio.to_thread.run_sync(self.watching.evaluate, expression)

    async def text(self) -> str:
        """What the page says happened."""
        return await trio.to_thread.run_sync(self.watching.text)

    async def wait_for(self, expression: str, wanted: object) -> None:
        """Wait until an expression has a value in the page."""
        await trio.to_thread.run_sync(self.watching.wait_for, expression, wanted)


class RealEveryday:
    """Everything of a daemon but its doors."""

    def __init__(self, dispatcher: Dispatcher, profiles: Path) -> None:
        self._dispatcher = dispatcher
        self.profiles = profiles

    async def call(self, method: str, **params: object) -> Any:
        """Call a method by name. Raises Failure."""
        return await self._dispatcher.call(ME, method, params)

    @asynccontextmanager
    async def open(self, url: str, **given: object) -> AsyncIterator[RealSession]:
        """Begin a session for the length of the block."""
        reply = await self.call("session.open", url=url, **given)
        session_id = str(reply["session"]["sessionId"])
        watching = await trio.to_thread.run_sync(oracle.connect, self.profiles)
        try:
            with watching:
                yield RealSession(self, session_id, watching)
        finally:
            with trio.CancelScope(shield=True):
                await self.call("session.close", session_id=session_id)


@asynccontextmanager
async def open_real_everyday(
    directory: Path, *, config: Config | None = None
) -> AsyncIterator[RealEveryday]:
    """Open a daemon's facility over watched browsers for the length of the block."""
    layout, clock = Layout(directory / "state"), SystemClock()
    prepare(layout)
    environment = {"UNDERSTUDY_BROWSER": str(oracle.write_watched_browser(directory))}
    async with trio.open_nursery() as nursery:
        runtime = Runtime(layout, config or Config(), clock, Activity(clock), nursery, environment)
        async with open_facility(runtime) as facility:
            dispatcher = Dispatcher(facility.routes, facility.request)
            yield RealEveryday(dispatcher, layout.profiles)
        nursery.cancel_scope.cancel()
