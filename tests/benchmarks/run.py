"""``make bench``: every ratio in one run, as a table.

    python -m tests.benchmarks.run [WORD …]

Only measures whose name holds one of the words, if there are any. Never a timed test: a
ratio over its bound is marked, and the exit code is 0; it is 1 when something could not be
measured that this machine has the tools for.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks import everyday, measures, peers, snapshot, syncs
from tests.benchmarks.door import Door
from tests.fakes.installation import Installation
from tests.fakes.pages import PageServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.benchmarks.measures import Measure

    Take = Callable[[], Measure | list[Measure]]


def format_measure(measure: Measure) -> str:
    """Return a measure as a line of the table."""
    peer = "" if measure.peer is None else f"{measure.peer:9.1f}"
    value = f"{measure.value:6.2f}" if measure.peer is not None else ""
    mark = "" if measure.value <= measure.bound else "  OVER"
    figures = f"{measure.ours:9.1f} {peer:>9} {measure.unit:4} {value:>6}"
    return f"{measure.name:52} {figures}  <= {measure.bound:g}{mark}"


def take_all(takes: Mapping[str, Take]) -> int:
    """Print every measure; return how many are missing."""
    missing = 0
    for name, take in takes.items():
        try:
            taken = take()
        except Exception:
            missing += 1
            print(f"{name:52} MISSING\n{traceback.format_exc()}", flush=True)
        else:
            for measure in taken if isinstance(taken, list) else [taken]:
                print(format_measure(measure), flush=True)
    return missing


class Bench:
    """All that is measured, on one installation."""

    def __init__(self, installed: Installation, pages: PageServer, root: Path) -> None:
        self._installed = installed
        self._pages = pages
        self._root = root
        self._url = pages.add("/bench", measures.PAGE)
        self._everyday = pages.add("/everyday", everyday.PAGE)

    def alone(self) -> dict[str, Take]:
        """Measures that need no daemon."""
        directories = profiles, driven = self._root / "profiles", self._root / "driven"
        for directory in directories:
            directory.mkdir()
        return {
            "clicks at the performer": partial(measures.measure_performer, self._url, profiles),
            "snapshot / tree": partial(snapshot.measure_tree, self._pages, driven),
        }

    def served(self, door: Door) -> dict[str, Take]:
        """Measures of evidence sessions and of everyday ones."""
        installed, url, page = self._installed, self._url, self._everyday
        return {
            "begin": partial(measures.measure_begin, door, url),
            "clicks with frames": partial(measures.measure_batch, door, url),
            "session status": partial(measures.measure_status, installed, door, url),
            "read title": partial(everyday.measure_read, installed, page),
            "resident": partial(measures.measure_memory, installed),
        }

    def compared(self, found: Path) -> dict[str, Take]:
        """Measures beside other tools."""
        installed, root = self._installed, self._root
        return {
            "batch of clicks": partial(
                everyday.measure_clicks, installed, self._everyday, found, root
            ),
            "batch of fills": partial(
                everyday.measure_fills, installed, self._everyday, found, root
            ),
            "snapshot / agent-browser": partial(
                everyday.measure_snapshots, installed, self._pages, found, root
            ),
        }

    def counted(self) -> dict[str, Take]:
        """Measures of what is put on disk."""
        return {"syncs": partial(everyday.measure_syncs, self._installed, self._everyday)}

    def long(self, door: Door) -> dict[str, Take]:
        """Measures that take minutes."""
        return {
            "10,000 commands": partial(everyday.measure_many, self._installed, door, self._everyday)
        }


def measure_all(bench: Bench, installed: Installation, words: list[str]) -> int:
    """Print every measure that is wanted; return how many are missing."""

    def wanted(takes: Mapping[str, Take]) -> dict[str, Take]:
        chosen = {
            name: take
            for name, take in takes.items()
            if not words or any(word in name for word in words)
        }
        return dict(chosen)

    missing = take_all(wanted(bench.alone()))
    started = installed.run("daemon", "start")
    if started.exit != 0:
        print(f"no daemon: {started.err}")
        return missing + 1
    door = Door(installed.home)
    missing += take_all(wanted(bench.served(door)))
    found = peers.find_peers()
    if found is None:
        print(peers.HOW)
    else:
        missing += take_all(wanted(bench.compared(found)))
    if syncs.can_count():
        missing += take_all(wanted(bench.counted()))
    else:
        print(f"Syncs are not counted: {syncs.TRACER} is not installed.")
    missing += take_all(wanted(bench.long(door)))
    door.close()
    return missing


def say_load() -> None:
    """Print how busy the machine is: ratios of a busy one are worth less."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"load average {load} on {os.cpu_count()} processors", flush=True)


def main() -> int:
    """Measure in a private installation; return the exit code."""
    root = Path(tempfile.mkdtemp(prefix="bench-"))
    installed = Installation(root)
    say_load()
    print(f"{'measure':52} {'ours':>9} {'peer':>9} {'':4} {'ratio':>6}  bound")
    try:
        with PageServer() as pages:
            missing = measure_all(Bench(installed, pages, root), installed, sys.argv[1:])
            installed.stop()
    finally:
        installed.kill()
        shutil.rmtree(root, ignore_errors=True)
    say_load()
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
