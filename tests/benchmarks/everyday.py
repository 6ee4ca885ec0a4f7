"""Measures of everyday work: the command line, the journal, and other tools beside them.

Whatever is compared is taken in turns, A B C A B C, after a round that is not counted.
The page counts its own clicks and holds what was filled in, and both are asked afterwards.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from tests.benchmarks.measures import Measure, daemon_pid, resident_mib, timed
from tests.benchmarks.peers import AgentBrowser, Playwright
from tests.benchmarks.snapshot import list_page
from tests.benchmarks.syncs import counting_syncs
from tests.fakes.installation import script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.benchmarks.door import Door
    from tests.fakes.installation import Installation
    from tests.fakes.pages import PageServer

PAGE = """<!doctype html><title>everyday</title>
<button id=b>Count</button> <input id=f aria-label=Name> <p id=n>0</p>
<script>
  let count = 0;
  b.onclick = () => { n.textContent = ++count; };
</script>"""
STEPS = 50
ROUNDS = 7
TEXT = "hello, understudy"
COMMANDS = 10_000
"""In one session, after a tenth of them as a warm-up."""


class Hand:
    """The command line on one session, each command a process of its own."""

    def __init__(self, installed: Installation, url: str) -> None:
        self._installed = installed
        opened = installed.run("open", url, "--new", "--json")
        assert opened.exit == 0, opened
        self.session = str(opened.json["session"]["sessionId"])
        self._environment = {**installed.environment, "UNDERSTUDY_SESSION": self.session}

    def run(self, *argv: str, stdin: str = "") -> str:
        """Run one command and return what it wrote; it must succeed."""
        return subprocess.run(
            [script(), *argv],
            env=self._environment,
            cwd=self._installed.cwd,
            input=stdin,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    def ref(self, name: str) -> str:
        """Return the ref of the element with a name, from a new snapshot."""
        nodes = json.loads(self.run("snapshot", "--json"))["result"]["nodes"]
        (ref,) = (node["ref"] for node in nodes if node.get("name") == name and "ref" in node)
        return str(ref)

    def batch(self, commands: Sequence[object]) -> None:
        """Do commands as one batch; each must be proven done."""
        reply = json.loads(self.run("batch", "--json", stdin=json.dumps(commands)))
        statuses = {step["status"] for step in reply["steps"]}
        assert statuses == {"ok"}, reply
        assert len(reply["steps"]) == len(commands), reply

    def text(self, selector: str) -> str:
        """Return an element's text."""
        return str(json.loads(self.run("read", "text", "--css", selector)))

    def value(self, selector: str) -> str:
        """Return what a field holds."""
        return str(json.loads(self.run("read", "value", "--css", selector)))

    def close(self) -> None:
        """End the session."""
        self.run("session", "close", self.session)


def click(ref: str) -> dict[str, object]:
    """Return a click on a ref."""
    return {"type": "click", "target": {"ref": ref}}


def medians(acts: Sequence[Callable[[], float]], rounds: int = ROUNDS) -> list[float]:
    """Return each act's median time; the acts take turns, and their first round is dropped."""
    times = [[act() for act in acts] for _ in range(rounds + 1)][1:]
    return [median(column) for column in zip(*times, strict=True)]


def measure_clicks(installed: Installation, url: str, peers: Path, root: Path) -> list[Measure]:
    """Batches of journaled clicks on a ref, against both tools' clicks on theirs."""
    ours = Hand(installed, url)
    with AgentBrowser(peers, root / "clicks") as agent, Playwright(peers, url) as library:
        agent.open(url)
        steps, theirs = [click(ours.ref("Count"))] * STEPS, [["click", agent.ref("Count")]] * STEPS
        taken = medians(
            [
                lambda: timed(lambda: ours.batch(steps)),
                lambda: timed(lambda: agent.batch(theirs)),
                lambda: library.click("#b", STEPS),
            ]
        )
        counted = [ours.text("#n"), agent.text("#n"), library.text("#n")]
    ours.close()
    assert counted == [str(STEPS * (ROUNDS + 1))] * 3, counted
    return [
        Measure(f"batch of {STEPS} clicks / agent-browser batch", taken[0], taken[1], 0.4),
        Measure(f"batch of {STEPS} clicks / Playwright click", taken[0], taken[2], 0.3),
    ]


