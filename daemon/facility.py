"""Everything of a daemon that holds browsers: displays, workspaces, evidence sessions.

Opening it clears what an earlier daemon left. Leaving it ends every session and
browser; each end has a deadline of its own.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from daemon.dispatch import join_routes
from daemon.displays import Displays
from daemon.evidence import EvidenceSessions
from daemon.evidence_store import EvidenceDirectory, sweep_evidence
from daemon.handlers import displays as display_methods
from daemon.handlers import evidence as evidence_methods
from daemon.handlers import workspaces as workspace_methods
from daemon.logs import LOGGER
from daemon.owned_chromium import OwnedChromium
from daemon.reaper import find_leftovers, reap
from daemon.runtime import Facility
from daemon.session import Means
from daemon.workspaces import Workspaces

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from cdp.chromium.profile import Leftover
    from daemon.activity import Activity
    from daemon.evidence_store import EvidenceStore
    from daemon.runtime import Runtime


@asynccontextmanager
async def open_facility(runtime: Runtime) -> AsyncIterator[Facility]:
    """Open displays, workspaces and sessions for the length of the block."""
    leftovers = find_leftovers(runtime.layout.profiles)
    _sweep(runtime)
    async with trio.open_nursery() as nursery:
        for leftover in leftovers:
            nursery.start_soon(_reap, leftover)
        parts = _parts(runtime, nursery)
        parts.register(runtime.activity)
        yield parts.offer()
        nursery.cancel_scope.cancel()


@dataclass(frozen=True)
class Parts:
    """What the methods of both doors work on."""

    displays: Displays
    workspaces: Workspaces
    sessions: EvidenceSessions
    store: EvidenceStore
    policy_origins: Sequence[str] = ()

    def offer(self) -> Facility:
        """Return every method of these parts, and the raw request."""
        return Facility(
            join_routes(
                display_methods.routes(self.displays),
                workspace_methods.routes(self.workspaces, self.policy_origins),
                evidence_methods.routes(self.sessions, self.store),
            ),
            evidence_methods.EvidenceHandlers(self.sessions, self.store).request,
        )

    def register(self, activity: Activity) -> None:
        """Count sessions, workspaces and displays; sessions keep the daemon alive."""
        activity.register("sessions", lambda: len(self.sessions), holds=True)
        activity.register("workspaces", lambda: len(self.workspaces), holds=False)
        activity.register("displays", lambda: len(self.displays), holds=False)


def _parts(runtime: Runtime, nursery: trio.Nursery) -> Parts:
    policy = runtime.config.policy_origins
    store = EvidenceDirectory(runtime.layout.evidence)
    displays = Displays()
    chromium = OwnedChromium(runtime.layout.profiles, runtime.environment)
    workspaces = Workspaces(nursery, chromium, displays)
    sessions = EvidenceSessions(nursery, workspaces, Means(store, runtime.clock), policy)
    return Parts(displays, workspaces, sessions, store, policy)


def _sweep(runtime: Runtime) -> None:
    swept = sweep_evidence(
        runtime.layout.evidence,
        now_s=runtime.clock.utc_ms() / 1000,
        retention_days=runtime.config.retention_days,
    )
    if swept.removed:
        LOGGER.info("evidence of %d sessions was past its retention", len(swept.removed))
    for problem in swept.problems:
        LOGGER.warning("evidence cannot be looked after: %s", problem)


async def _reap(leftover: Leftover) -> None:
    reaped = await reap(leftover)
    if reaped.problem:
        LOGGER.warning("profile %s is still there: %s", reaped.name, reaped.problem)
    else:
        LOGGER.info("profile %s of an earlier daemon is removed", reaped.name)
