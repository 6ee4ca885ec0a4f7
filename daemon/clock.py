"""The daemon's clocks, behind an interface that a test can drive."""

from __future__ import annotations

import time
from typing import Protocol

import trio

STEP_S = 5.0
"""Longest sleep between two looks at the boot clock, which goes on while the machine sleeps."""


class Clock(Protocol):
    """Wall time for records, boot time for spans: the latter never jumps."""

    def utc_ms(self) -> int:
        """Return milliseconds since 1970 in UTC; may jump when the machine's clock is set."""
        ...

    def boot_s(self) -> float:
        """Return seconds since boot, suspended time included; never goes back."""
        ...

    async def sleep_until(self, boot_s: float) -> None:
        """Return once ``boot_s()`` has reached this time; at once when it has."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def utc_ms(self) -> int:
        """See Clock."""
        return time.time_ns() // 1_000_000

    def boot_s(self) -> float:
        """See Clock; macOS's monotonic clock stops in sleep, which only delays an expiry."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    async def sleep_until(self, boot_s: float) -> None:
        """See Clock."""
        while (left_s := boot_s - self.boot_s()) > 0:  # noqa: ASYNC110 - time is the event
            await trio.sleep(min(left_s, STEP_S))
        await trio.lowlevel.checkpoint()
