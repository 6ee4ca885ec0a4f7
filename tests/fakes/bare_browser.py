"""A browser of the test's own, driven by the oracle: for looking at pages without our code."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.fakes import oracle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
)


@contextmanager
def open_browser(root: Path) -> Iterator[oracle.Oracle]:
    """Run a headless browser with one blank page of 1280x720; yield a connection to it."""
    launcher = oracle.write_watched_browser(root)
    argv = [str(launcher), *FLAGS, f"--user-data-dir={root / 'profile'}", "about:blank"]
    process = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
    try:
        with oracle.connect(root) as watching:
            watching.call(
                "Emulation.setDeviceMetricsOverride",
                session=watching.attach(watching.page()),
                width=1280,
                height=720,
                deviceScaleFactor=1,
                mobile=False,
            )
            yield watching
            watching.call("Browser.close")
        process.wait(10)
    finally:
        process.kill()
        process.wait()
