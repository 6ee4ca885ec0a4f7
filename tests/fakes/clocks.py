"""A clock that only the test turns."""

from __future__ import annotations

import trio
import trio.testing


class TurnedClock:
    """Behind `daemon.clock.Clock`; both readings move only when told."""

    def __init__(self) -> None:
        self._boot_s = 1000.0
        self._wall_ms = 1_790_000_000_000
        self._turned = trio.Event()

    def utc_ms(self) -> int:
        return self._wall_ms

    def boot_s(self) -> float:
        return self._boot_s

    async def sleep_until(self, boot_s: float) -> None:
        while self._boot_s < boot_s:
            await self._turned.wait()
        await trio.lowlevel.checkpoint()

    async def turn(self, seconds: float, *, wall_s: float | None = None) -> None:
        """Let time pass, the wall clock's by another amount if given, and all react to it."""
        self._boot_s += seconds
        self._wall_ms += int((seconds if wall_s is None else wall_s) * 1000)
        self._turned.set()
        self._turned = trio.Event()
        await trio.testing.wait_all_tasks_blocked(0.01)
