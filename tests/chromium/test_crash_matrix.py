"""The crash matrix: the daemon is killed at every point of every kind of write.

A point is a commit of the journal, a message to the browser, or the answer to one that acts
on the page. A run that is not killed counts them; then there is one run for each, killed
there, and the daemon of the next run is asked what became of it. What a write did is asked
of the web server alone, which outlives browser and daemon: the page tells it of every event
by a request that it waits for. ``click`` and ``fill`` are killed at every point, the other
kinds at every third.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.crash_house import GONE_S, CrashHouse, LineLost, Refused, await_that

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = """<!doctype html><title>crash</title>
<button id=b>Send</button> <button id=second>Second</button> <button id=third>Third</button>
<input id=i aria-label=Subject>
<select id=s aria-label=Size><option>Small<option>Large</select>
<label><input id=c type=checkbox> Agree</label>
<script>
const run = new URLSearchParams(location.search).get('n');
function hit(what) {
  const request = new XMLHttpRequest();
  request.open('GET', '/hit?n=' + run + '-' + what, false);
  request.send();
}
b.onclick = () => hit('click');
second.onclick = () => hit('second');
third.onclick = () => hit('third');
i.oninput = () => hit('fill');
s.onchange = () => hit('select');
c.onchange = () => hit('check');
onkeydown = () => hit('press');
</script>"""

LOST = {"gone", "lost"}


@dataclass(frozen=True)
class Kind:
    """One kind of write: what is asked for, and the events that a server hears of it."""

    command: Callable[[str], dict[str, object]]
    events: tuple[str, ...]
    every: int = 3


KINDS = {
    "click": Kind(lambda _: {"type": "click", "target": {"css": "#b"}}, ("click",), every=1),
    "fill": Kind(
        lambda _: {"type": "fill", "target": {"label": "Subject"}, "text": "swordfish"},
        ("fill",),
        every=1,
    ),
    "press": Kind(lambda _: {"type": "key", "keys": "a"}, ("press",)),
    "navigate": Kind(lambda url: {"type": "navigate", "url": url}, ("landed",)),
    "select": Kind(
        lambda _: {"type": "select", "target": {"label": "Size"}, "labels": ["Large"]},
        ("select",),
    ),
    "check": Kind(lambda _: {"type": "check", "target": {"label": "Agree"}}, ("check",)),
    "batch": Kind(
        lambda _: {
            "commands": [
                {"type": "click", "target": {"css": css}} for css in ("#b", "#second", "#third")
            ]
        },
        ("click", "second", "third"),
    ),
}


@dataclass(frozen=True)
class Crash:
    """One write that its daemon did not outlive."""

    key: str
    session_id: str
    points: list[str]


class Matrix:
    """Runs of one kind of write in one installation, each cut off by a kill."""

    def __init__(self, house: CrashHouse, pages: PageServer, name: str) -> None:
        self.house = house
        self.kind = KINDS[name]
        self.full: tuple[int, ...] = ()
        """How often each event comes when nothing is cut off."""
        self._pages = pages
        self._name = name
        self._runs = 0

    def begin(self) -> tuple[str, str]:
        """Open a session on a page of its own; return the run's key and the session."""
        self._runs += 1
        key = f"{self._name}-{self._runs}"
        opened = self.house.call("session.open", url=f"{self._pages.a}/crash?n={key}")
        return key, opened["session"]["sessionId"]

    def write(self, key: str, session_id: str) -> dict[str, Any]:
        """Send the write of a run."""
        asked = self.kind.command(f"{self._pages.a}/landed?n={key}")
        method = "command.batch" if "commands" in asked else "command.run"
        params = asked if "commands" in asked else {"command": asked}
        return self.house.call(method, session_id=session_id, command_id=key, **params)

    def hits(self, key: str) -> tuple[int, ...]:
        """How often each event of a run has come to the server."""
        return tuple(self._hits(key, event) for event in self.kind.events)

    def _hits(self, key: str, event: str) -> int:
        if event != "landed":
            return self._pages.hits(f"{key}-{event}")
        asked = [(each.path, each.query) for each in self._pages.requests]
        return asked.count(("/landed", f"n={key}"))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[CrashHouse]:
    opened = CrashHouse(tmp_path)
    yield opened
    opened.close()
    assert not opened.left()


@pytest.mark.parametrize("name", KINDS)
def test_a_kill_at_any_point_neither_repeats_nor_denies_a_write(
    name: str, house: CrashHouse, pages: PageServer
) -> None:
    pages.add("/crash", PAGE)
    pages.add("/landed", "<!doctype html><title>landed</title>there")
    matrix = Matrix(house, pages, name)
    house.start()
    crash = run_whole(matrix)
    count, seen = len(crash.points), set()
    # how many points there are is not quite fixed: the last run is killed once it has answered
    for point in [*range(1, count, matrix.kind.every), count, 0]:
        house.start(point)
        verify_aftermath(matrix, crash)
        crash = run_killed(matrix)
        seen.add((outcome_by(crash.points), any(matrix.hits(crash.key))))
    house.start()
    verify_aftermath(matrix, crash)
    assert {outcome for outcome, _ in seen} == {"not_started", "unknown", "completed"}
    if matrix.kind.every == 1:
        assert {("unknown", False), ("unknown", True)} <= seen, "the act itself was never cut"


