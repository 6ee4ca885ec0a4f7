"""Case Z05: whatever leads out of the session's origins is stopped before it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import trio

from protocol.errors import Failure
from tests.fakes.real_everyday import RealSession, open_real_everyday

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

ELSEWHERE = (
    "{C}/hit?n=Z05n",
    "{A}/redir?to={C}/hit?n=Z05n",
    "data:text/html,<p id=out>data</p>",
    "blob:{A}/00000000-0000-0000-0000-000000000000",
    "javascript:1",
    "file:///etc/passwd",
    "chrome://version",
    "view-source:{A}/Z05/",
    "http://127.0.0.1:{port}@evil.example/",
    "http://127.0.0.1.evil.example:{port}/",
    "https://127.0.0.1:{port}/",
    "{B}/hit?n=Z05n",
    "about:srcdoc",
    " {A}/",
)
SAME = (
    "HTTP://127.0.0.1:{port}/P04/",
    "http://127.0.0.1.:{port}/P04/",
    "http://127.1:{port}/P04/",
    "http://127.0.0.1:0{port}/P04/",
    "http://0x7f000001:{port}/P04/",
)


def spell(pages: PageServer, url: str) -> str:
    port = str(urlsplit(pages.a).port)
    for mark, text in (("{A}", pages.a), ("{B}", pages.b), ("{C}", pages.c), ("{port}", port)):
        url = url.replace(mark, text)
    return url


async def test_loading_again_sends_no_form_again(tmp_path: Path, pages: PageServer) -> None:
    form = pages.add("/form", '<form method=post action="/hit?n=paid"><button>Pay</button></form>')
    async with open_real_everyday(tmp_path) as house, house.open(form) as session:
        assert (await session.click("button"))["status"] == "ok"
        await session.wait_for("location.pathname", "/hit")
        for kind in ("reload", "back", "forward"):
            if kind == "back":
                assert (await session.run(kind))["status"] == "ok"
                continue
            with pytest.raises(Failure) as refused:
                await session.run(kind)
            assert refused.value.code == "navigation_failed", kind
            assert "send that again" in refused.value.message
        assert pages.hits("paid") == 1
        assert await refused_count(session) == 0, "its origin is not what is wrong with it"
        assert await session.evaluate("location.href") == form
        assert (await session.run("reload"))["status"] == "ok"


async def test_what_a_page_sends_while_it_is_loaded_again_is_its_own(
    tmp_path: Path, pages: PageServer
) -> None:
    page = """<!doctype html><form method=post action="/hit?n=own"></form>
        <script>if (performance.getEntriesByType("navigation")[0].type === "reload")
            document.forms[0].submit()</script>"""
    async with open_real_everyday(tmp_path) as house, house.open(pages.add("/own", page)) as tab:
        assert (await tab.run("reload"))["status"] == "ok"
        await tab.wait_for("location.pathname", "/hit")
        assert pages.hits("own") == 1


async def refused_count(session: RealSession) -> int:
    status = await session.call("session.status")
    return int(status["session"]["refusedNavigations"])


async def test_z05_nothing_leaves_and_the_rest_is_listed(tmp_path: Path, pages: PageServer) -> None:
    url = pages.url("Z05")
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        with trio.fail_after(5):
            while not (pages.hits("Z05i") and pages.hits("Z05x")):  # noqa: ASYNC110
                await trio.sleep(0.02)
        for count, css in ((0, "#d"), (1, "#r"), (2, "#f button")):
            await session.click(css)
            with trio.fail_after(5):
                while await refused_count(session) < count:  # noqa: ASYNC110
                    await trio.sleep(0.02)
        assert (pages.hits("Z05r"), pages.hits("Z05f")) == (0, 0)
        assert await session.evaluate("location.href") == url
        status = (await session.call("session.status"))["session"]
        assert status["url"] == url
        # frames and sub-resources pass, and are listed by origin
        origins = {one["origin"]: one["requests"] for one in status["requests"]}
        assert set(origins) == {pages.a, pages.c}
        assert origins[pages.c] >= 2


async def test_z05_only_the_origin_itself_can_be_navigated_to(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("P04")) as session:
        before = len([one for one in pages.requests if one.origin != "A"])
        for url in ELSEWHERE:
            with trio.fail_after(5), pytest.raises(Failure) as failed:
                await session.run("navigate", url=spell(pages, url))
            assert failed.value.code in ("origin", "navigation_failed", "invalid_request"), url
            assert await session.evaluate("location.href") == pages.url("P04"), url
        assert len([one for one in pages.requests if one.origin != "A"]) == before
        assert pages.hits("Z05n") == 0
        for url in SAME:
            done = await session.run("navigate", url=spell(pages, url))
            assert done["status"] == "ok", url
            assert done["page"]["url"] == pages.url("P04")
        await session.run("navigate", url="about:blank")
        assert await session.evaluate("location.href") == "about:blank"


async def test_a_stopped_navigation_is_told_by_a_command(tmp_path: Path, pages: PageServer) -> None:
    page = "<!doctype html><a href='{C}/hit?n=away'>x</a><button>y</button>"
    url = pages.add("/leave", page)
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        told = list((await session.click("a")).get("refused", []))
        with trio.fail_after(5):
            while await refused_count(session) < 1:  # noqa: ASYNC110
                await trio.sleep(0.02)
        told += (await session.click("button")).get("refused", [])
        told += (await session.click("button")).get("refused", [])
        away = f"{pages.c}/hit?n=away"
        assert told == [{"number": 1, "url": away, "method": "GET", "origin": pages.c}]
        with pytest.raises(Failure) as refused:
            await session.run("navigate", url=away)
        body = refused.value.body()
        assert body["code"] == "origin"
        assert pages.c in body["message"]
        assert f"--origin {pages.c} " in body["hint"]
        assert pages.hits("away") == 0
