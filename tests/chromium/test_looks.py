"""Reads, waits and pictures, beside what the page itself says."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.children import open_children
from cdp.elements.done import Status
from cdp.elements.errors import NoHistory, RefStale, SeveralMatch
from cdp.elements.looks import Looks, Wait, Waited, WaitFor, What
from cdp.elements.targets import By, Locator
from cdp.page_log import CALLS
from tests.fakes.acting import acts_on, css, done, named, refs
from tests.fakes.driven import Driven, drive

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = """<!doctype html><title>T</title><h1>Head  line</h1><p id=p data-x=7>some <b>text</b></p>
<input id=i value=v><input id=pw type=password value=secret><input id=c type=checkbox checked>
<select id=s multiple><option value=1 selected>One<option value=2 selected>Two</select>
<button id=off disabled aria-expanded=true>Off</button><p hidden id=h>not shown</p>
<x-s></x-s><iframe src='{B}/looked/inner'></iframe><p>twin</p><p>twin</p><p id=out></p><script>
  customElements.define('x-s', class extends HTMLElement { connectedCallback() {
    this.attachShadow({mode: 'closed'}).innerHTML = '<p>in the shadow</p>'; } });</script>"""


async def open_page(driven: Driven, pages: PageServer) -> Looks:
    pages.add("/looked/inner", "<!doctype html><p>in the frame</p>")
    await driven.open(pages.add("/looked", PAGE))
    return Looks(driven.page)


@asynccontextmanager
async def followed(directory: Path) -> AsyncIterator[tuple[Driven, Looks]]:
    async with drive(directory) as driven:
        loading, browser = driven.page.loading, driven.browser
        async with open_children(browser.connection, browser.page, loading.listen, CALLS):
            yield driven, Looks(driven.page)


async def wait(looks: Looks, wanted: WaitFor, value: str = "", **more: object) -> Waited:
    return await looks.wait(Wait(wanted, value, **more), timeout_s=5)  # type: ignore[arg-type]


async def test_what_can_be_read(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        looks = await open_page(driven, pages)
        for what, target, wanted in (
            (What.TEXT, css("h1"), "Head line"), (What.TEXT, css("#p"), "some text"),
            (What.VALUE, css("#i"), "v"), (What.VALUE, css("#pw"), {"length": 6}),
            (What.VALUE, css("#s"), ["1", "2"]), (What.VALUE, css("h1"), None),
            (What.COUNT, Locator(By.text, "twin"), 2), (What.COUNT, css("em"), 0),
            (What.TITLE, None, "T"), (What.URL, None, pages.a + "/looked"),
        ):  # fmt: skip
            assert await looks.read(what, target) == wanted, (what, target)
        assert await looks.read(What.ATTRIBUTE, css("#p"), "data-x") == "7"
        assert await looks.read(What.ATTRIBUTE, css("#p"), "none") is None
        state = await looks.read(What.STATE, css("#c"))
        assert (state["checked"], state["visible"], state["enabled"]) == (True, True, True)
        off = await looks.read(What.STATE, css("#off"))
        assert (off["enabled"], off["expanded"], off["editable"]) == (False, True, False)
        text = await looks.read(What.TEXT)
        for part in ("Head line", "some text", "in the shadow", "in the frame"):
            assert part in text
        assert "not shown" not in text
        with pytest.raises(SeveralMatch):
            await looks.read(What.TEXT, Locator(By.text, "twin"))
        heading = (await refs(driven))["heading", "Head line"]
        assert await looks.read(What.TEXT, heading) == "Head line"
        await driven.evaluate("document.querySelector('h1').remove()")
        with pytest.raises(RefStale):
            await looks.read(What.TEXT, heading)


async def test_waits_end_when_it_is_so(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        looks = await open_page(driven, pages)
        later = "setTimeout(() => { %s }, 300)"
        assert await wait(looks, WaitFor.TEXT, "in the frame") == Waited(met=True)
        assert await wait(looks, WaitFor.TEXT, "in the shadow") == Waited(met=True)
        for change, wanted, value, target in (
            ("out.textContent = 'came late'", WaitFor.TEXT, "came late", None),
            ("out.textContent = ''", WaitFor.TEXT_GONE, "came late", None),
            ("location.hash = 'two'", WaitFor.URL, "*/looked#two", None),
            ("off.disabled = false", WaitFor.STATE, "enabled", css("#off")),
            ("c.checked = false", WaitFor.STATE, "unchecked", css("#c")),
            ("h.hidden = false", WaitFor.STATE, "visible", css("#h")),
            ("h.hidden = true", WaitFor.STATE, "hidden", css("#h")),
            ("h.remove()", WaitFor.STATE, "gone", css("#h")),
        ):
            await driven.evaluate(later % change)
            started = trio.current_time()
            assert await wait(looks, wanted, value, target=target) == Waited(met=True), change
            assert trio.current_time() - started > 0.1, change


async def test_waits_in_vain_say_what_is_missing(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        looks = await open_page(driven, pages)
        for given, pending in (
            (Wait(WaitFor.TEXT, "never"), ("text",)),
            (Wait(WaitFor.URL, "http://a.example/*"), (pages.a + "/looked",)),
            (Wait(WaitFor.STATE, "visible", css("em")), ("no_match",)),
        ):
            assert await looks.wait(given, timeout_s=2) == Waited(met=False, pending=pending)
        state = await looks.wait(Wait(WaitFor.STATE, "enabled", css("#off")), timeout_s=2)
        assert "not enabled" in state.pending


async def test_a_page_is_idle_when_nothing_is_loading(tmp_path: Path, pages: PageServer) -> None:
    html = """<script>new EventSource('/sse'); fetch('/slow?ms=1500').then(() => done = true);
      var done = false;</script>"""
    async with followed(tmp_path) as (driven, looks):
        await driven.open(pages.add("/busy", html))
        assert await wait(looks, WaitFor.LOAD) == Waited(met=True)
        busy = await looks.wait(Wait(WaitFor.IDLE), timeout_s=0.3)
        assert busy == Waited(met=False, pending=(pages.a + "/slow?ms=1500",))
        assert await wait(looks, WaitFor.IDLE) == Waited(met=True)
        assert await driven.evaluate("done") is True


async def test_pictures_of_a_page_and_of_an_element(tmp_path: Path, pages: PageServer) -> None:
    html = """<body style="margin:0"><div style="height:1500px"></div>
      <div id=e style="width:90px;height:60px;background:red"></div>
      <div style="height:900px"></div>"""
    async with drive(tmp_path) as driven:
        looks = Looks(driven.page)
        await driven.open(pages.add("/tall", f"<!doctype html>{html}"))
        full = await looks.capture_full()
        assert (full.width, full.height) == (1280, 2460)
        part = await looks.capture_element(css("#e"))
        assert (part.width, part.height) == (90, 60)
        size = await driven.evaluate("[innerWidth, innerHeight]")
        assert size == [1280, 720]


async def test_scrolling(tmp_path: Path, pages: PageServer) -> None:
    html = """<body style="height:5000px"><button style="margin-top:3000px">Low</button>
      <div id=box style="position:fixed;top:0;height:100px;width:200px;overflow:auto">
      <div style="height:900px">long</div></div>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/scroll", f"<!doctype html>{html}"))
        acts = acts_on(driven)
        assert (await done(acts.scroll_to(named("button", "Low")))).status is Status.ok
        assert await driven.evaluate("scrollY") > 2000
        assert (await done(acts.scroll_end("top"))).status is Status.ok
        assert await driven.evaluate("scrollY") == 0
        assert (await done(acts.scroll_end("bottom"))).status is Status.ok
        bottom = "scrollY + innerHeight === document.documentElement.scrollHeight"
        assert await driven.evaluate(bottom)
        moved = await done(acts.scroll_by(0, -240))
        assert (moved.status, moved.seen) == (Status.ok, {"by": [0, -240]})
        inner = await done(acts.scroll_by(0, 100, css("#box")))
        assert inner.status is Status.ok
        assert await driven.evaluate("box.scrollTop") == 100
        await done(acts.scroll_end("top"))
        assert (await done(acts.scroll_by(0, -100))).status is Status.injected


async def test_back_forward_and_reload(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        acts = acts_on(driven)
        one, two = pages.url("N01"), pages.url("N01", "two")
        assert (await done(acts.navigate(one))).seen == {"url": one, "status": 200}
        await done(acts.navigate(two))
        await done(acts.navigate(two + "#x"))
        for act, url in (
            (acts.back(), two), (acts.back(), one), (acts.forward(), two), (acts.reload(), two)
        ):  # fmt: skip
            loads = await driven.evaluate("performance.timeOrigin")
            result = await done(act)
            assert (result.status, result.seen["url"]) == (Status.ok, url)
            assert await driven.evaluate("location.href") == url
        assert await driven.evaluate("performance.timeOrigin") != loads
        missing = await done(acts.navigate(pages.a + "/nothing"))
        assert (missing.status, missing.seen["status"]) == (Status.ok, 404)
        with pytest.raises(NoHistory):
            await acts.forward().prepare()
        failed = await done(acts.navigate("http://127.0.0.1:9/"))
        assert (failed.status, failed.code) == (Status.failed, "navigation_failed")