def run_whole(matrix: Matrix) -> Crash:
    """Run the write to its end, then kill; every event has come, and records came in time."""
    key, session_id = matrix.begin()
    reply = matrix.write(key, session_id)
    assert (reply["outcome"], reply["status"]) in {("completed", "ok"), ("completed", "injected")}
    points = matrix.house.points
    matrix.full = matrix.hits(key)
    assert all(matrix.full), "the page told the server of nothing"
    assert points[0] == "journal preparing"
    granted, completed = points.index("journal granted"), points.index("journal completed")
    assert granted < first_input(points) <= len(points)
    assert not any(is_input(name) for name in points[completed:])
    matrix.house.kill()
    return Crash(key, session_id, points)


def run_killed(matrix: Matrix) -> Crash:
    """Send a write to a daemon that will kill itself at its point."""
    key, session_id = matrix.begin()
    try:
        reply = matrix.write(key, session_id)
    except LineLost:
        matrix.house.await_end()
    else:  # it took fewer points than the run that counted: a kill after the reply, then
        assert reply["outcome"] == "completed", reply
        matrix.house.kill()
    return Crash(key, session_id, matrix.house.points)


def is_input(point: str) -> bool:
    """Whether a point is a message that certainly acts on the page."""
    return point.startswith(("sent Input.", "sent Page.navigate"))


def first_input(points: list[str]) -> int:
    """Return the place of the first of them, or how many points there are."""
    return next((place for place, name in enumerate(points) if is_input(name)), len(points))


def outcome_by(points: list[str]) -> str:
    """Return what a write has come to by the points that were passed."""
    if "journal completed" in points:
        return "completed"
    return "unknown" if "journal granted" in points else "not_started"


def verify_aftermath(matrix: Matrix, crash: Crash) -> None:
    """In the next daemon: hold its record against what the server saw."""
    house, key = matrix.house, crash.key
    await_that(lambda: not house.left(), GONE_S)
    hits = matrix.hits(key)
    told = house.call("command.poll", session_id=crash.session_id, command_id=key)
    where = f"{key}, killed after {crash.points}: {told}, hits {hits}"
    verify_outcome(matrix, crash, told, hits, where)
    verify_lost(matrix, crash)
    assert house.call("command.poll", session_id=crash.session_id, command_id=key) == told
    assert matrix.hits(key) == hits, f"it was done again: {where}"


def verify_outcome(
    matrix: Matrix, crash: Crash, told: dict[str, Any], hits: tuple[int, ...], where: str
) -> None:
    """Nothing that happened is denied, and nothing is promised that did not."""
    state, by_points = told["state"], outcome_by(crash.points)
    assert all(seen <= most for seen, most in zip(hits, matrix.full, strict=True)), where
    # a grant may have become durable in the moment of the kill, before it was reported
    assert state == by_points or (by_points, state) == ("not_started", "unknown"), where
    if by_points == "not_started":
        assert not any(map(is_input, crash.points)), f"input without a record: {where}"
        assert not any(hits), where
    if state == "completed":
        assert hits == matrix.full, where
    assert told["safeToRetry"] is (state == "not_started"), where
    if "steps" in told:
        verify_steps(told["steps"], hits, where)
    assert "swordfish" not in json.dumps(told)


def verify_steps(steps: list[dict[str, Any]], hits: tuple[int, ...], where: str) -> None:
    """A step that is done has come, one without a record has not."""
    for step in steps:
        assert step["outcome"] != "done" or hits[step["index"]], where
    recorded = {step["index"] for step in steps}
    assert not any(seen for place, seen in enumerate(hits) if place not in recorded), where


def verify_lost(matrix: Matrix, crash: Crash) -> None:
    """The session is over, for writes as for reads, and its log tells of the write."""
    house, session_id = matrix.house, crash.session_id
    look = {"type": "read", "what": "title"}
    calls: list[Callable[[], object]] = [
        lambda: matrix.write(crash.key, session_id),
        lambda: house.call("session.status", session_id=session_id),
        lambda: house.call(
            "command.run", session_id=session_id, command_id="another", command=look
        ),
    ]
    for call in calls:
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.code in {"gone", "lost"}
    log = house.call("session.log", session_id=session_id)
    assert log["session"]["state"] == "lost"
    assert [row["commandId"] for row in log["commands"]] == [crash.key]
