"""Sessions on a real Chromium that end badly: nothing stays, and the answer is honest."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
import trio

from protocol.errors import Failure
from tests.fakes.clocks import TurnedClock
from tests.fakes.house import PRE, code_of
from tests.fakes.pages import WAITING
from tests.fakes.real_house import RealHouse, open_house, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.installation import Installation
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

CLICK = {"type": "click", "x": 5, "y": 5}


async def reach(house: RealHouse, url: str, phase: str) -> Any:
    """Take a new session to a phase; the reply to its begin."""
    begun = await house.begin(url=url)
    proof_id = begun["proofId"]
    if phase != "stage":
        await house.op("freeze", proof_id, 0)
    if phase in {"observed", "finished"}:
        observed = await house.op("observe", proof_id, 1, pre_observation_sha256=PRE)
    if phase == "finished":
        sha256 = observed["frame"]["sha256"]
        await house.op("finish", proof_id, 2, observation_sha256=sha256, claims_json="{}")
    return begun


def verify_receipt_told(ended: Any, home: Path | None) -> None:
    """Hold what an ended session answers against the receipt in its directory, if there is one."""
    if home is None:
        assert ended["receiptId"] is None
        assert "Infer no success" in ended["hint"]
    else:
        kept = json.loads((home / "receipt.json").read_bytes())
        assert ended["receiptId"] == kept["receiptId"]
        assert f"receipt was made before that: {kept['receiptId']}" in ended["hint"]


@pytest.mark.parametrize("phase", ["stage", "frozen", "observed", "finished"])
async def test_a_browser_killed_in_each_phase(
    tmp_path: Path, pages: PageServer, phase: str
) -> None:
    async with open_house(tmp_path) as house:
        begun = await reach(house, pages.add("/x", "<title>x</title>"), phase)
        os.kill(house.browser_pid(begun), signal.SIGKILL)
        await house.await_nothing_left()
        proof_id = begun["proofId"]
        assert await code_of(house.status(proof_id)) == "closed"
        assert await code_of(house.op("close", proof_id, 3)) == "closed"
        summary = await house.summary(proof_id)
        assert (summary["phase"], summary["endedDuring"]) == ("failed", phase)
        assert house.events(proof_id)[-1]["phase"] == "failed"
        with pytest.raises(Failure) as caught:
            await house.op("close", proof_id, 3)
        home = house.layout.evidence / proof_id
        verify_receipt_told(caught.value.body(), home if phase == "finished" else None)


COUNTING = """<body onclick="fetch('/hit?n=click')" onkeydown="event.repeat || fetch('/hit?n=key')"
 style='margin:0;height:99px'>"""
HOLD = {"type": "hold_key", "key": "a", "ms": 6000}


@pytest.mark.parametrize("how", ["kill", "crash", "abort", "time"])
async def test_an_end_in_an_action_names_it_and_its_unknown_outcome(
    tmp_path: Path, pages: PageServer, nursery: trio.Nursery, how: str
) -> None:
    clock = TurnedClock()
    bodies: list[Any] = []
    async with open_house(tmp_path, clock) as house:
        begun = await house.begin(url=pages.add("/x", COUNTING))
        proof_id = begun["proofId"]

        async def act() -> None:
            with pytest.raises(Failure) as caught:
                await house.act(proof_id, 0, CLICK, HOLD, CLICK)
            bodies.append(caught.value.body())

        with await house.watch(begun) as watching:
            nursery.start_soon(act)
            await until(lambda: pages.hits("key"))
            if how == "kill":
                os.kill(house.browser_pid(begun), signal.SIGKILL)
            elif how == "crash":
                watching.crash()
            elif how == "abort":
                await house.op("abort", proof_id, 0)
            else:
                await clock.turn(180)
            await until(lambda: bodies)
        await house.await_nothing_left()
        with pytest.raises(Failure) as ended:
            await house.status(proof_id)
        bodies.append(ended.value.body())
        records = [*bodies, await house.summary(proof_id), house.events(proof_id)[-1]]
        assert [
            (one["endedDuring"], one["actionIndex"], one["actionOutcome"]) for one in records
        ] == [("stage", 1, "unknown")] * 4
        assert all("action 0 was done" in one["reason"] for one in records)
        assert (pages.hits("click"), pages.hits("key")) == (1, 1)


async def test_the_stage_expires_and_takes_its_browser(tmp_path: Path, pages: PageServer) -> None:
    clock = TurnedClock()
    async with open_house(tmp_path, clock) as house:
        begun = await house.begin(url=pages.add("/x", "<title>x</title>"))
        pid = house.browser_pid(begun)
        await clock.turn(179)
        os.kill(pid, 0)
        await clock.turn(1)
        await house.await_nothing_left()
        assert await code_of(house.status(begun["proofId"])) == "expired"


BUSY = f"""<body style='margin:0;height:99px'><script>{WAITING}
onclick = async () => {{
  await told('frozen');
  tell('busy');
  for (const end = Date.now() + 17e3; Date.now() < end;);
}};
</script>"""


async def test_a_page_that_is_busy_after_freeze_ends_no_session(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_house(tmp_path) as house:
        proof_id = (await house.begin(url=pages.add("/x", BUSY)))["proofId"]
        await house.act(proof_id, 0, CLICK)
        await house.op("freeze", proof_id, 1)
        pages.tell("frozen")
        await until(lambda: pages.hits("busy"))
        with pytest.raises(Failure) as caught:
            await house.call("session.state", proof_id=proof_id)
        assert (caught.value.code, caught.value.safe_to_retry) == ("timed_out", True)
        assert (await house.status(proof_id))["phase"] == "frozen"
        state = await house.call("session.state", proof_id=proof_id)
        digest = state["stateSha256"]
        reply = await house.op("observe", proof_id, 2, pre_observation_sha256=digest)
        assert reply["phase"] == "observed"


async def test_two_sessions_do_not_meet(tmp_path: Path, pages: PageServer) -> None:
    url = pages.add(
        "/two",
        "<input id=i autofocus style='position:absolute;left:0;top:0;width:200px;height:30px'>",
    )
    async with open_house(tmp_path) as house:
        one = await house.begin("one", url=url)
        two = await house.begin("two", url=url)

        async def fill(begun: Any, text: str) -> None:
            await house.act(begun["proofId"], 0, CLICK, {"type": "type", "text": text * 40})

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fill, one, "a")
            nursery.start_soon(fill, two, "b")
        for begun, text in ((one, "a"), (two, "b")):
            with await house.watch(begun) as watching:
                assert watching.evaluate("i.value") == text * 40
        assert one["binding"]["displayId"] != two["binding"]["displayId"]
        await house.op("abort", one["proofId"], 1)
        assert (await house.status(two["proofId"]))["phase"] == "stage"


JOB = ("--job", "0" * 64)


class Shell:
    """Evidence sessions of an installation, by the command line only."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation

    def ask(self, *argv: str) -> Any:
        """Run a command that must succeed; its answer."""
        done = self.installation.run("session", *argv, "--json")
        assert done.exit == 0, done
        return done.json

    def sessions(self) -> Any:
        """The elements of ``session list``."""
        return self.ask("list")["sessions"]

    def reach(self, url: str, phase: str) -> str:
        """Take a new session to a phase; its proof id."""
        reply = self.ask("begin", "--url", url, *JOB)
        proof_id = str(reply["proofId"])
        if phase != "stage":
            self.ask("freeze", proof_id, "--sequence", "0")
        if phase in {"observed", "finished"}:
            digest = ("--pre-observation", PRE)
            reply = self.ask("observe", proof_id, "--sequence", "1", *digest)
        if phase == "finished":
            observed = ("--observation", reply["frame"]["sha256"], "--claims", "{}")
            self.ask("finish", proof_id, "--sequence", "2", *observed)
        return proof_id

    def kill_daemon(self) -> None:
        """Kill the daemon alone; whatever it started must end by itself."""
        status = self.installation.run("daemon", "status", "--get", "daemon.pid")
        os.kill(int(status.out), signal.SIGKILL)

    def processes_left(self) -> list[str]:
        """What is left a while later."""
        left = self.installation.check_leftovers()
        return [line for line in left if line.startswith("process")]


