"""Dialogs and popups of everyday sessions, beside what the page and its server saw."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from protocol.errors import Failure
from tests.fakes.real_everyday import RealEveryday, RealSession, open_real_everyday

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

SOON_S = 2.0


async def refusal(session: RealSession, kind: str, **fields: object) -> Any:
    with trio.fail_after(SOON_S), pytest.raises(Failure) as refused:
        await session.run(kind, **fields)
    return refused.value.body()


async def test_d01_a_confirm_does_not_freeze_the_session(tmp_path: Path, pages: PageServer) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("D01")) as session:
        with trio.fail_after(SOON_S):
            clicked = await session.click("#b")
        assert (clicked["status"], clicked["outcome"]) == ("injected", "completed")
        assert clicked["dialog"]["message"] == "Delete record 7?"
        for kind, fields in (
            ("snapshot", {}),
            ("screenshot", {}),
            ("click", {"target": {"css": "#b"}}),
        ):
            body = await refusal(session, kind, **fields)
            assert (body["code"], body["safeToRetry"]) == ("dialog_open", True)
            assert "understudy dialog accept" in body["hint"]
            assert body["dialog"]["message"] == "Delete record 7?"
        listed = await session.call("dialog.list")
        dialog = listed["open"]
        assert (dialog["type"], dialog["message"]) == ("confirm", "Delete record 7?")
        assert dialog["url"] == pages.url("D01")
        assert dialog["occurredAt"] > 1_700_000_000_000
        assert (await session.call("session.status"))["session"]["dialog"] == dialog
        answered = await session.call("dialog.accept")
        assert answered["dialog"]["disposition"] == "accepted"
        assert await session.text() == "deleted clicks=1"
        assert (await session.run("read", what="title"))["result"] == {"value": "D01"}
        log = (await session.call("session.log"))["commands"]
        writes = [
            one["type"] for one in log if one["kind"] == "write" and one["state"] == "completed"
        ]
        assert writes == ["dialog_accept", "click"]
        listed = await session.call("dialog.list")
        assert (listed["open"], listed["health"]) == (None, "ok")
        assert [one["disposition"] for one in listed["dialogs"]] == ["accepted"]


LATER = """<!doctype html><title>later</title>
<button id=ask>Ask</button> <button id=twice>Ask twice as late</button>
<button id=open>Open</button> <input id=line>
<script>
  const ask = () => confirm("Sure?");
  document.getElementById("ask").onclick = () => setTimeout(ask);
  twice.onclick = () => setTimeout(() => setTimeout(ask));
  document.getElementById("open").onclick = () => setTimeout(() => window.open("/elsewhere"));
  line.onkeydown = (event) => { if (event.key === "Enter") setTimeout(ask); };
  line.onchange = () => setTimeout(ask);
