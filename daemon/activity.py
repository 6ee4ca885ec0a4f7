"""What keeps the daemon alive, counted; the same counts answer ``daemon.status``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daemon.clock import Clock

Count = Callable[[], int]
SAMPLE_S = 15.0
"""Longest time between two looks at the counts."""


class Activity:
    """Counts by name, and since when all those that hold the daemon have been zero."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counts: dict[str, Count] = {}
        self._holding: set[str] = set()
        self._last_s = clock.boot_s()

    def register(self, name: str, count: Count, *, holds: bool) -> None:
        """Report a count under this name; with ``holds`` the daemon stays while it is not 0."""
        self._counts[name] = count
        if holds:
            self._holding.add(name)

    def counts(self) -> dict[str, int]:
        """Return each registered count as it is now."""
        return {name: count() for name, count in self._counts.items()}

    def touch(self) -> None:
        """Note that something just happened or ended."""
        self._last_s = self._clock.boot_s()

    async def wait_idle(self, idle_s: float) -> None:
        """Return once nothing has held the daemon, and nothing happened, for so long."""
        step_s = min(idle_s / 4, SAMPLE_S)
        while self._clock.boot_s() < self._last_s + idle_s:
            await self._clock.sleep_until(self._clock.boot_s() + step_s)
            if any(self._counts[name]() for name in self._holding):
                self.touch()