@pytest.mark.parametrize("phase", ["stage", "frozen", "observed", "finished"])
async def test_a_killed_daemon_leaves_nothing_after_the_next_start(
    installation: Installation, pages: PageServer, phase: str
) -> None:
    shell = Shell(installation)
    proof_id = shell.reach(pages.add("/x", "<title>x</title>"), phase)
    shell.kill_daemon()
    assert shell.processes_left() == []
    profiles = installation.home / "profiles"
    assert os.listdir(profiles)
    status = installation.run("session", "status", proof_id, "--json")
    ended = status.json["error"]
    assert (status.exit, ended["code"], ended["endedDuring"]) == (7, "external-proof-closed", phase)
    await until(lambda: not os.listdir(profiles), timeout_s=5)
    home = installation.home / "evidence" / proof_id
    record = (home / "attempt.jsonl").read_text()
    assert '"reason":"the daemon was killed"' in record.splitlines()[-1]
    verify_receipt_told(ended, home if phase == "finished" else None)


async def test_a_daemon_killed_in_an_operation(
    installation: Installation, pages: PageServer
) -> None:
    shell = Shell(installation)
    proof_id = shell.reach(pages.add("/x", "<title>x</title>"), "stage")
    wait = ("--actions", '[{"type":"wait","ms":5000}]')
    client = installation.start("session", "actions", proof_id, "--sequence", "0", *wait)
    await until(lambda: shell.sessions()[0]["running"] == "actions")
    shell.kill_daemon()
    _, told = await trio.to_thread.run_sync(client.communicate)
    assert client.returncode == 4
    assert f"session status {proof_id}".encode() in told
    assert shell.processes_left() == []
    (ended,) = shell.sessions()  # of the next daemon
    assert (ended["proofId"], ended["phase"]) == (proof_id, "failed")


