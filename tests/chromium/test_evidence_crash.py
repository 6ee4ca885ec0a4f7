"""The daemon is killed within a batch of an evidence session, at every tenth point of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.crash_house import GONE_S, CrashHouse, LineLost, Refused, await_that
from tests.fakes.house import JOB

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = """<!doctype html><title>crash</title>
<button id=b>Send</button> <input id=i aria-label=Subject>
<input id=c type=checkbox aria-label=Agree>
<script>
const run = new URLSearchParams(location.search).get('n');
function hit(what) {
  const request = new XMLHttpRequest();
  request.open('GET', '/hit?n=' + run + '-' + what, false);
  request.send();
}
b.onclick = () => hit('click');
i.oninput = () => hit('fill');
c.onchange = () => hit('check');
</script>"""
EVENTS = ("click", "fill", "check")
BATCH = [
    {"type": "click", "target": {"role": "button", "name": "Send"}},
    {"type": "fill", "target": {"label": "Subject"}, "text": "swordfish"},
    {"type": "check", "target": {"label": "Agree"}},
]
EVERY = 10


@dataclass(frozen=True)
class Crash:
    """One session whose daemon was killed, with the points that it had passed."""

    attempt: str
    proof_id: str
    points: list[str]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[CrashHouse]:
    opened = CrashHouse(tmp_path)
    yield opened
    opened.close()
    assert not opened.left()


def test_a_session_whose_daemon_was_killed_tells_which_action_ran(
    house: CrashHouse, pages: PageServer
) -> None:
    pages.add("/crash", PAGE)
    house.start()
    crash = run(house, pages, "whole")
    assert hits(pages, crash) == [1, 1, 1]
    count, told = len(crash.points), set()
    # the last one is killed once it has answered: how many points there are is not quite fixed
    for point in [2, *range(EVERY, count, EVERY), 0]:
        house.start(point)
        verify_aftermath(house, pages, crash)
        crash = run(house, pages, f"try-{point}")
        told.add("completed" if "journal completed" in crash.points else "cut")
    house.start()
    verify_aftermath(house, pages, crash)
    assert told == {"completed", "cut"}


def run(house: CrashHouse, pages: PageServer, attempt: str) -> Crash:
    """Begin a session and send its batch to a daemon that will be killed."""
    url = f"{pages.a}/crash?n={attempt}"
    begun = house.call("session.begin", attempt_id=attempt, job_sha256=JOB, url=url)
    proof_id = begun["proofId"]
    try:
        house.call("session.actions", proof_id=proof_id, sequence=0, actions_json=json.dumps(BATCH))
    except LineLost:
        house.await_end()
    else:
        house.kill()
    return Crash(attempt, proof_id, house.points)


def hits(pages: PageServer, crash: Crash) -> list[int]:
    return [pages.hits(f"{crash.attempt}-{event}") for event in EVENTS]


def verify_aftermath(house: CrashHouse, pages: PageServer, crash: Crash) -> None:
    """In the next daemon: hold what the session answers against what the server saw."""
    await_that(lambda: not house.left(), GONE_S)
    seen = hits(pages, crash)
    with pytest.raises(Refused) as caught:
        house.call("session.status", proof_id=crash.proof_id)
    body = caught.value.body
    where = f"{crash.points}: {body}, hits {seen}"
    assert (body["code"], body["phase"]) == ("external-proof-closed", "failed"), where
    assert body["endedDuring"] == "stage", where
    verify_action(body, crash.points, seen, where)
    verify_records(house, crash, body)
    assert hits(pages, crash) == seen, where


def verify_action(body: dict[str, Any], points: list[str], seen: list[int], where: str) -> None:
    """What came before the running action was done, what comes after it was not."""
    index = body["actionIndex"]
    assert max(seen) <= 1, where
    if "journal completed" in points:
        assert (index, body["actionOutcome"], seen) == (None, None, [1, 1, 1]), where
    elif index is None:
        assert (body["actionOutcome"], seen) == (None, [0, 0, 0]), where
    else:
        assert "journal granted" in points, where
        assert body["actionOutcome"] == "unknown", where
        assert seen[:index] == [1] * index, where
        assert not any(seen[index + 1 :]), where


def verify_records(house: CrashHouse, crash: Crash, body: dict[str, Any]) -> None:
    """The list, the attempt's own record and the journal say the same."""
    listed = house.call("session.list")["sessions"]
    [summary] = [one for one in listed if one.get("proofId") == crash.proof_id]
    record = house.state / "evidence" / crash.proof_id / "attempt.jsonl"
    *_, last = record.read_text().splitlines()
    assert json.loads(last) == {"event": "ended", **summary}
    for name in ("phase", "endedDuring", "reason", "actionIndex", "actionOutcome"):
        assert summary[name] == body[name]
    assert summary["attemptId"] == crash.attempt
    assert "swordfish" not in record.read_text()
    polled = house.call("command.poll", command_id=f"{crash.proof_id}:0")
    assert polled["state"] == by_points(crash.points, polled["state"])


def by_points(points: list[str], state: str) -> str:
    if "journal completed" in points:
        return "completed"
    if "journal granted" in points:
        return "unknown"
    return "not_started" if state != "unknown" else state  # granted in the moment of the kill
