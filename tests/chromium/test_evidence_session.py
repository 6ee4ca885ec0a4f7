"""Evidence sessions on a real Chromium; what happened is asked of the page and the server."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from protocol.errors import Failure
from protocol.verify import check_frame, check_receipt
from tests.fakes.house import JOB, PRE, code_of
from tests.fakes.pages import WAITING
from tests.fakes.real_house import RealHouse, open_house, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.oracle import Oracle
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

DESK = """<!doctype html><title>desk</title><body style="margin:0">
<button id=b style="position:absolute;left:0;top:0;width:100px;height:50px"
 onclick="out.textContent = +out.textContent + 1">Send</button>
<input id=i aria-label=Subject style="position:absolute;left:0;top:60px;width:300px;height:30px">
<textarea id=t style="position:absolute;left:0;top:100px;width:300px;height:60px"></textarea>
<div id=e contenteditable style="position:absolute;left:0;top:170px;width:300px;height:60px"></div>
<a id=f href="{C}/hit?n=foreign" style="position:absolute;left:0;top:240px">foreign</a>
<a id=p target=_blank href="{A}/hit?n=popup" style="position:absolute;left:0;top:270px">popup</a>
<button id=a style="position:absolute;left:0;top:300px"
 onclick="seen.textContent = [alert('one'), confirm('two'), prompt('three')]">ask</button>
<p id=seen style="position:absolute;left:0;top:330px"></p>
<p id=out style="position:absolute;left:400px;top:0">0</p>
<script>
window.inputs = [];
for (const kind of ['mousedown', 'mouseup', 'mousemove', 'click', 'keydown', 'keyup', 'wheel',
                    'beforeinput', 'input'])
  addEventListener(kind, e => inputs.push([kind, e.isTrusted]), {capture: true, passive: true});