async def test_a_client_killed_in_a_begin(installation: Installation, pages: PageServer) -> None:
    shell = Shell(installation)
    slow = f"{pages.a}/slow?ms=3000"
    client = installation.start("session", "begin", "--url", slow, *JOB)
    await until(lambda: [one["phase"] for one in shell.sessions()] == ["setup"])
    client.kill()
    client.communicate()
    await until(lambda: shell.sessions()[0]["phase"] == "stage")
    proof_id = shell.sessions()[0]["proofId"]
    assert shell.ask("abort", proof_id, "--sequence", "0")["cleanupComplete"] is True


async def test_a_client_killed_in_an_operation(
    installation: Installation, pages: PageServer
) -> None:
    shell = Shell(installation)
    url = pages.add("/x", "<body onclick=\"fetch('/hit?n=click')\" style='margin:0;height:99px'>")
    proof_id = shell.reach(url, "stage")
    batch = '[{"type":"wait","ms":2000},{"type":"click","x":5,"y":5}]'
    argv = ("session", "actions", proof_id, "--sequence", "0", "--actions", batch)
    client = installation.start(*argv)
    await until(lambda: shell.sessions()[0]["running"] == "actions")
    client.kill()
    client.communicate()
    await until(lambda: shell.sessions()[0]["sequence"] == 1)
    await until(lambda: pages.hits("click"))
    again = installation.run(*argv, "--json")
    assert (again.exit, again.json["error"]["code"]) == (3, "external-proof-sequence")
    assert pages.hits("click") == 1