</script>"""


async def test_what_a_write_sets_off_at_once_is_in_its_answer(
    tmp_path: Path, pages: PageServer
) -> None:
    url = pages.add("/later", LATER)
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        for _ in range(20):
            for css in ("#ask", "#twice"):
                assert (await session.click(css))["dialog"]["message"] == "Sure?", css
                await session.call("dialog.dismiss")
            assert len((await session.click("#open"))["popups"]) == 1
        await session.run("focus", target={"css": "#line"})
        for _ in range(5):
            pressed = await session.run("key", keys="Enter")
            assert (pressed["status"], pressed["dialog"]["message"]) == ("injected", "Sure?")
            await session.call("dialog.dismiss")


async def test_a_step_of_a_batch_is_not_sent_into_a_dialog_that_the_one_before_set_off(
    tmp_path: Path, pages: PageServer
) -> None:
    steps = [{"type": "click", "target": {"css": css}} for css in ("#ask", "#open")]
    url = pages.add("/later", LATER)
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        for number in range(10):
            done = await session.call("command.batch", command_id=f"b{number}", commands=steps)
            assert [step["outcome"] for step in done["steps"]] == ["done", "failed"]
            assert done["steps"][0]["status"] == "injected"
            assert done["steps"][1]["error"]["code"] == "dialog_open"
            assert (done["dialog"]["message"], done["popups"]) == ("Sure?", [])
            await session.call("dialog.dismiss")


async def test_d03_three_answers_are_three_results(tmp_path: Path, pages: PageServer) -> None:
    async with open_real_everyday(tmp_path) as house:
        await answer_three_times(house, pages)


async def answer_three_times(house: RealEveryday, pages: PageServer) -> None:
    async with house.open(pages.url("D03")) as session:
        seen = []
        text = 'Zoë 😀 "q"'
        for verb, params in (("accept", {}), ("accept", {"text": text}), ("dismiss", {})):
            with trio.fail_after(SOON_S):
                clicked = await session.click("#b")
            assert (clicked["status"], clicked["outcome"]) == ("injected", "completed")
            assert clicked["dialog"]["type"] == "prompt"
            assert clicked["dialog"]["defaultPrompt"] == "défaut"
            await session.call(f"dialog.{verb}", **params)
            seen.append(json.loads(await session.text()))
        assert seen == ["défaut", text, None]
        assert (await session.click("#b"))["dialog"]["disposition"] == "open"
        dialogs = (await session.call("dialog.list"))["dialogs"]
        assert [one["disposition"] for one in dialogs] == [
            "accepted",
            "accepted",
            "dismissed",
            "open",
        ]
        await session.call("dialog.dismiss")
        with pytest.raises(Failure) as again:
            await session.call("dialog.dismiss")
        assert again.value.code == "not_found"
    ended = await house.call("dialog.list", session_id=session.session_id)
    assert [one["disposition"] for one in ended["dialogs"]] == [
        "accepted",
        "accepted",
        "dismissed",
        "dismissed",
    ]
    assert ended["dialogs"][0]["defaultPrompt"] == "défaut"


@pytest.mark.parametrize(("policy", "wanted"), [("accept", "défaut"), ("default", None)])
async def test_a_policy_answers_and_the_command_says_so(
    policy: str, wanted: str | None, tmp_path: Path, pages: PageServer
) -> None:
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(pages.url("D03"), on_dialog=policy) as session,
    ):
        clicked = await session.click("#b")
        assert clicked["status"] == "ok"
        assert clicked["dialog"]["disposition"] == ("accepted" if wanted else "dismissed")
        assert json.loads(await session.text()) == wanted


async def test_a_dialog_that_a_person_closed_is_not_ours(tmp_path: Path, pages: PageServer) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("D03")) as session:
        watching = session.watching
        page = watching.attach(watching.page())
        await trio.to_thread.run_sync(lambda: watching.call("Page.enable", session=page))
        await session.click("#b")
        await trio.to_thread.run_sync(
            lambda: watching.call("Page.handleJavaScriptDialog", session=page, accept=False)
        )
        with trio.fail_after(SOON_S):  # our own connection may hear of it a moment later
            while (  # noqa: ASYNC110 - the daemon sends no event
                listed := await session.call("dialog.list")
            )["open"] is not None:
                await trio.sleep(0.02)
        await session.run("read", what="title")
        assert [one["disposition"] for one in listed["dialogs"]] == ["elsewhere"]


async def test_leaving_a_page_that_asks(tmp_path: Path, pages: PageServer) -> None:
    asking = "<!doctype html><body><button>x</button><script>onbeforeunload = e => {"
    url = pages.add("/asking", asking + " e.preventDefault(); return 'stay' }</script>")
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        await session.click("button")
        with trio.fail_after(SOON_S):
            left = await session.run("navigate", url=pages.url("P04"))
        assert left["dialog"]["type"] == "beforeunload"
        assert left["status"] == "injected"
        await session.call("dialog.accept")
        await session.wait_for("document.title", "P04")


async def test_p01_popups_are_reported_and_opened_in_the_own_tab(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("P01")) as session:
        other = pages.url("P01", "other")
        followed = await session.click("#a")
        assert [popup["url"] for popup in followed["popups"]] == [other]
        assert followed["popups"][0]["openedByTab"] is True
        assert followed["page"]["title"] == "P01"
        late = await session.click("#b")
        # the page gives it an address only later, which a slow machine may still see
        ((number, url),) = [(p["number"], p["url"]) for p in late["popups"]]
        assert number == 2
        assert url in ("about:blank", other)
        await trio.sleep(0.5)
        assert not [request for request in pages.requests if request.path.endswith("/other")]
        assert await session.text() == "parent"
        assert (await session.call("popup.list"))["count"] == 2
        opened = await session.call("popup.open", number=1)
        assert opened["page"]["url"] == other
        assert await session.text() == f"child of {pages.a}"
        with pytest.raises(Failure) as nowhere:
            await session.call("popup.open", number=3)
        assert nowhere.value.code == "not_found"


async def test_a_popup_that_was_to_be_sent_a_form_is_not_loaded_by_its_address(
    tmp_path: Path, pages: PageServer
) -> None:
    form = "<form method=post action='/hit?n=form' target=_blank><button>go</button></form>"
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(pages.add("/form", f"<!doctype html>{form}")) as session,
    ):
        (popup,) = (await session.click("button"))["popups"]
        assert popup["method"] == "POST"
        with pytest.raises(Failure) as refused:
            await session.call("popup.open", number=1)
        assert refused.value.code == "action_failed"
        assert pages.hits("form") == 0


async def test_a_popup_of_another_origin_stays_closed(tmp_path: Path, pages: PageServer) -> None:
    url = pages.add("/away", "<!doctype html><a target=_blank href='{C}/hit?n=away'>x</a>")
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        assert len((await session.click("a"))["popups"]) == 1
        with pytest.raises(Failure) as refused:
            await session.call("popup.open", number=1)
        assert refused.value.code in ("origin", "navigation_failed")
        assert pages.hits("away") == 0


async def test_the_page_log_tells_what_went_wrong_and_a_failure_counts_it(
    tmp_path: Path, pages: PageServer
) -> None:
    page = "<!doctype html><script>console.error('broken'); fetch('/missing')</script>"
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(pages.add("/wrong", page)) as session,
    ):
        with trio.fail_after(SOON_S):
            while (log := await session.call("session.log", page=True))["count"] < 2:  # noqa: ASYNC110
                await trio.sleep(0.02)
        assert {one["text"] for one in log["entries"]} == {"broken", "HTTP 404"}
        with pytest.raises(Failure) as failed:
            await session.run("read", what="text", target={"css": "#none"})
        assert failed.value.body()["pageErrors"] == 2  # type: ignore[typeddict-item]
        requests = (await session.call("session.status"))["session"]["requests"]
        assert [one["origin"] for one in requests] == [pages.a]


async def test_a_session_with_an_open_dialog_closes_and_the_dialog_is_interrupted(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_real_everyday(tmp_path) as house:
        async with house.open(pages.url("D03")) as session:
            assert (await session.click("#b"))["dialog"]["disposition"] == "open"
            with trio.fail_after(10):
                closed = await session.call("session.close")
            assert closed["cleanupComplete"] is True
        ended = await house.call("dialog.list", session_id=session.session_id)
        assert [one["disposition"] for one in ended["dialogs"]] == ["interrupted"]


async def test_a_fill_that_a_dialog_cut_short_holds_back_no_later_text(
    tmp_path: Path, pages: PageServer
) -> None:
    page = """<!doctype html><input id=a aria-label=A onfocus="alert('hello')">
        <input id=b aria-label=B>"""
    address = pages.add("/cut-short", page)
    async with open_real_everyday(tmp_path) as house, house.open(address) as session:
        cut = await session.run("fill", target={"css": "#a"}, text="Ada")
        assert (cut["status"], cut["dialog"]["message"]) == ("injected", "hello")
        await session.call("dialog.accept")
        assert (await session.click("#b"))["status"] == "ok"
        await session.run("key", keys="x")
        assert await session.evaluate("[a.value, b.value]") == ["", "x"]
