"""Where the browser is: the one that was named, or the first of the usual ones."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from cdp.errors import BrowserNotFound

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "brave",
)

LINUX_PLACES = (
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
)

MACOS_PLACES = (
    "Applications/Chromium.app/Contents/MacOS/Chromium",
    "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
)


def find_browser(named: str, path: str, *, platform: str = sys.platform) -> Path:
    """Return the executable of the browser to launch; BrowserNotFound when there is none.

    ``named`` (the value of UNDERSTUDY_BROWSER, "" for none) decides alone: it is an
    absolute path or a name on ``path``, the value of PATH. Without it the usual names
    are sought on ``path``, then the usual places of the ``platform``.
    """
    if named:
        return _named_browser(named, path)
    places = usual_places(platform, str(Path.home()))
    for name in NAMES:
        found = shutil.which(name, path=path)
        if found:
            return Path(found)
    for place in places:
        if _is_executable(place):
            return Path(place)
    raise BrowserNotFound(
        "no Chromium, Chrome, Edge or Brave was found on PATH or in the usual places",
        (*NAMES, *places),
    )


def usual_places(platform: str, home: str) -> tuple[str, ...]:
    """Return the absolute paths where a platform's installers put browsers."""
    if platform == "darwin":
        return tuple(f"{root}/{place}" for root in ("", home) for place in MACOS_PLACES)
    return LINUX_PLACES


def _named_browser(named: str, path: str) -> Path:
    if "/" not in named:
        found = shutil.which(named, path=path)
        if found is None:
            raise BrowserNotFound(
                f"UNDERSTUDY_BROWSER: there is no executable {named!r} on PATH", (named,)
            )
        return Path(found)
    if not named.startswith("/"):
        raise BrowserNotFound(f"UNDERSTUDY_BROWSER: {named!r} is no absolute path", (named,))
    if not Path(named).exists():
        raise BrowserNotFound(f"UNDERSTUDY_BROWSER: there is no {named!r}", (named,))
    if not _is_executable(named):
        raise BrowserNotFound(f"UNDERSTUDY_BROWSER: {named!r} is no executable file", (named,))
    return Path(named)


def _is_executable(file: str) -> bool:
    return Path(file).is_file() and os.access(file, os.X_OK)
