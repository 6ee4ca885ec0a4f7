"""Navigation, state, pictures, dialogs and loss of a real page."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.dialog import Disposition
from cdp.elements.travelling import reload
from cdp.errors import CallTimedOut, ConnectionClosed, SessionDetached, TargetCrashed
from cdp.page import NavigationOutcome
from cdp.page_errors import CaptureUnusable, DialogHeld, PageSealed, SchemeRefused
from cdp.pointer import Point
from cdp.viewport import Viewport
from tests.fakes.attendants import holding
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from cdp.page import Page
    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

SOON_S = 10.0
"""Less than a call's own deadline: in this time a wait has ended for its reason."""


async def test_navigation_says_where_it_ended(tmp_path: Path, pages: PageServer) -> None:
    hashes = pages.add("/hashes", "<!doctype html><title>hashes</title>")
    onward = pages.add("/onward", "<!doctype html><script>location = '/P04/'</script>")
    async with drive(tmp_path) as driven:
        navigate = driven.page.navigate
        for url, outcome, status, end, error in (
            (hashes + "#one", "loaded", 200, hashes + "#one", ""),
            (hashes + "#two", "same_document", None, hashes + "#two", ""),
            (pages.a + "/absent", "loaded", 404, pages.a + "/absent", ""),
            (onward, "loaded", 200, pages.a + "/P04/", ""),
            (pages.a + "/attach?name=x.bin", "download_denied", None, pages.a + "/P04/", ""),
            ("about:blank", "loaded", None, "about:blank", ""),
            ("http://127.0.0.1:9/", "failed", None, "chrome-error://chromewebdata/", "UNSAFE_PORT"),
            ("http://nowhere.invalid/", "failed", None, "chrome-error://chromewebdata/",
             "NAME_NOT_RESOLVED"),
        ):  # fmt: skip
            ended = await navigate(url)
            assert (url, ended.outcome.value, ended.status) == (url, outcome, status)
            assert ended.url == end
            assert error in ended.error
            state = await driven.page.read_state()
            assert (state.url, state.loader_id) == (ended.url, ended.loader_id)


async def test_navigation_has_a_deadline_for_the_whole_load(
    tmp_path: Path, pages: PageServer
) -> None:
    half = pages.add("/half", "<!doctype html><title>half</title><img src='/slow?ms=60000'>")
    async with drive(tmp_path) as driven:
        with trio.fail_after(SOON_S):
            headers = await driven.page.navigate(pages.a + "/slow?ms=60000", timeout_s=0.5)
            assert headers.outcome is NavigationOutcome.timed_out
            assert headers.url == "about:blank"
            load = await driven.page.navigate(half, timeout_s=1)
            assert (load.outcome, load.url) == (NavigationOutcome.timed_out, half)
        assert (await driven.page.navigate(pages.a + "/P04/")).succeeded


async def test_a_parsed_document_counts_where_it_may_though_not_all_of_it_comes(
    tmp_path: Path, pages: PageServer
) -> None:
    image = pages.add("/image", "<title>image</title><img src='/slow?ms=60000'><p id=out>here")
    script = pages.add("/script", "<title>script</title><script src='/slow?ms=60000'></script>")
    async with drive(tmp_path) as driven:
        driven.page.waits_on = True
        with trio.fail_after(SOON_S):
            load = await driven.page.navigate(image, timeout_s=1)
            assert (load.outcome, load.url, load.status) == ("loading", image, 200)
            assert load.succeeded
            assert await driven.evaluate("document.readyState") == "interactive"  # not stopped
            again = await reload(driven.page, timeout_s=1)
            assert again.outcome is NavigationOutcome.loading
            for url, end in ((script, script), (pages.a + "/slow?ms=60000", script)):
                load = await driven.page.navigate(url, timeout_s=1)
                assert (load.outcome, load.url) == (NavigationOutcome.timed_out, end)


async def test_a_load_that_a_busy_page_does_not_hear_stopped_is_no_definite_failure(
    tmp_path: Path, pages: PageServer
) -> None:
    busy = "const t = Date.now(); while (Date.now() < t + 5000);"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/busy", "<p>busy"))
        await driven.evaluate(f"void setTimeout(() => {{ {busy} }}, 50)")
        await trio.sleep(0.2)  # it says nothing any more, so nobody can ask whether it is busy
        with pytest.raises(CallTimedOut):
            await driven.page.navigate(pages.a + "/P04/", timeout_s=0.5)


