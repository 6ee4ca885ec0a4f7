"""Where a workspace's browser comes from, and how its remains are cleared.

`Chromium` is the seam: the real one launches an owned browser
(`daemon.owned_chromium`), tests put another behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from daemon.fence import OriginFence
    from daemon.tab import Tab
    from protocol.viewports import Viewport


BROWSER_VARIABLE = "UNDERSTUDY_BROWSER"
"""Names the browser to launch, an absolute path or a name on PATH."""


@dataclass(frozen=True)
class Provenance:
    """Which browser this is; both command lines, as passed and as running."""

    version: str
    pid: int
    argv_passed: tuple[str, ...]
    argv_actual: tuple[str, ...]

    def wire(self) -> dict[str, object]:
        """Return the ``browser`` member of a workspace."""
        return {
            "version": self.version,
            "pid": self.pid,
            "argvPassed": list(self.argv_passed),
            "argvActual": list(self.argv_actual),
        }


@dataclass(frozen=True)
class BrowserOrder:
    """What a workspace needs of its browser; ``fence`` replaces the one of its origins.

    ``browser`` is the one that its caller names, "" for the daemon's own choice.
    """

    workspace_id: str
    viewport: Viewport
    origins: tuple[str, ...]
    fence: OriginFence | None = None
    browser: str = ""


@dataclass(frozen=True)
class OwnedBrowser:
    """A running browser of our own and its one page."""

    tab: Tab
    provenance: Provenance


class CleanupFailed(Exception):
    """A browser ended but something of it is still there; says what."""


class Chromium(Protocol):
    """Opens one throw-away browser for each workspace."""

    def open(self, order: BrowserOrder) -> AbstractAsyncContextManager[OwnedBrowser]:
        """Launch a browser with one fenced page; on exit end it, remove its profile.

        The fence holds from the page's first navigation on. Entering raises
        Failure ``browser_unavailable`` when the browser cannot be had, and leaves
        nothing behind. Leaving raises `CleanupFailed` when something remains.
        """

    async def reap(self, workspace_id: str) -> None:
        """Clear what `open` left behind; raises `CleanupFailed` if it cannot yet."""