</script>"""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[RealHouse]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def desk(pages: PageServer) -> str:
    return pages.add("/desk", DESK)


def click(x: int, y: int) -> dict[str, object]:
    return {"type": "click", "x": x, "y": y}


async def ask(watching: Oracle, expression: str) -> Any:
    return await trio.to_thread.run_sync(watching.evaluate, expression)


async def wait_for(watching: Oracle, expression: str, wanted: object) -> None:
    await trio.to_thread.run_sync(watching.wait_for, expression, wanted)


async def finish(house: RealHouse, proof_id: str, sequence: int) -> Any:
    """Freeze, observe and finish; the receipt."""
    await house.op("freeze", proof_id, sequence)
    observed = await house.op("observe", proof_id, sequence + 1, pre_observation_sha256=PRE)
    sha256 = observed["frame"]["sha256"]
    finished = await house.op(
        "finish", proof_id, sequence + 2, observation_sha256=sha256, claims_json='{"sent":2}'
    )
    return finished["receipt"]


async def test_begin_to_close(house: RealHouse, desk: str) -> None:
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    assert (begun["frame"]["width"], begun["frame"]["height"]) == (800, 600)
    with await house.watch(begun) as watching:
        reply = await house.act(
            proof_id,
            0,
            click(50, 25),
            click(50, 25),
            click(100, 75),
            {"type": "type", "text": "é 中 😀"},
            click(100, 120),
            {"type": "type", "text": "one\ntwo"},
            click(100, 190),
            {"type": "type", "text": "naïve 😀"},
        )
        assert await ask(watching, "[out.textContent, i.value, t.value, e.innerText.trim()]") == [
            "2",
            "é 中 😀",
            "one\ntwo",
            "naïve 😀",
        ]
        assert await ask(watching, "inputs.every(([kind, trusted]) => trusted)") is True
    statuses = [one["status"] for one in reply["understudy"]["actions"]]
    assert statuses == ["injected", "injected", *["injected", "ok"] * 3]
    receipt = await finish(house, proof_id, 1)
    assert check_receipt(json.dumps(receipt).encode()) is None
    for event in receipt["transcript"]:
        sha256 = event["detail"]["frameSha256"]
        frame = (await house.call("session.frame", proof_id=proof_id, sha256=sha256))["frame"]
        png = base64.b64decode(frame["pngBase64"])
        assert check_frame(receipt, sha256, png) is None
    first = next(one for one in house.events(proof_id) if one["event"] == "action")
    assert first["under"]["role"] == "button"
    assert first["under"]["name"] == "Send"
    assert desk.startswith(first["under"]["frameOrigin"] + "/")
    closed = await house.op("close", proof_id, 4)
    assert closed["receiptId"] == receipt["receiptId"]
    await house.await_nothing_left()


async def test_the_fence_stops_foreign_documents_and_popups(
    house: RealHouse, desk: str, pages: PageServer
) -> None:
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    with await house.watch(begun) as watching:
        await house.act(proof_id, 0, click(100, 75), {"type": "type", "text": "kept"})
        reply = await house.act(
            proof_id, 1, click(10, 250), click(10, 280), {"type": "wait", "ms": 300}
        )
        assert await ask(watching, "[location.pathname, i.value]") == ["/desk", "kept"]
        assert len(watching.targets()) == 1
    told = reply["understudy"]
    assert told["refusedNavigations"] == [{"url": f"{pages.c}/hit?n=foreign", "method": "GET"}]
    assert told["refusedCount"] == 1
    assert told["popupCount"] == 1
    assert told["popups"][0]["url"] == f"{pages.a}/hit?n=popup"
    status = await house.status(proof_id)
    assert status["understudy"]["refusedNavigations"] == told["refusedNavigations"]
    assert [pages.hits("foreign"), pages.hits("popup")] == [0, 0]


async def test_navigate_tells_url_and_status_and_a_failed_one_ends_the_session(
    house: RealHouse, desk: str, pages: PageServer
) -> None:
    pages.add("/next", "<title>next</title>")
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    url = f"{pages.a}/redir?to={pages.a}/next"
    reply = await house.act(proof_id, 0, {"type": "navigate", "url": url})
    assert reply["understudy"]["load"] == {
        "url": f"{pages.a}/next",
        "status": 200,
        "error": None,
        "loaded": True,
    }
    reply = await house.act(proof_id, 1, {"type": "navigate", "url": f"{pages.a}/absent"})
    assert reply["understudy"]["load"]["status"] == 404
    foreign = {"type": "navigate", "url": f"{pages.a}/redir?to={pages.c}/hit?n=hop"}
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 2, {"type": "screenshot"}, foreign)
    assert caught.value.code == "external-proof-action-failed"
    assert "Action 1 (navigate)" in caught.value.message
    assert pages.hits("hop") == 0
    await house.await_nothing_left()
    assert await code_of(house.status(proof_id)) == "closed"


@pytest.mark.parametrize("to", ["{C}/hit?n=first", "http://127.0.0.1:1/"])
async def test_a_first_page_that_does_not_load_leaves_nothing(
    house: RealHouse, pages: PageServer, to: str
) -> None:
    url = f"{pages.a}/redir?to={to.replace('{C}', pages.c)}"
    assert await code_of(house.begin(url=url)) == "action-failed"
    assert pages.hits("first") == 0
    await house.await_nothing_left()


async def test_dialogs_are_answered_by_default_and_reported(house: RealHouse, desk: str) -> None:
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    reply = await house.act(proof_id, 0, click(10, 310), click(50, 25))
    met = reply["understudy"]["dialogs"]
    told = [(one["type"], one["message"], one["disposition"]) for one in met]
    assert told == [
        ("alert", "one", "accepted"),
        ("confirm", "two", "dismissed"),
        ("prompt", "three", "dismissed"),
    ]
    with await house.watch(begun) as watching:
        assert await ask(watching, "[seen.textContent, out.textContent]") == [",false,", "1"]


async def test_a_dialog_after_freeze_fails_the_session_unanswered(
    house: RealHouse, pages: PageServer
) -> None:
    url = pages.add(
        "/later",
        "<button style='position:absolute;left:0;top:0' onclick=\"setTimeout(() => {"
        " document.title = confirm('late') ? 'yes' : 'no'; fetch('/hit?n=answered')}, 1500)\">"
        "x</button>",
    )
    proof_id = (await house.begin(url=url))["proofId"]
    await house.act(proof_id, 0, click(5, 5))
    await house.op("freeze", proof_id, 1)
    await until(lambda: house.events(proof_id)[-1]["event"] == "ended")
    summary = await house.summary(proof_id)
    assert summary["phase"] == "failed"
    assert "dialog" in summary["reason"]
    assert await code_of(house.op("observe", proof_id, 2, pre_observation_sha256=PRE)) == "closed"
    await house.await_nothing_left()
    assert pages.hits("answered") == 0


async def test_frozen_means_frozen_by_every_door(house: RealHouse, desk: str) -> None:
    workspace = (await house.call("workspace.create", url=desk, viewport="800x600", holder="a"))[
        "workspace"
    ]
    fields = {
        "attempt_id": "a",
        "job_sha256": JOB,
        "workspace_id": workspace["workspaceId"],
        "display_id": workspace["displayId"],
        "display_target": workspace["displayTarget"],
        "capture_generation": workspace["captureGeneration"],
    }
    begun = await house.call("session.begin", **fields)
    proof_id = begun["proofId"]
    with await house.watch(begun) as watching:
        await house.act(proof_id, 0, click(50, 25))
        await house.op("freeze", proof_id, 1)
        seen = await ask(watching, "[inputs.length, out.textContent, location.href]")
        assert seen[0] > 0
        batch = json.dumps([click(50, 25)])
        for sequence in (1, 2, 3):
            raw = {"op": "actions", "proof_id": proof_id, "sequence": sequence}
            by_raw = await house.raw(json.dumps({**raw, "actions_json": batch}))
            assert by_raw["ok"] is False
            refused = {"phase", "sequence"}
            assert await code_of(house.act(proof_id, sequence, click(50, 25))) in refused
        refused_calls = (
            house.call("session.begin", **fields),
            house.call("workspace.close", workspace_id=workspace["workspaceId"]),
            house.op("freeze", proof_id, 2),
        )
        for call, code in zip(refused_calls, ("busy", "conflict", "phase"), strict=True):
            assert await code_of(call) == code
        await house.call("workspace.state", workspace_id=workspace["workspaceId"])
        await house.call("session.state", proof_id=proof_id)
        await house.call(
            "workspace.acquire", workspace_id=workspace["workspaceId"], holder="a", force=True
        )
        await house.op("observe", proof_id, 2, pre_observation_sha256=PRE)
        assert await code_of(house.act(proof_id, 3, click(50, 25))) == "phase"
        await house.op("abort", proof_id, 3)
        assert await code_of(house.call("session.begin", **fields)) == "binding"
        assert await ask(watching, "[inputs.length, out.textContent, location.href]") == seen
    await house.call("workspace.close", workspace_id=workspace["workspaceId"])


async def test_a_page_that_moves_on_changes_nothing_issued(
    house: RealHouse, pages: PageServer
) -> None:
    pages.add("/moved", "<title>moved</title><body style='background:#0f0'>")
    url = pages.add(
        "/moving",
        "<title>moving</title><body><script>let n = 0; setInterval(() => {"
        " document.body.style.background = `rgb(${n++ % 255}, 0, 0)`}, 20);"
        " addEventListener('click', () => setTimeout(() => location = '/moved', 2500))</script>",
    )
    begun = await house.begin(url=url)
    proof_id = begun["proofId"]
    await house.act(proof_id, 0, click(5, 5))
    await house.op("freeze", proof_id, 1)
    observed = await house.op("observe", proof_id, 2, pre_observation_sha256=PRE)
    with await house.watch(begun) as watching:
        await wait_for(watching, "document.title", "moved")
    status = await house.status(proof_id)
    assert status["frame"] == observed["frame"]
    assert (status["phase"], status["sequence"]) == ("observed", 3)
    finished = await house.op(
        "finish",
        proof_id,
        3,
        observation_sha256=observed["frame"]["sha256"],
        claims_json="{}",
    )
    assert finished["receipt"]["observation"]["sha256"] == observed["frame"]["sha256"]
    assert check_receipt(json.dumps(finished["receipt"]).encode()) is None


async def test_abort_lets_go_of_a_held_key_at_once(
    house: RealHouse, desk: str, nursery: trio.Nursery
) -> None:
    workspace = (await house.call("workspace.create", url=desk, viewport="800x600", holder="a"))[
        "workspace"
    ]
    begun = await house.call(
        "session.begin",
        attempt_id="a",
        job_sha256=JOB,
        workspace_id=workspace["workspaceId"],
        display_id=workspace["displayId"],
        display_target=workspace["displayTarget"],
        capture_generation=workspace["captureGeneration"],
    )
    proof_id = begun["proofId"]
    codes: list[str] = []

    async def hold() -> None:
        held = {"type": "hold_key", "key": "a", "ms": 10000}
        codes.append(await code_of(house.act(proof_id, 0, held, click(50, 25))))

    with await house.watch(begun) as watching:
        nursery.start_soon(hold)
        await wait_for(watching, "inputs.some(([kind]) => kind === 'keydown')", True)
        with trio.fail_after(5):
            assert (await house.op("abort", proof_id, 1))["aborted"] is True
        assert await ask(watching, "inputs.at(-1)[0]") == "keyup"
        assert await ask(watching, "out.textContent") == "0"
    assert codes == ["closed"]
    await house.call("workspace.close", workspace_id=workspace["workspaceId"])


async def test_pictures_are_taken_while_the_page_goes_from_site_to_site(
    house: RealHouse, pages: PageServer
) -> None:
    link = "<body style='margin:0'><a style='display:block;width:300px;height:100px' href='{X}'>go"
    pages.add("/there", link.replace("{X}", "{A}/here"))
    url = pages.add("/here", link.replace("{X}", "{B}/there"))
    proof_id = (await house.begin(url=url, allowed_origins=[pages.b]))["proofId"]
    for sequence in range(4):
        reply = await house.act(proof_id, sequence, *[click(50, 50)] * 16)
        assert len(reply["understudy"]["actions"]) == 16
    assert len([one for one in pages.requests if one.path == "/there"]) > 1
    receipt = await finish(house, proof_id, 4)
    assert check_receipt(json.dumps(receipt).encode()) is None
    assert receipt["actionCount"] == 64


async def test_where_the_page_went_by_itself_is_told(house: RealHouse, pages: PageServer) -> None:
    pages.add("/next", "<title>next</title>")
    url = pages.add(
        "/form",
        "<form action=/next><button style='position:absolute;left:0;top:0;width:90px;height:30px'>"
        "go</button></form>",
    )
    proof_id = (await house.begin(url=url))["proofId"]
    await house.act(proof_id, 0, click(5, 5), {"type": "wait", "ms": 1000})
    load = (await house.status(proof_id))["understudy"]["load"]
    assert load == {"url": f"{pages.a}/next?", "status": 200, "error": None, "loaded": True}
    state = await house.call("session.state", proof_id=proof_id)
    assert (state["state"]["url"], state["state"]["title"]) == (f"{pages.a}/next?", "next")


LINK = "<body style='margin:0'><a style='display:block;height:100px' href='{TO}'>go</a>"


async def follow_link(house: RealHouse, pages: PageServer, to: str) -> Any:
    """Begin on a page whose only link is clicked; the ``load`` of that reply."""
    url = pages.add("/link", LINK.replace("{TO}", to))
    proof_id = (await house.begin(url=url))["proofId"]
    reply = await house.act(proof_id, 0, click(50, 50), {"type": "wait", "ms": 1000})
    load = reply["understudy"]["load"]
    assert (await house.status(proof_id))["understudy"]["load"] == load
    return load


@pytest.mark.parametrize("by", ["{TO}", "/redir?to={TO}"])
async def test_the_status_of_a_document_that_a_click_led_to_is_told(
    house: RealHouse, pages: PageServer, by: str
) -> None:
    absent = f"{pages.a}/absent"
    load = await follow_link(house, pages, by.replace("{TO}", absent))
    assert load == {"url": absent, "status": 404, "error": None, "loaded": True}


async def test_a_document_that_a_click_led_to_and_that_fails_did_not_load(
    house: RealHouse, pages: PageServer
) -> None:
    to = f"{pages.a}/hangup"
    load = await follow_link(house, pages, to)
    assert load == {"url": to, "status": None, "error": "the page did not load", "loaded": False}


LEAVES = f"""<script>{WAITING}
addEventListener('click', async () => {{ await told('answered'); location = '{{TO}}'; }});
</script>"""


async def begin_and_leave(house: RealHouse, pages: PageServer, to: str) -> str:
    """Begin on a page that a click makes go elsewhere, after the click's reply."""
    url = pages.add("/leaves", LEAVES.replace("{TO}", to))
    proof_id: str = (await house.begin(url=url))["proofId"]
    load = (await house.act(proof_id, 0, click(50, 50)))["understudy"]["load"]
    assert load == {"url": url, "status": 200, "error": None, "loaded": True}
    pages.tell("answered")
    return proof_id


async def test_the_status_of_a_document_that_came_between_two_replies_is_told(
    house: RealHouse, pages: PageServer
) -> None:
    proof_id = await begin_and_leave(house, pages, "/absent")
    load: Any = {"url": f"{pages.a}/leaves"}
    with trio.fail_after(10):
        while load["url"] == f"{pages.a}/leaves":
            await trio.sleep(0.02)
            load = (await house.status(proof_id))["understudy"]["load"]
    assert load == {"url": f"{pages.a}/absent", "status": 404, "error": None, "loaded": True}


async def test_a_busy_page_holds_no_reply_up(house: RealHouse, pages: PageServer) -> None:
    busy = "onload = () => setTimeout(() => { tell('busy'); for (;;); });"
    pages.add("/busy", f"<script>{WAITING}{busy}</script>")
    proof_id = await begin_and_leave(house, pages, "/busy")
    await until(lambda: pages.hits("busy"))
    with trio.fail_after(3):
        load = (await house.status(proof_id))["understudy"]["load"]
    assert load == {"url": f"{pages.a}/busy", "status": None, "error": None, "loaded": True}