def measure_fills(installed: Installation, url: str, peers: Path, root: Path) -> list[Measure]:
    """Batches of fills, read back, against agent-browser's."""
    ours = Hand(installed, url)
    with AgentBrowser(peers, root / "fills") as agent:
        agent.open(url)
        field, theirs = ours.ref("Name"), agent.ref("Name")
        texts = [f"{TEXT} {number}" for number in range(STEPS)]
        steps = [{"type": "fill", "target": {"ref": field}, "text": text} for text in texts]
        orders = [["fill", theirs, text] for text in texts]
        acts = [
            lambda: timed(lambda: ours.batch(steps)),
            lambda: timed(lambda: agent.batch(orders)),
        ]
        taken = medians(acts)
        held = [ours.value("#f"), agent.run("get", "value", "#f").strip()]
    ours.close()
    assert held == [texts[-1]] * 2, held
    return [Measure(f"batch of {STEPS} fills / agent-browser batch", *taken, 1.0)]


def measure_snapshots(
    installed: Installation, pages: PageServer, peers: Path, root: Path
) -> list[Measure]:
    """Snapshots of a page of 2,000 controls as text, whole, against agent-browser's."""
    url = pages.add("/list", list_page(2_000))
    ours = Hand(installed, url)

    def lines(text: str) -> None:
        assert text.count("button ") == text.count("link ") == 1_000, text[:500]

    with AgentBrowser(peers, root / "snapshots") as agent:
        agent.open(url)
        acts = [
            lambda: timed(lambda: lines(ours.run("snapshot"))),
            lambda: timed(lambda: lines(agent.run("snapshot"))),
        ]
        taken = medians(acts)
    ours.close()
    return [Measure("snapshot of 2,000 controls / agent-browser", *taken, 0.25)]


def measure_read(installed: Installation, url: str, runs: int = 25) -> list[Measure]:
    """One warm read as a process, against the same interpreter doing nothing."""
    ours = Hand(installed, url)
    nothing = [sys.executable, "-c", "pass"]

    def read() -> None:
        assert ours.run("read", "title") == '"everyday"\n'

    def idle() -> None:
        subprocess.run(
            nothing, env=installed.environment, stdout=subprocess.PIPE, text=True, check=True
        )

    taken = medians([partial(timed, read), partial(timed, idle)], runs)
    ours.close()
    return [Measure("read title, warm / python -c pass", *taken, 2.0)]


def measure_syncs(installed: Installation, url: str) -> list[Measure]:
    """What the daemon syncs for a write and for a batch, counted by strace."""
    hand, times = Hand(installed, url), 5
    ref = hand.ref("Count")
    hand.run("click", ref)
    with counting_syncs(daemon_pid(installed)) as single:
        for _ in range(times):
            hand.run("click", ref)
    with counting_syncs(daemon_pid(installed)) as batch:
        for _ in range(times):
            hand.batch([click(ref)] * STEPS)
    hand.close()
    return [
        Measure("syncs of one write", single.count / times, None, 2, ""),
        Measure(f"syncs of a batch of {STEPS} writes", batch.count / times, None, 2, ""),
    ]


def measure_many(installed: Installation, door: Door, url: str) -> list[Measure]:
    """Very many commands in one session: what they leave in memory, and how the log answers."""
    hand = Hand(installed, url)
    session, ref = hand.session, hand.ref("Count")

    def run(first: int, last: int) -> None:
        for number in range(first, last):
            _command(door, session, f"many-{number}", ref, write=number % 2 == 0)

    def ask() -> float:
        return timed(lambda: _ask(door, session))

    warm = COMMANDS // 10
    run(0, warm)
    few, before = median(ask() for _ in range(51)), resident_mib(daemon_pid(installed))
    run(warm, warm + COMMANDS)
    many, after = median(ask() for _ in range(51)), resident_mib(daemon_pid(installed))
    counted = hand.text("#n")
    hand.close()
    assert counted == str((warm + COMMANDS) // 2), counted
    return [
        Measure(f"daemon's growth over {COMMANDS} commands", after - before, None, 5, "MiB"),
        Measure(f"poll and log after {warm + COMMANDS} / {warm} commands", many, few, 1.5),
    ]


def _command(door: Door, session: str, command_id: str, ref: str, *, write: bool) -> None:
    read: dict[str, Any] = {"type": "read", "what": "title"}
    command = click(ref) if write else read
    reply = door.call("command.run", session_id=session, command_id=command_id, command=command)
    assert reply["status"] == "ok", reply


def _ask(door: Door, session: str) -> None:
    """Ask for the first command and for the last ones."""
    polled = door.call("command.poll", session_id=session, command_id="many-0")
    logged = door.call("session.log", session_id=session, limit=20)
    assert polled["state"] == "completed", polled
    assert len(logged["commands"]) == 20, logged
