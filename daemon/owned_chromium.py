"""`daemon.browsers.Chromium` over `cdp`: one throw-away browser for each workspace."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from cdp.chromium.binary import find_browser
from cdp.chromium.browser import launch
from cdp.chromium.profile import create_profile, list_profiles, remove_profile
from cdp.chromium.scratch import scratch_of
from cdp.errors import CdpError, ProcessSurvived, ProfileBusy
from cdp.viewport import Viewport
from daemon.browsers import BROWSER_VARIABLE, BrowserOrder, CleanupFailed, OwnedBrowser, Provenance
from daemon.fence import OriginFence
from daemon.owned_tab import open_tab
from daemon.reaper import reap
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from cdp.chromium.browser import Tap

REMOVE_S = 5.0
UPLOADS = "understudy-uploads"
"""Directory of a profile where copies of files to upload lie."""


class OwnedChromium:
    """Launches browsers into profiles below one directory, and removes those again.

    ``environment`` is the daemon's: its UNDERSTUDY_BROWSER names the browser of callers
    that name none, PATH is where else it is sought. A ``tap`` stands in the line to each
    browser.
    """

    def __init__(
        self, profiles: Path, environment: Mapping[str, str], tap: Tap | None = None
    ) -> None:
        self._profiles = profiles
        self._environment = environment
        self._tap = tap

    @asynccontextmanager
    async def open(self, order: BrowserOrder) -> AsyncIterator[OwnedBrowser]:
        """See `Chromium`."""
        profile = self._profiles / order.workspace_id
        fence = order.fence or OriginFence(order.origins)
        viewport = Viewport(order.viewport.width, order.viewport.height)
        binary: Path | None = None
        scratch: Path | None = None
        try:
            binary = self._find(order.browser)
            create_profile(profile)
            scratch = scratch_of(profile)
            async with (
                launch(
                    binary, profile, viewport, environment=self._environment, tap=self._tap
                ) as browser,
                open_tab(browser, fence.allows, order.viewport, profile / UPLOADS) as tab,
            ):
                yield OwnedBrowser(
                    tab,
                    Provenance(
                        browser.version, browser.pid, browser.argv_passed, browser.argv_actual
                    ),
                )
        except ProcessSurvived as error:
            raise CleanupFailed(str(error)) from error
        except CdpError as error:
            raise self._unavailable(error, order.browser, binary) from error
        finally:
            with trio.CancelScope(shield=True):
                await _remove(profile, scratch)

    async def reap(self, workspace_id: str) -> None:
        """See `Chromium`."""
        for leftover in list_profiles(self._profiles):
            if leftover.directory.name == workspace_id:
                reaped = await reap(leftover)
                if reaped.problem:
                    raise CleanupFailed(reaped.problem)

    def _find(self, wanted: str) -> Path:
        environment = self._environment
        named = wanted or environment.get(BROWSER_VARIABLE, "")
        return find_browser(named, environment.get("PATH", ""))

    def _unavailable(self, error: CdpError, wanted: str, binary: Path | None) -> Failure:
        hint = f"see `understudy daemon logs`; {BROWSER_VARIABLE} names another browser"
        if binary is None:
            hint = f"install Chromium, or name a browser in {BROWSER_VARIABLE}: a path, or a name"
        else:
            hint = f"the browser is {binary}; {hint}"
        ours = self._environment.get(BROWSER_VARIABLE, "")
        if ours and not wanted:
            started = f"the daemon was started with {BROWSER_VARIABLE}={ours}"
            hint = f"{started}, `understudy daemon restart` takes the present one; {hint}"
        return Failure("browser_unavailable", str(error), hint, safe_to_retry=True)


async def _remove(profile: Path, scratch: Path | None) -> None:
    try:
        await remove_profile(profile, scratch=scratch, timeout_s=REMOVE_S)
    except ProfileBusy as error:
        raise CleanupFailed(str(error)) from error
