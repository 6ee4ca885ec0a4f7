"""Everything of a daemon that holds browsers: displays, workspaces, sessions of both kinds.

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
from daemon.everyday.commands import Rules
from daemon.everyday.quotas import Quotas
from daemon.everyday.registry import EverydaySessions
from daemon.everyday.session import Means as EverydayMeans
from daemon.everyday.tabs import ThrowAway
from daemon.evidence import EvidenceSessions
from daemon.evidence_journal import StoredBatches
from daemon.evidence_recovery import recover_proofs
from daemon.evidence_store import EvidenceDirectory, sweep_evidence
from daemon.handlers import commands as command_methods
from daemon.handlers import dialogs as dialog_methods
from daemon.handlers import displays as display_methods
from daemon.handlers import downloads as download_methods
from daemon.handlers import everyday as everyday_methods
from daemon.handlers import evidence as evidence_methods
from daemon.handlers import places as place_methods
from daemon.handlers import popups as popup_methods
from daemon.handlers import workspaces as workspace_methods
from daemon.logs import LOGGER
from daemon.owned_chromium import OwnedChromium
from daemon.reaper import find_leftovers, reap
from daemon.runtime import Facility
from daemon.session import Means
from daemon.store.store import open_store
from daemon.workspaces import WorkspaceOrder, Workspaces

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from cdp.chromium.browser import Tap
    from cdp.chromium.profile import Leftover
    from daemon.activity import Activity
    from daemon.everyday.registry import OpenSource, Order
    from daemon.evidence_store import EvidenceStore
    from daemon.runtime import Runtime
    from daemon.store.database import Disk
    from daemon.store.store import Store


@dataclass(frozen=True)
class Seams:
    """Where another composition may stand between the daemon and the world."""

    disk: Disk | None = None
    tap: Tap | None = None


@asynccontextmanager
async def open_facility(runtime: Runtime, seams: Seams = Seams()) -> AsyncIterator[Facility]:
    """Open the store, displays, workspaces and sessions for the length of the block.

    Raises Failure when the store cannot be opened or trusted.
    """
    leftovers = find_leftovers(runtime.layout.profiles)
    retention_days = runtime.config.retention_days
    async with (
        open_store(
            runtime.layout.store, runtime.clock, retention_days=retention_days, disk=seams.disk
        ) as store,
        trio.open_nursery() as nursery,
    ):
        for leftover in leftovers:
            nursery.start_soon(_reap, leftover)
        tombstones = await recover_proofs(store.proofs, runtime.layout.evidence, runtime.clock)
        _sweep(runtime)
        parts = _parts(runtime, nursery, store, seams)
        parts.sessions.remember(tombstones)
        source, means = throw_away(parts.workspaces), everyday_means(runtime, store)
        everyday = EverydaySessions(nursery, source, means)
        parts.register(runtime.activity, everyday)
        yield _offer(parts.offer(), everyday, runtime, store)
        nursery.cancel_scope.cancel()


@dataclass(frozen=True)
class Parts:
    """What evidence sessions and their methods work on."""

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

    def register(self, activity: Activity, everyday: EverydaySessions) -> None:
        """Count what there is; sessions of either kind keep the daemon alive."""
        activity.register("sessions", lambda: len(self.sessions) + len(everyday), holds=True)
        activity.register("workspaces", lambda: len(self.workspaces), holds=False)
        activity.register("displays", lambda: len(self.displays), holds=False)


def _parts(runtime: Runtime, nursery: trio.Nursery, kept: Store, seams: Seams) -> Parts:
    policy = runtime.config.policy_origins
    store = EvidenceDirectory(runtime.layout.evidence)
    displays = Displays()
    chromium = OwnedChromium(runtime.layout.profiles, runtime.environment, seams.tap)
    workspaces = Workspaces(nursery, chromium, displays)
    batches = StoredBatches(kept.journal, kept.proofs, kept.database.key, runtime.clock.utc_ms)
    means = Means(store, runtime.clock, batches)
    sessions = EvidenceSessions(nursery, workspaces, means, policy)
    return Parts(displays, workspaces, sessions, store, policy)


def everyday_means(runtime: Runtime, kept: Store) -> EverydayMeans:
    """Return what everyday sessions work with."""
    config, clock = runtime.config, runtime.clock
    rules = Rules(
        kept.journal, kept.database.key, Quotas(config.quotas, clock), config.upload_roots
    )
    return EverydayMeans(rules, kept.sessions, clock, kept.generations.next, kept.dialogs)


def throw_away(workspaces: Workspaces) -> OpenSource:
    """Return a source that gives each session a browser and a profile of its own."""

    def source(session_id: str, order: Order) -> ThrowAway:
        fence = order.fence
        wanted = WorkspaceOrder(
            order.viewport,
            fence.origins,
            holder=session_id,
            fence=fence,
            browser=order.browser,
        )
        return ThrowAway(workspaces, order.principal, wanted)

    return source


def _offer(
    evidence: Facility, everyday: EverydaySessions, runtime: Runtime, kept: Store
) -> Facility:
    """Return every method: those of evidence sessions, and of everyday ones besides."""
    policy, quotas = runtime.config.policy_origins, everyday.quotas
    routes = join_routes(
        everyday_methods.routes(everyday, policy, evidence.routes),
        command_methods.routes(everyday),
        dialog_methods.routes(everyday, kept.dialogs),
        popup_methods.routes(everyday),
        download_methods.routes(everyday),
        place_methods.routes(kept.places, runtime.clock),
    )
    return Facility(
        {name: quotas.counted(handler) for name, handler in routes.items()},
        quotas.counted(evidence.request),
    )


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
