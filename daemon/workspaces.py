"""Workspaces: one owned browser with one page, on a display, held by somebody.

Each workspace is a task of the daemon's nursery that holds its browser open.
It ends when the workspace is closed, when the browser is gone, or with the
daemon; the browser never outlives it. What a browser leaves behind is cleared
in the background, a bounded number of times, and blocks nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import trio

from daemon.browsers import BrowserOrder, Chromium, CleanupFailed, OwnedBrowser
from daemon.displays import Display, Displays, Mint, mint_id
from daemon.logs import LOGGER
from daemon.signals import first_of
from daemon.tab import Tab, TabGone
from protocol.errors import Failure
from protocol.receipts import ActionStatus

if TYPE_CHECKING:
    from daemon.fence import OriginFence
    from protocol.viewports import Viewport

MOST_WORKSPACES = 16
CLOSE_S = 10.0
LOAD_S = 15.0
REAP_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
BOUNDED_CU = "bounded_cu"
"""The one holder kind that an evidence session accepts."""


class WorkspacePhase(StrEnum):
    """Where a workspace is in its life."""

    STARTING = "starting"
    READY = "ready"
    LOST = "lost"
    CLOSED = "closed"


class Cleanup(StrEnum):
    """What became of a workspace's browser and profile."""

    NOT_DUE = "not_due"
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class WorkspaceOrder:
    """What a caller asked for. ``display_id`` None makes a display with it.

    ``browser`` is as in `BrowserOrder`.
    """

    viewport: Viewport
    origins: tuple[str, ...] = ()
    display_id: int | None = None
    url: str | None = None
    holder: str = ""
    holder_kind: str = ""
    fence: OriginFence | None = None
    browser: str = ""


@dataclass
class Workspace:
    """One workspace of one actor."""

    workspace_id: str
    owner: str
    order: WorkspaceOrder
    display: Display
    holder: str
    holder_kind: str
    phase: WorkspacePhase = WorkspacePhase.STARTING
    reason: str = ""
    cleanup: Cleanup = Cleanup.NOT_DUE
    browser: OwnedBrowser | None = None
    session: str | None = None
    """The proof id of the live evidence session on it."""
    closing: trio.Event = field(default_factory=trio.Event)
    ended: trio.Event = field(default_factory=trio.Event)

    @property
    def tab(self) -> Tab:
        """The page; raises Failure ``gone`` when the workspace is not ready."""
        if self.browser is None or self.phase is not WorkspacePhase.READY:
            raise Failure(
                "gone",
                f"workspace {self.workspace_id} is {self.phase}"
                + (f": {self.reason}" if self.reason else ""),
                "close it and create another: understudy workspace create",
            )
        return self.browser.tab

    def wire(self) -> dict[str, object]:
        """Return the ``workspace`` member of a reply."""
        browser = self.browser
        return {
            "workspaceId": self.workspace_id,
            "displayId": self.display.display_id,
            "displayTarget": self.display.target,
            "captureGeneration": self.display.generation,
            "viewport": self.order.viewport.wire(),
            "holder": self.holder or None,
            "holderKind": self.holder_kind or None,
            "url": browser.tab.load.url if browser else None,
            "origins": list(self.order.origins),
            "phase": self.phase.value,
            "reason": self.reason or None,
            "session": self.session,
            "browser": browser.provenance.wire() if browser else None,
        }


