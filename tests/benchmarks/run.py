"""``make bench``: every ratio in one run, as a table.

    python -m tests.benchmarks.run

Never a timed test: a ratio over its bound is marked, and the exit code is 0; it
is 1 when something could not be measured.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks import measures
from tests.benchmarks.door import Door
from tests.fakes.installation import Installation
from tests.fakes.pages import PageServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measures import Measure

OTHER_TOOLS = ("agent-browser", "playwright-cli", "chrome-devtools", "browser-harness")


def format_measure(measure: Measure) -> str:
    """Return a measure as a line of the table."""
    peer = "" if measure.peer is None else f"{measure.peer:9.1f}"
    value = f"{measure.value:6.2f}" if measure.peer is not None else ""
    mark = "" if measure.value <= measure.bound else "  OVER"
    figures = f"{measure.ours:9.1f} {peer:>9} {measure.unit:4} {value:>6}"
    return f"{measure.name:52} {figures}  <= {measure.bound:g}{mark}"


def measure_all(installed: Installation, pages: PageServer) -> int:
    """Print every measure; return how many are missing."""
    url = pages.add("/bench", measures.PAGE)
    missing = 0

    def take(name: str, measure: Callable[[], Measure]) -> None:
        nonlocal missing
        try:
            print(format_measure(measure()), flush=True)
        except Exception:
            missing += 1
            print(f"{name:52} MISSING\n{traceback.format_exc()}", flush=True)

    profiles = installed.cwd / "profiles"
    profiles.mkdir()
    take("16 clicks at the performer", lambda: measures.measure_performer(url, profiles))
    started = installed.run("daemon", "start")
    if started.exit != 0:
        print(f"no daemon: {started.err}")
        return missing + 4
    door = Door(installed.home)
    take("begin", lambda: measures.measure_begin(door, url))
    take("16 clicks with frames", lambda: measures.measure_batch(door, url))
    take("session status", lambda: measures.measure_status(installed, door, url))
    take("daemon resident", lambda: measures.measure_memory(installed))
    door.close()
    return missing


def main() -> int:
    """Measure in a private installation; return the exit code."""
    root = Path(tempfile.mkdtemp(prefix="bench-"))
    installed = Installation(root)
    print(f"{'measure':52} {'ours':>9} {'peer':>9} {'':4} {'ratio':>6}  bound")
    try:
        with PageServer() as pages:
            missing = measure_all(installed, pages)
            installed.stop()
    finally:
        installed.kill()
        shutil.rmtree(root, ignore_errors=True)
    absent = [tool for tool in OTHER_TOOLS if shutil.which(tool) is None]
    print(f"Other tools absent, so not compared: {', '.join(absent) or 'none'}.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
