"""Everyday sessions in real browsers: tabs that go, hang or crash, refs, batches, waits.

What happened is read by the oracle's own connection, or from the server's log.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.fakes.pages import PageServer
from tests.fakes.real_everyday import (
    RealEveryday,
    open_real_everyday,
    refusal,
    take_refs,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.chromium


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[RealEveryday]:
    async with open_real_everyday(tmp_path) as opened:
        yield opened


def browser_pid(house: RealEveryday) -> int:
    (record,) = house.profiles.glob("*/owner.json")
    return int(json.loads(record.read_text())["pid"])


async def test_p04_a_closed_tab_ends_its_session_and_no_other_tab_is_touched(
    house: RealEveryday, pages: PageServer
) -> None:
    url = pages.url("P04")
    async with house.open(url) as other, house.open(url) as session:
        assert (await session.click("#b"))["status"] == "ok"
        assert await session.text() == "1"
        target = session.watching.page("P04")
        await trio.to_thread.run_sync(
            lambda: session.watching.call("Target.closeTarget", targetId=target)
        )
        with trio.fail_after(5):
            body = await refusal(session.click("#b"))
            while body["code"] != "tab_gone":  # the loss may come after the click has begun
                assert body["code"] in {"outcome_unknown", "lost"}, body
                body = await refusal(session.click("#b"))
        assert await other.text() == "0"
        assert (await other.click("#b"))["status"] == "ok"


@pytest.mark.parametrize("end", ["crash", "kill"])
async def test_r01_a_browser_that_dies_ends_the_session_at_once(
    house: RealEveryday, pages: PageServer, end: str
) -> None:
    async with house.open(pages.url("R01")) as session:
        await session.click("button")
        await session.run("wait", **{"for": "idle"})
        assert pages.hits("R01") == 1
        if end == "crash":
            await trio.to_thread.run_sync(session.watching.crash)
        else:
            os.kill(browser_pid(house), signal.SIGKILL)
        with trio.fail_after(5):
            body = await refusal(session.click("button"))
        assert body["code"] in {"tab_gone", "lost", "outcome_unknown"}, body
        assert pages.hits("R01") == 1
        log = await session.call("session.log")
        assert log["session"]["state"] == "lost"


async def test_n05_a_hung_page_times_out_and_hangs_nobody_else(
    house: RealEveryday, pages: PageServer
) -> None:
    url = pages.url("N05")
    async with house.open(url) as calm, house.open(url) as hung:
        await hung.click("#b")
        await trio.sleep(0.3)
        bodies: list[Any] = []

        async def look() -> None:
            began = trio.current_time()
            command = {"type": "snapshot"}
            send = hung.call("command.run", command_id="slow", command=command, timeout_s=3)
            bodies.append(await refusal(send))
            bodies.append(trio.current_time() - began)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            for _ in range(10):
                assert (await calm.run("snapshot"))["status"] == "ok"
            assert not bodies, "the snapshots of the calm page waited for the hung one"
            running = (await hung.call("session.status"))["session"]["running"]
            assert (running["commandId"], running["type"]) == ("slow", "snapshot")
        body, took_s = bodies
        assert (body["code"], body["safeToRetry"]) == ("timed_out", True)
        assert took_s < 4


async def test_a_ref_names_one_element_of_one_document(
    house: RealEveryday, pages: PageServer
) -> None:
    pages.add(
        "/refs",
        "<!doctype html><title>refs</title><button id=a>Save</button><button id=b>Drop</button>"
        "<p id=out></p><script>a.onclick = b.onclick = e => out.textContent += e.target.id"
        "</script>",
    )
    async with house.open(f"{pages.a}/refs") as session:
        refs = await take_refs(session)
        await session.run("click", target={"ref": refs["Save"]})
        assert await session.text() == "a"
        await session.evaluate("document.getElementById('a').textContent = 'Delete all'")
        changed = await refusal(session.run("click", target={"ref": refs["Save"]}))
        assert changed["code"] == "ref_changed"
        assert changed["seen"] == {"was": ["button", "Save"], "now": ["button", "Delete all"]}
        assert "Delete all" not in changed["message"] + changed["hint"]
        await session.run("click", target={"ref": refs["Save"], "renamed": True})
        await session.evaluate("document.getElementById('b').remove()")
        removed = await refusal(session.run("click", target={"ref": refs["Drop"]}))
        assert removed["code"] == "ref_stale"
        await session.run("reload")
        gone = await refusal(session.run("click", target={"ref": refs["Save"]}))
        assert gone["code"] == "ref_stale"
        assert await session.text() == ""
        fresh = await take_refs(session)
        assert fresh["Save"] != refs["Save"]
        async with house.open(f"{pages.a}/refs") as other:
            foreign = await refusal(other.run("click", target={"ref": fresh["Save"]}))
            assert foreign["code"] == "ref_stale"
            assert await other.text() == ""


async def test_a_click_says_which_page_it_led_to_and_whether_that_loaded(
    house: RealEveryday, pages: PageServer
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
    links = f"<title>t</title><a id=missing href=/none>m</a> <a id=dead href={dead}>d</a>"
    url = pages.add("/links", links)
    async with house.open(url, origins=[dead.removesuffix("/x")]) as session:
        assert (await session.run("read", what="title"))["page"]["status"] == 200
        await session.click("#missing")
        await session.wait_for("document.readyState", "complete")
        page = (await session.run("read", what="title"))["page"]
        assert (page["status"], page["url"].endswith("/none")) == (404, True)
        await session.run("navigate", url=url)
        await session.click("#dead")
        await session.wait_for("location.protocol", "chrome-error:")
        page = (await session.run("read", what="title"))["page"]
        assert (page["url"], page["failed"], "status" in page) == (dead, True, False)


async def test_o02_a_batch_says_what_each_step_came_to_and_is_done_once(
    house: RealEveryday, pages: PageServer
) -> None:
    click: dict[str, object] = {"type": "click", "target": {"role": "button", "name": "X"}}
    missing = {"type": "click", "target": {"css": "#no"}}
    vain = {"type": "wait", "for": "text", "value": "never", "timeout_ms": 500}
    commands = [click, missing, click, vain]
    async with house.open(pages.url("O02")) as session:

        async def send() -> Any:
            return await session.call("command.batch", command_id="b", commands=commands)

        first = await send()
        assert [step["outcome"] for step in first["steps"]] == [
            "done",
            "failed",
            "not_run",
            "not_run",
        ]
        assert first["steps"][1]["error"]["code"] == "no_match"
        assert await session.text() == "x"
        assert await send() == {**first, "replayed": True}
        assert await session.text() == "x"
        on = await session.call("command.batch", command_id="b2", commands=commands, bail=False)
        assert [step["outcome"] for step in on["steps"]] == ["done", "failed", "done", "failed"]
        assert on["steps"][3]["error"]["code"] == "timed_out"
        assert await session.text() == "xxx"


async def test_n03_hash_redirect_and_late_hydration(house: RealEveryday, pages: PageServer) -> None:
    async with house.open(pages.url("N03")) as session:
        await session.click("#a")
        await session.run("wait", **{"for": "text", "value": "view2"})
        clicked = await session.click("#g")
        assert clicked["status"] == "ok"
        for _ in range(3):
            snapshot = await session.run("snapshot")
            texts = {node.get("text") for node in snapshot["result"]["nodes"]}
            name = snapshot["page"]["url"].rpartition("/")[2]
            # a document that is being read may have nothing to show, never another's
            assert texts <= {name, None}
            assert snapshot["page"]["title"] in {name, ""}
        await session.run("wait", **{"for": "url", "value": "*/end"})


async def test_an_expectation_is_part_of_the_command(
    house: RealEveryday, pages: PageServer
) -> None:
    pages.add(
        "/expect",
        "<!doctype html><title>expect</title><button id=a>Save</button><button id=b>Idle</button>"
        "<p id=out>0</p><script>let n = 0; a.onclick = () => { out.textContent = ++n;"
        " setTimeout(() => out.textContent = 'saved', 200) }</script>",
    )
    async with house.open(f"{pages.a}/expect") as session:
        assert (await session.click("#a", expect={"text": "saved"}))["status"] == "ok"
        body = await refusal(session.click("#b", expect={"text": "idled"}))
        assert (body["code"], body["outcome"]) == ("expectation_failed", "completed")
        assert await session.text() == "saved"


async def test_a_dry_run_changes_nothing(house: RealEveryday, pages: PageServer) -> None:
    async with house.open(pages.url("O02")) as session:
        command = {"type": "click", "target": {"role": "button"}}
        reply = await session.call("command.run", command_id="d", command=command, dry_run=True)
        assert reply["result"]["simulated"] is True
        missing = {"type": "click", "target": {"css": "#no"}}
        body = await refusal(
            session.call("command.run", command_id="e", command=missing, dry_run=True)
        )
        assert body["code"] == "no_match"
        assert await session.text() == ""


async def test_the_redirects_of_a_first_load_join_its_origins_if_they_stay_on_the_site(
    house: RealEveryday, pages: PageServer
) -> None:
    with PageServer() as second:  # the same host, another port
        landed = second.url("O02")
        async with house.open(f"{pages.a}/redir?to={landed}") as session:
            told = (await session.call("session.status"))["session"]
            assert (told["url"], told["origins"]) == (landed, sorted([pages.a, second.a]))
            log = await session.call("session.log")
            assert log["session"]["origins"] == told["origins"]
    elsewhere = pages.url("O02", origin=pages.b)
    body = await refusal(house.call("session.open", url=f"{pages.a}/redir?to={elsewhere}"))
    assert body["code"] == "origin"
    assert not any(request.path.startswith("/O02") for request in pages.requests)