class Workspaces:
    """The workspaces of this daemon, by id."""

    def __init__(
        self, nursery: trio.Nursery, chromium: Chromium, displays: Displays, mint: Mint = mint_id
    ) -> None:
        self._nursery = nursery
        self._chromium = chromium
        self._displays = displays
        self._mint = mint
        self._workspaces: dict[str, Workspace] = {}

    def __len__(self) -> int:
        return len(self._workspaces)

    async def create(self, owner: str, order: WorkspaceOrder) -> Workspace:
        """Open a workspace and load its url; a failure leaves nothing behind.

        Raises Failure ``capacity``, ``display_exhausted``, ``not_found`` or
        ``conflict`` (its display), ``browser_unavailable``, ``action_failed``
        (its url did not load).
        """
        if len(self._workspaces) >= MOST_WORKSPACES:
            raise Failure(
                "capacity",
                f"{MOST_WORKSPACES} workspaces are open, which is the limit",
                "close one: understudy workspace list",
                safe_to_retry=True,
            )
        workspace = self._place(owner, order)
        try:
            await self._nursery.start(self._live, workspace)
        except BaseException:
            self._forget(workspace)
            raise
        return workspace

    def list(self, owner: str) -> list[Workspace]:
        """Return the workspaces of ``owner``, oldest first."""
        return [w for w in self._workspaces.values() if w.owner == owner]

    def get(self, owner: str, workspace_id: str) -> Workspace:
        """Return a workspace of ``owner``; another actor's is ``not_found`` too."""
        workspace = self._workspaces.get(workspace_id)
        if workspace is None or workspace.owner != owner:
            raise Failure(
                "not_found",
                "there is no such workspace",
                "see `understudy workspace list`",
            )
        return workspace

    def acquire(self, workspace: Workspace, holder: str, kind: str, *, force: bool) -> None:
        """Make ``holder`` the holder; another one is replaced only by force."""
        if workspace.session is not None and (holder, kind) != (
            workspace.holder,
            workspace.holder_kind,
        ):
            raise _in_session(workspace)
        if workspace.holder not in ("", holder) and not force:
            raise Failure(
                "lease_held",
                f"the workspace is held by {workspace.holder!r}",
                "let that holder finish, or take it with --force",
            )
        workspace.holder, workspace.holder_kind = holder, kind

    async def close(self, workspace: Workspace) -> Cleanup:
        """End a workspace that no session holds; see `end`."""
        if workspace.session is not None:
            raise _in_session(workspace)
        return await self.end(workspace)

    async def end(self, workspace: Workspace) -> Cleanup:
        """End a workspace and wait up to 10 s for its browser to be gone.

        Its display is free at once with a new generation. Returns ``done``, or
        what is still ``pending`` in the background.
        """
        workspace.closing.set()
        self._forget(workspace)
        with trio.move_on_after(CLOSE_S):
            await workspace.ended.wait()
        return Cleanup.PENDING if workspace.cleanup is Cleanup.NOT_DUE else workspace.cleanup

    # --- one workspace's life ------------------------------------------------

    def _place(self, owner: str, order: WorkspaceOrder) -> Workspace:
        workspace_id = self._mint("bw-")
        number = order.display_id
        if number is None:
            number = self._displays.create(owner).display_id
        display = self._displays.occupy(owner, number, workspace_id)
        workspace = Workspace(workspace_id, owner, order, display, order.holder, order.holder_kind)
        self._workspaces[workspace_id] = workspace
        return workspace

    def _forget(self, workspace: Workspace) -> None:
        if self._workspaces.pop(workspace.workspace_id, None) is None:
            return
        self._displays.vacate(workspace.display)
        if workspace.order.display_id is None:
            self._displays.destroy(workspace.owner, workspace.display.display_id)

    async def _live(
        self, workspace: Workspace, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        try:
            await self._hold(workspace, task_status)
        except CleanupFailed as failure:
            self._leave(workspace, failure)
            if workspace.phase is WorkspacePhase.STARTING:
                raise _not_opened(failure) from failure
        except Exception as error:
            if workspace.phase is WorkspacePhase.STARTING:
                raise
            # one browser's bad end must not be the end of the others
            LOGGER.exception("workspace %s ended badly", workspace.workspace_id)
            self._leave(workspace, error)
        else:
            workspace.cleanup = Cleanup.DONE
        finally:
            workspace.ended.set()

    async def _hold(self, workspace: Workspace, task_status: trio.TaskStatus[None]) -> None:
        """Hold the browser open until the workspace is closed or the browser is gone."""
        order = workspace.order
        request = BrowserOrder(
            workspace.workspace_id, order.viewport, order.origins, order.fence, order.browser
        )
        async with self._chromium.open(request) as browser:
            if order.url is not None:
                await _load(browser.tab, order.url)
            workspace.browser = browser
            workspace.phase = WorkspacePhase.READY
            task_status.started()
            await first_of(workspace.closing, browser.tab.lost)
            _mark_end(workspace, browser.tab)

    def _leave(self, workspace: Workspace, error: Exception) -> None:
        """Leave what remains to the background."""
        if workspace.phase is WorkspacePhase.READY:
            workspace.phase = WorkspacePhase.LOST
        workspace.cleanup = Cleanup.PENDING
        workspace.reason = workspace.reason or str(error)
        self._nursery.start_soon(self._reap, workspace)

    async def _reap(self, workspace: Workspace) -> None:
        """Clear what a browser left, a bounded number of times."""
        for pause_s in REAP_PAUSES_S:
            await trio.sleep(pause_s)
            try:
                await self._chromium.reap(workspace.workspace_id)
            except CleanupFailed as failure:
                workspace.reason = str(failure)
            else:
                workspace.cleanup = Cleanup.DONE
                return
        workspace.cleanup = Cleanup.FAILED


async def _load(tab: Tab, url: str) -> None:
    try:
        outcome = await tab.navigate(url, timeout_s=LOAD_S)
    except TabGone as gone:
        # the browser ends with the workspace, whatever it was doing: nothing is left of it
        raise Failure("browser_unavailable", str(gone), "try again", safe_to_retry=True) from gone
    if outcome.status is ActionStatus.FAILED:
        raise Failure(
            "action_failed",
            f"the workspace's first page did not load: {outcome.detail}",
            "check the url and that its server answers",
        )


def _not_opened(failure: CleanupFailed) -> Failure:
    return Failure("browser_unavailable", str(failure), "see `understudy daemon logs`")


def _mark_end(workspace: Workspace, tab: Tab) -> None:
    if tab.lost.is_set():
        workspace.phase, workspace.reason = WorkspacePhase.LOST, tab.lost_reason
    else:
        workspace.phase = WorkspacePhase.CLOSED


def _in_session(workspace: Workspace) -> Failure:
    return Failure(
        "conflict",
        f"the evidence session {workspace.session} is on this workspace",
        f"finish it, or end it: understudy session abort {workspace.session}",
    )