async def test_other_schemes_are_never_sent(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        for url in (
            "data:text/html,x", "file:///etc/passwd", "chrome://version", "javascript:1",
            f"view-source:{pages.a}", f"blob:{pages.a}/x", "about:srcdoc", " http://127.0.0.1/",
            "ht\ntp://127.0.0.1/", "",
        ):  # fmt: skip
            with pytest.raises(SchemeRefused):
                await driven.page.navigate(url)
        assert (await driven.page.read_state()).url == "about:blank"


async def test_the_state_is_of_one_document_and_whole_text(
    tmp_path: Path, pages: PageServer
) -> None:
    clobbered = pages.add("/clobbered", "<!doctype html><title>true</title><form name=title>")
    async with drive(tmp_path) as driven:
        await driven.open(pages.a + "/O04/")
        state = await driven.page.read_state()
        assert state.title == "bad \ufffd title \u2028"
        assert (state.url, state.width, state.height) == (pages.a + "/O04/", 1280, 720)
        await driven.open(clobbered)
        assert (await driven.page.read_state()).title == "true"


async def test_pictures_are_whole_and_show_the_viewport(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path, viewport=Viewport(500, 240)) as driven:
        await driven.open(pages.a + "/E03/")
        capture = await driven.page.capture(500, 240)
        rows = pixels(capture.png, 500)
        assert (len(rows), len(rows[0])) == (240, 500 * 3)
        assert rows[0][:3] == b"\xff\0\0"
        assert rows[239][499 * 3 :] == b"\0\0\xff"
        with pytest.raises(CaptureUnusable, match="500x240 instead of 500x241"):
            await driven.page.capture(500, 241)


def pixels(png: bytes, width: int) -> list[bytes]:
    """Decode a PNG of 8-bit RGB or RGBA; a small reader of our own, for the corners only."""
    depth, colour = png[24], png[25]
    assert (depth, colour in (2, 6)) == (8, True)
    size, data, place = {2: 3, 6: 4}[colour], b"", 8
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    raw, line, rows = zlib.decompress(data), bytearray(width * size), []
    for start in range(0, len(raw), width * size + 1):
        line = unfiltered(raw[start], raw[start + 1 : start + 1 + width * size], line, size)
        rows.append(bytes(b for n, b in enumerate(line) if n % size < 3))
    return rows


def unfiltered(kind: int, row: bytes, above: bytearray, size: int) -> bytearray:
    line = bytearray(row)
    for n in range(len(line)):
        left = line[n - size] if n >= size else 0
        corner = above[n - size] if n >= size else 0
        up = above[n]
        paeth = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                    (abs(left + up - 2 * corner), 2, corner))[2]  # fmt: skip
        line[n] = (line[n] + (0, left, up, (left + up) // 2, paeth)[kind]) & 0xFF
    return line


COUNT_INPUT = """n = 0; for (const kind of ['mousemove', 'mousedown', 'keydown', 'wheel'])
  addEventListener(kind, () => n++, true)"""

DIALOGS = """<!doctype html><title>dialogs</title><style>body{margin:0}button{position:absolute;
left:0;width:100px;height:40px}</style><p id=out style='margin-top:300px'></p>
<button style='top:0' onclick="alert('a'); say(confirm('b'), prompt('c', 'd'))">now</button>
<button style='top:50px' onclick="setTimeout(() => say(confirm('e')))">later</button>
<button style='top:100px' onmousedown="say(confirm('f'))">press</button>
<iframe src='{B}/asks' style='position:absolute;top:150px;left:0;width:100px;height:40px;border:0'>
</iframe><script>const say = (...all) => out.textContent += JSON.stringify(all)</script>"""
ASKS = "<!doctype html><script>onclick = () => { document.title = confirm('g') }</script>"


async def open_dialogs(driven: Driven, pages: PageServer) -> None:
    pages.add("/asks", ASKS)
    await driven.open(pages.add("/dialogs", DIALOGS))


async def test_dialogs_are_answered_at_once_and_recorded(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await open_dialogs(driven, pages)
        with trio.fail_after(SOON_S):
            for y in (20, 70, 120, 170):
                await driven.page.pointer.click(Point(50, y))
                await driven.page.settle()
        assert await driven.evaluate("out.textContent", "/dialogs") == "[false,null][false][false]"
        seen = [(d.kind, d.message, d.disposition.value) for d in driven.page.dialogs]
        assert seen == [
            ("alert", "a", "accepted"), ("confirm", "b", "dismissed"),
            ("prompt", "c", "dismissed"), ("confirm", "e", "dismissed"),
            ("confirm", "f", "dismissed"), ("confirm", "g", "dismissed"),
        ]  # fmt: skip
        assert driven.page.dialogs[2].default_prompt == "d"
        assert driven.page.dialogs[5].url == pages.b + "/asks"
        assert driven.page.open_dialog is None


async def test_a_held_dialog_ends_every_wait_and_nothing_stays_pressed(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path, attendant=holding()) as driven:
        await open_dialogs(driven, pages)
        page = driven.page
        with trio.fail_after(SOON_S):
            with pytest.raises(DialogHeld) as held:
                await page.pointer.click(Point(50, 120))
            assert held.value.dialog.message == "f"
            for attempt in (page.read_state, lambda: page.capture(1280, 720), page.settle):
                with pytest.raises(DialogHeld):
                    await attempt()
        assert page.open_dialog is not None
        assert page.open_dialog.disposition is Disposition.held
        await page.target.session.call("Page.handleJavaScriptDialog", accept=True)
        await page.settle()
        assert await driven.evaluate("out.textContent", "/dialogs") == "[true]"
        assert await driven.evaluate("document.querySelector(':active')", "/dialogs") is None


async def test_a_sealed_page_takes_no_input_and_answers_nothing(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await open_dialogs(driven, pages)
        page = driven.page
        await driven.evaluate(COUNT_INPUT, "/dialogs")
        page.seal()
        for attempt in (
            lambda: page.pointer.click(Point(5, 5)),
            lambda: page.pointer.move(Point(6, 6)),
            lambda: page.pointer.drag(Point(5, 5), Point(9, 9)),
            lambda: page.pointer.scroll(Point(5, 5), "down", 1),
            lambda: driven.press("a"),
            lambda: page.type_text("a"),
            lambda: page.navigate("about:blank"),
        ):
            with pytest.raises(PageSealed):
                await attempt()
        await page.settle()
        assert await driven.evaluate("n", "/dialogs") == 0
        assert (await page.capture(1280, 720)).width == 1280
        driven.watching.send(
            "Runtime.evaluate",
            session=driven.watching.attach(driven.watching.page("/dialogs")),
            expression="alert('late')",
        )
        with trio.fail_after(SOON_S):
            await dialog_opens(page)
            with pytest.raises(DialogHeld):
                await page.settle()
        assert [d.disposition for d in page.dialogs] == [Disposition.held]


async def dialog_opens(page: Page) -> None:
    while page.open_dialog is None:  # noqa: ASYNC110 (the page's only sign)
        await trio.sleep(0.01)


async def test_a_crash_ends_every_wait(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.a + "/P04/")
        page = driven.page
        with trio.fail_after(SOON_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.to_thread.run_sync, driven.watching.crash)
                with pytest.raises(TargetCrashed):
                    await page.target.world.run("() => new Promise(() => {})", wait=True)
            for attempt in (
                page.read_state,
                page.settle,
                lambda: page.capture(1280, 720),
                lambda: page.pointer.click(Point(5, 5)),
                lambda: page.type_text("x"),
                lambda: page.navigate(pages.a + "/P04/"),
            ):
                with pytest.raises(TargetCrashed):
                    await attempt()
        assert isinstance(page.lost, TargetCrashed)


async def test_a_closed_tab_is_gone(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.a + "/P04/")
        await trio.to_thread.run_sync(
            lambda: driven.watching.call("Target.createTarget", url="about:blank")
        )
        own = driven.browser.target_id
        await trio.to_thread.run_sync(
            lambda: driven.watching.call("Target.closeTarget", targetId=own)
        )
        with trio.fail_after(SOON_S), pytest.raises((SessionDetached, ConnectionClosed)):
            await driven.page.pointer.click(Point(5, 5))


async def test_a_page_that_hangs_is_not_waited_for(tmp_path: Path, pages: PageServer) -> None:
    hang = "<!doctype html><script>onmousedown = () => { for (;;); }</script>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/hang", hang))
        with trio.fail_after(SOON_S), pytest.raises(CallTimedOut):
            await driven.page.pointer.click(Point(50, 50), timeout_s=0.5)


async def test_a_page_that_moves_on_is_followed_to_its_end(
    tmp_path: Path, pages: PageServer
) -> None:
    hop = "<!doctype html><title>NAME</title><script>onload = () => setTimeout(() => NEXT)</script>"
    pages.add("/hop2", hop.replace("NEXT", "location = '/P04/'"))
    first = pages.add("/hop1", hop.replace("NEXT", "location.replace('/hop2')"))
    refresh = "<!doctype html><meta http-equiv=refresh content='0;url={A}/hop1'>"
    async with drive(tmp_path) as driven:
        for url in (first, pages.add("/refresh", refresh)):
            ended = await driven.page.navigate(url)
            await driven.wait_for("document.title", "P04")
            assert ended.succeeded
            assert (await driven.page.read_state()).url == pages.a + "/P04/"


async def test_a_page_that_asks_before_it_goes_is_left(tmp_path: Path, pages: PageServer) -> None:
    asks = (
        "<!doctype html><button>x</button><script>onbeforeunload = e => e.preventDefault()</script>"
    )
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/asks", asks))
        await driven.click("button")
        with trio.fail_after(SOON_S):
            assert (await driven.page.navigate(pages.a + "/P04/")).succeeded
        assert [d.kind for d in driven.page.dialogs] == ["beforeunload"]


async def test_a_storm_of_dialogs_ends(tmp_path: Path, pages: PageServer) -> None:
    storm = "<!doctype html><script>onclick = () => { for (n = 0; n < 300; n++) alert(n) }</script>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/storm", storm))
        await driven.page.pointer.click(Point(50, 50))
        assert driven.page.target.dialogs.count == 300
        assert driven.page.dialogs[-1].message == "299"
        assert driven.page.open_dialog is None
