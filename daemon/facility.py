"""Everything of a daemon that holds browsers: displays, workspaces, evidence sessions.

Opening it clears what an earlier daemon left. Leaving it ends every session and
browser; each end has a deadline of its own.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
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
    from collections.abc import AsyncIterator

    from cdp.chromium.profile import Leftover
    from daemon.runtime import Runtime


@asynccontextmanager
async def open_facility(runtime: Runtime) -> AsyncIterator[Facility]:
    """Open displays, workspaces and sessions for the length of the block."""
    leftovers = find_leftovers(runtime.layout.profiles)
    _sweep(runtime)
    async with trio.open_nursery() as nursery:
        for leftover in leftovers:
            nursery.start_soon(_reap, leftover)
        yield _facility(runtime, nursery)
        nursery.cancel_scope.cancel()


def _facility(runtime: Runtime, nursery: trio.Nursery) -> Facility:
    policy = runtime.config.policy_origins
    store = EvidenceDirectory(runtime.layout.evidence)
    displays = Displays()
    chromium = OwnedChromium(runtime.layout.profiles, runtime.environment)
    workspaces = Workspaces(nursery, chromium, displays)
    sessions = EvidenceSessions(nursery, workspaces, Means(store, runtime.clock), policy)
    register = runtime.activity.register
    register("sessions", lambda: len(sessions), holds=True)
    register("workspaces", lambda: len(workspaces), holds=False)
    register("displays", lambda: len(displays), holds=False)
    return Facility(
        join_routes(
            display_methods.routes(displays),
            workspace_methods.routes(workspaces, policy),
            evidence_methods.routes(sessions, store),
        ),
        evidence_methods.EvidenceHandlers(sessions, store).request,
    )


def _sweep(runtime: Runtime) -> None:
    removed = sweep_evidence(
        runtime.layout.evidence,
        now_s=runtime.clock.utc_ms() / 1000,
        retention_days=runtime.config.retention_days,
    )
    if removed:
        LOGGER.info("evidence of %d sessions was past its retention and is removed", len(removed))


async def _reap(leftover: Leftover) -> None:
    reaped = await reap(leftover)
    if reaped.problem:
        LOGGER.warning("profile %s is still there: %s", reaped.name, reaped.problem)
    else:
        LOGGER.info("profile %s of an earlier daemon is removed", reaped.name)
