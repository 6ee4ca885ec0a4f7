"""What is measured: each measure is ours against a raw peer's, taken in turns in one run.

Times are medians in milliseconds. The page is a button that counts its clicks
in the title, so that a click which did not arrive cannot look fast.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import trio

from daemon.browsers import BrowserOrder
from daemon.owned_chromium import OwnedChromium
from daemon.performer import perform
from protocol.actions import Click
from protocol.viewports import Viewport
from tests.benchmarks.raw import RawBrowser
from tests.fakes.installation import script

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.benchmarks.door import Door
    from tests.fakes.installation import Installation

PAGE = """<!doctype html><title>bench</title><body style="margin:0">
<button id=b style="position:fixed;left:40px;top:40px;width:200px;height:60px">Count</button>
<script>let n = 0; b.onclick = () => { document.title = ++n; };</script>"""
X, Y = 140, 70
CLICKS = 16
JOB = "0" * 64
COUNT = "document.title"


@dataclass(frozen=True)
class Measure:
    """One line of the table. ``peer`` is None for an absolute measure with a bound."""

    name: str
    ours: float
    peer: float | None
    bound: float
    unit: str = "ms"

    @property
    def value(self) -> float:
        """What the bound is for: the ratio, or the absolute measure."""
        return self.ours if self.peer is None else self.ours / self.peer


def timed(act: Callable[[], object]) -> float:
    """Return how long a call takes, in milliseconds."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


async def timed_async(act: Callable[[], Awaitable[object]]) -> float:
    """Return how long an awaited call takes, in milliseconds."""
    began = time.perf_counter()
    await act()
    return (time.perf_counter() - began) * 1000


def begin(door: Door, attempt: str, url: str) -> str:
    """Begin a session and return its proof id."""
    reply = door.call("session.begin", attempt_id=attempt, job_sha256=JOB, url=url)
    return str(reply["proofId"])


def measure_status(installed: Installation, door: Door, url: str, runs: int = 25) -> Measure:
    """One warm ``session status`` as a process, against the same interpreter doing nothing."""
    proof = begin(door, "status", url)
    command = [script(), "session", "status", proof]
    nothing = [sys.executable, "-c", "pass"]

    def run(argv: list[str]) -> None:
        subprocess.run(argv, env=installed.environment, stdout=subprocess.DEVNULL, check=True)

    for argv in (command, nothing):
        run(argv)
    pairs = [(timed(lambda: run(command)), timed(lambda: run(nothing))) for _ in range(runs)]
    door.call("session.abort", proof_id=proof, sequence=0)
    ours, peer = (median(column) for column in zip(*pairs, strict=True))
    return Measure("session status, warm / python -c pass", ours, peer, 2.0)


def measure_performer(url: str, root: Path, runs: int = 15) -> Measure:
    """Clicks at the performer, without frames, against the same clicks by raw CDP."""
    return trio.run(_measure_performer, url, root, runs)


async def _measure_performer(url: str, root: Path, runs: int) -> Measure:
    order = BrowserOrder("bw-" + "0" * 32, Viewport(1280, 720), (url.rpartition("/")[0],))
    click = Click("click", X, Y)
    async with OwnedChromium(root, os.environ).open(order) as browser:
        await browser.tab.navigate(url, timeout_s=15)

        async def ours() -> None:
            for _ in range(CLICKS):
                await perform(click, browser.tab)

        with RawBrowser() as raw:
            raw.open(url)

            def peer() -> None:
                for _ in range(CLICKS):
                    raw.click(X, Y)

            pairs = [(await timed_async(ours), timed(peer)) for _ in range(runs)]
            counted = [(await browser.tab.read_state()).title, raw.evaluate(COUNT)]
    assert counted == [str(CLICKS * runs)] * 2, counted
    ours_ms, peer_ms = (median(column) for column in zip(*pairs, strict=True))
    return Measure(f"{CLICKS} clicks at the performer / raw clicks", ours_ms, peer_ms, 1.5)


def measure_begin(door: Door, url: str, runs: int = 5) -> Measure:
    """Begin (launch to first frame) against a raw launch to its first screenshot."""
    pairs = []
    for run in range(runs):
        began = time.perf_counter()
        proof = begin(door, f"begin-{run}", url)
        ours = (time.perf_counter() - began) * 1000
        door.call("session.abort", proof_id=proof, sequence=0)
        pairs.append((ours, launch_to_picture(url)))
    ours, peer = (median(column) for column in zip(*pairs, strict=True))
    return Measure("begin / raw launch to first screenshot", ours, peer, 1.7)


def launch_to_picture(url: str) -> float:
    """Launch, load, capture; return how long that took in milliseconds, the end not counted."""
    began = time.perf_counter()
    with RawBrowser() as raw:
        raw.open(url)
        raw.capture()
        return (time.perf_counter() - began) * 1000


def measure_batch(door: Door, url: str, runs: int = 4) -> Measure:
    """A batch of clicks with a frame after each, against raw clicks plus captures."""
    proof = begin(door, "batch", url)
    actions = json.dumps([{"type": "click", "x": X, "y": Y}] * CLICKS)

    def ours(run: int) -> None:
        reply = door.call("session.actions", proof_id=proof, sequence=run, actions_json=actions)
        statuses = {result["status"] for result in reply["understudy"]["actions"]}
        assert statuses <= {"ok", "injected"}, statuses

    with RawBrowser() as raw:
        raw.open(url)

        def peer() -> None:
            for _ in range(CLICKS):
                raw.click(X, Y)
                raw.capture()

        pairs = [(timed(partial(ours, run)), timed(peer)) for run in range(runs)]
        state = json.loads(door.call("session.state", proof_id=proof)["stateJson"])
        counted = [state["title"], raw.evaluate(COUNT)]
    assert counted == [str(CLICKS * runs)] * 2, counted
    door.call("session.abort", proof_id=proof, sequence=runs)
    ours_ms, peer_ms = (median(column) for column in zip(*pairs, strict=True))
    return Measure(f"{CLICKS} clicks with frames / raw clicks and captures", ours_ms, peer_ms, 1.2)


def measure_memory(installed: Installation) -> Measure:
    """The daemon's resident size after sessions, in MiB."""
    resident = resident_mib(daemon_pid(installed))
    return Measure("daemon resident after sessions", resident, None, 80, "MiB")


def daemon_pid(installed: Installation) -> int:
    """Return the daemon's process id."""
    return int(installed.run("daemon", "status", "--get", "daemon.pid").out)


def resident_mib(pid: int) -> float:
    """Return a process's resident size in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
