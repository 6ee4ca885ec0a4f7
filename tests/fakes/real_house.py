"""The whole evidence part of a daemon, over real browsers that an oracle watches."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from daemon.activity import Activity
from daemon.clock import SystemClock
from daemon.config import Config
from daemon.facility import open_facility
from daemon.paths import Layout, prepare
from daemon.runtime import Runtime
from tests.fakes import oracle, processes
from tests.fakes.house import Doors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from daemon.clock import Clock
    from daemon.runtime import Facility
    from tests.fakes.oracle import Oracle

GONE_S = 5.0


class RealHouse(Doors):
    """Both doors, the state directory, and what the system knows of our browsers."""

    def __init__(self, facility: Facility, layout: Layout) -> None:
        super().__init__(facility)
        self.layout = layout

    async def begin(self, attempt: str = "a", **given: object) -> Any:
        """Begin in the short form, viewport 800x600."""
        return await super().begin(attempt, **{"viewport": "800x600", **given})

    def profile_of(self, reply: Any) -> Path:
        """The profile directory of a session's browser."""
        return self.layout.profiles / str(reply["binding"]["workspaceId"])

    async def watch(self, reply: Any) -> Oracle:
        """Look at a session's browser by a connection of the oracle's own."""
        return await trio.to_thread.run_sync(oracle.connect, self.profile_of(reply))

    def events(self, proof_id: str) -> list[Any]:
        """What the attempt's record says."""
        text = (self.layout.evidence / proof_id / "attempt.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def left(self) -> list[str]:
        """Browser processes and profile directories that are there now."""
        lines = [one.command_line for one in processes.naming(str(self.layout.profiles))]
        return lines + [str(path) for path in self.layout.profiles.iterdir()]

    async def await_nothing_left(self) -> None:
        """Wait until no process and no profile of ours is left; fail after 5 s."""
        with trio.move_on_after(GONE_S):
            await until(lambda: not self.left())
        assert self.left() == []

    def browser_pid(self, reply: Any) -> int:
        """The process id of a session's browser, as its profile has it on record."""
        record = json.loads((self.profile_of(reply) / "owner.json").read_text())
        return int(record["pid"])


async def until(condition: Callable[[], object], timeout_s: float = 10.0) -> None:
    """Wait until something outside of this process, or far away in it, is so."""
    with trio.fail_after(timeout_s):
        while not condition():  # noqa: ASYNC110 - the system sends no event
            await trio.sleep(0.02)


@asynccontextmanager
async def open_house(root: Path, clock: Clock | None = None) -> AsyncIterator[RealHouse]:
    """Open a facility below ``root``; that it leaves nothing behind is part of the test."""
    layout = Layout(root / "state")
    prepare(layout)
    environment = {**os.environ, "UNDERSTUDY_BROWSER": str(oracle.write_watched_browser(root))}
    now = clock or SystemClock()
    async with trio.open_nursery() as nursery:
        runtime = Runtime(layout, Config(), now, Activity(now), nursery, environment)
        async with open_facility(runtime) as facility:
            house = RealHouse(facility, layout)
            yield house
        nursery.cancel_scope.cancel()
    await house.await_nothing_left()
