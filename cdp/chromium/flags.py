"""The exact command line of an owned Chromium. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from cdp.viewport import Viewport

SMALL_SHM_BYTES = 512 * 1024 * 1024
"""With less room in /dev/shm (containers get 64 MiB) renderers crash on large pages."""

MIN_WINDOW_HEIGHT = 480
"""In a window lower than its own bars a browser starts without a page; the exact size comes after.

``Browser.setContentsSize`` makes any page smaller, down to one pixel.
"""

# One list only: of several --disable-features Chromium takes the last.
DISABLED_FEATURES = (
    "BackForwardCache",  # going back would show a foreign document without any request
    "DeferRendererTasksAfterInput",  # would run timers that a click sets a frame late
    "Prerender2",  # would load documents that nobody navigated to
    "Translate",
    "MediaRouter",
    "OptimizationHints",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DestroyProfileOnBrowserClose",
)

_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-search-engine-choice-screen",
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    "--mute-audio",
    "--disable-audio-output",  # muted it would still leave files of the sound server's in the home
)

_STEADY = (
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",  # its question is no dialog of the protocol: it would hang
    "--force-device-scale-factor=1",
    "--hide-scrollbars",  # the page gets the whole width, and pictures show it to the edge
    "--password-store=basic",  # never the person's keyring
    "--use-mock-keychain",
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the command line depends on beside the wish: who we are and where we run."""

    root: bool
    shm_free_bytes: int | None
    """Free bytes in /dev/shm, None where there is none."""


def browser_argv(
    binary: Path,
    user_data_dir: Path,
    viewport: Viewport,
    surroundings: Surroundings,
) -> tuple[str, ...]:
    """Return the argv of a browser that is driven by its pipe alone.

    No debugging port is ever opened: any process of the machine could attach there.
    """
    return (
        str(binary),
        "--remote-debugging-pipe",
        f"--user-data-dir={user_data_dir}",
        "--headless=new",
        f"--window-size={viewport.width},{max(viewport.height, MIN_WINDOW_HEIGHT)}",
        *_QUIET,
        *_STEADY,
        f"--disable-features={','.join(DISABLED_FEATURES)}",
        *container_flags(surroundings),
        "about:blank",
    )


def container_flags(surroundings: Surroundings) -> tuple[str, ...]:
    """Return the flags that weaken or move something because of where we run."""
    flags = []
    if surroundings.root:
        flags.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
    if surroundings.shm_free_bytes is not None and surroundings.shm_free_bytes < SMALL_SHM_BYTES:
        flags.append("--disable-dev-shm-usage")
    return tuple(flags)
