"""Mouse and keys on a real page: the trusted events that a person would cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from cdp.hit import Hit
from cdp.keymap import chord_of
from cdp.pointer import DRAG_STEPS, NOTCH_PX, Point
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

CLICK = ["mousedown", "mouseup", "click"]
LOG = """<script>
  let log = [];
  const note = (...kinds) => kinds.forEach(kind => addEventListener(kind, event => log.push([kind,
    event.button ?? event.key ?? 0, event.detail ?? event.code, event.isTrusted]), true));
</script>"""
MOUSE = (
    LOG
    + """<style>body{margin:0;height:5000px;width:5000px}div{position:absolute}
</style><div id=box style='left:20px;top:20px;width:100px;height:100px;background:red'></div>
<div id=from draggable=true style='left:200px;top:20px;width:100px;height:100px;background:blue'>
</div><div id=to style='left:400px;top:20px;width:200px;height:200px;background:#eee'></div>
<input id=slide type=range min=0 max=100 value=0 style='position:absolute;left:20px;top:300px;
width:200px'><p id=text style='position:absolute;left:300px;top:300px'>some words to select here</p>
<div id=pane style='left:700px;top:20px;width:200px;height:200px;overflow:auto'>
<div style='width:3000px;height:3000px'></div></div><script>
  note('mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu');
  let drops = [], moves = 0, buttons = -1, wheels = [];
  addEventListener('mousemove', event => { buttons = event.buttons; moves += buttons }, true);
  addEventListener('wheel', event => wheels.push([event.deltaX, event.deltaY]), {passive: true});
  from.ondragstart = event => event.dataTransfer.setData('text/plain', 'cargo');
  to.ondragover = event => event.preventDefault();
  to.ondrop = event => { event.preventDefault();
    drops.push(event.dataTransfer.getData('text/plain')) };
</script>"""
)


async def logged(driven: Driven) -> list[list[Any]]:
    log: list[list[Any]] = json.loads(await driven.evaluate("JSON.stringify(log.splice(0))"))
    return log


async def test_clicks_are_those_of_a_person(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/mouse", MOUSE))
        await driven.click("#box")
        once = [["mousedown", 0, 1, True], ["mouseup", 0, 1, True], ["click", 0, 1, True]]
        assert await logged(driven) == once
        await driven.click("#box", count=3)
        twice = [[kind, 0, 2, True] for kind in ("mousedown", "mouseup", "click", "dblclick")]
        thrice = [[kind, 0, 3, True] for kind in ("mousedown", "mouseup", "click")]
        assert await logged(driven) == once + twice + thrice
        await driven.click("#box", button="right")
        assert [entry[0] for entry in await logged(driven)] == [
            "mousedown", "contextmenu", "mouseup", "auxclick",
        ]  # fmt: skip
        await driven.click("#box", button="middle")
        assert ["auxclick", 1, 1, True] in await logged(driven)
        await driven.click("#text", count=3)
        assert await driven.evaluate("String(getSelection())") == "some words to select here"


async def test_no_click_is_lost_or_out_of_order(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/mouse", MOUSE))
        point = await driven.center("#box")
        for _ in range(200):
            await driven.page.pointer.click(point)
        assert [entry[0] for entry in await logged(driven)] == CLICK * 200


async def test_drags_of_both_kinds(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/mouse", MOUSE))
        drag = driven.page.pointer.drag
        for count in range(1, 6):
            await drag(await driven.center("#from"), await driven.center("#to"))
            assert await driven.evaluate("drops.join()") == ",".join(["cargo"] * count)
        await logged(driven)
        await driven.evaluate("moves = 0")
        await drag(Point(26, 308), Point(120, 308))
        assert 40 <= await driven.evaluate("Number(slide.value)") <= 60
        assert [entry[0] for entry in await logged(driven)] == CLICK
        assert await driven.evaluate("moves") == DRAG_STEPS
        box = await driven.evaluate("(b => [b.left, b.right, b.top])(text.getBoundingClientRect())")
        await drag(Point(box[0] + 1, box[2] + 9), Point(box[1] - 1, box[2] + 9))
        assert "words to select" in await driven.evaluate("String(getSelection())")
        # a selection is dragged as a thing of its own; the mouse works afterwards
        await drag(Point(box[0] + 30, box[2] + 9), await driven.center("#to"))
        await driven.click("#box")
        assert [entry[0] for entry in await logged(driven)][-3:] == CLICK


async def test_an_interrupted_drag_leaves_nothing_pressed(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/mouse", MOUSE))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driven.page.pointer.drag, Point(50, 50), Point(600, 600))
            await driven.wait_for("log.some(entry => entry[0] === 'mousedown')", wanted=True)
            nursery.cancel_scope.cancel()
        assert [entry[0] for entry in await logged(driven)].count("mouseup") == 1
        await driven.page.pointer.move(Point(300, 600))
        assert await driven.evaluate("buttons") == 0


async def test_each_wheel_notch_is_an_event(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/mouse", MOUSE))
        scroll, free = driven.page.pointer.scroll, Point(300, 600)
        for direction, notches, look, end in (
            ("down", 3, "scrollY", 3 * NOTCH_PX),
            ("up", 1, "scrollY", 2 * NOTCH_PX),
            ("right", 2, "scrollX", 2 * NOTCH_PX),
            ("left", 2, "scrollX", 0),
        ):
            await driven.evaluate("wheels = []")
            await scroll(free, direction, notches)
            await driven.page.settle()
            assert await driven.evaluate(look) == end
            assert await driven.evaluate("wheels.length") == notches
        await scroll(free, "up", 5)
        await scroll(Point(800, 100), "down", 4)
        await driven.page.settle()
        assert await driven.evaluate("[scrollY, pane.scrollTop]") == [0, 4 * NOTCH_PX]


KEYS = (
    LOG
    + """<input id=one value='first text'><textarea id=two>ab</textarea><button id=b
onclick='out.textContent += "pressed;"'>b</button><p id=out></p>
<script>note('keydown', 'keyup')</script>"""
)


async def test_chords_are_those_of_a_keyboard(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/keys", KEYS))
        await driven.evaluate("one.focus()")
        await driven.press("ctrl", "shift", "A")
        assert [entry[:2] for entry in await logged(driven)] == [
            ["keydown", "Control"], ["keydown", "Shift"], ["keydown", "A"],
            ["keyup", "A"], ["keyup", "Shift"], ["keyup", "Control"],
        ]  # fmt: skip
        for chord, look, wanted in (
            (("end",), "one.selectionStart", 10),
            (("shift", "home"), "String(getSelection())", "first text"),
            (("X",), "one.value", "X"),
            (("shift", "1"), "one.value", "X!"),
            (("plus",), "one.value", "X!+"),
            (("space",), "one.value", "X!+ "),
            (("中",), "one.value", "X!+ 中"),
            (("backspace",), "one.value", "X!+ "),
            (("alt", "z"), "one.value", "X!+ "),
            (("ctrl", "a"), "one.selectionEnd - one.selectionStart", 4),
            (("ctrl", "x"), "one.value", ""),
            (("ctrl", "v"), "one.value", "X!+ "),
            (("ctrl", "Z"), "one.value", ""),
            (("tab",), "document.activeElement.id", "two"),
            (("ctrl", "end"), "two.selectionStart", 2),
            (("enter",), "two.value", "ab\n"),
            (("arrowup",), "two.selectionStart", 0),
            (("delete",), "two.value", "b\n"),
            (("tab",), "document.activeElement.id", "b"),
            (("space",), "out.textContent", "pressed;"),
            (("enter",), "out.textContent", "pressed;pressed;"),
            (("shift", "tab"), "document.activeElement.id", "two"),
        ):
            await driven.press(*chord)
            assert (chord, await driven.evaluate(look)) == (chord, wanted)
        log = await logged(driven)
        assert all(entry[3] for entry in log)
        assert [e[1] for e in log if e[0] == "keydown"].count("Control") == 5
        assert sorted(e[1] for e in log if e[0] == "keydown") == sorted(
            e[1] for e in log if e[0] == "keyup"
        )


async def test_a_held_key_repeats_and_comes_up(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/keys", KEYS))
        await driven.evaluate("one.focus(); one.value = ''")
        await driven.page.keyboard.hold(chord_of((), "x"), 0.3)
        assert await driven.evaluate("one.value") == "x"
        await driven.page.keyboard.hold(chord_of((), "x"), 0.8)
        written = await driven.evaluate("one.value.length")
        assert 3 <= written <= 13
        await logged(driven)
        await driven.page.keyboard.hold(chord_of((), "shift"), 0.8)
        assert [entry[:2] for entry in await logged(driven)] == [
            ["keydown", "Shift"], ["keyup", "Shift"],
        ]  # fmt: skip


async def test_an_interrupted_hold_comes_up(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/keys", KEYS))
        with trio.move_on_after(0.2) as scope:
            await driven.page.keyboard.hold(chord_of(("ctrl",), "q"), 9)
        assert scope.cancelled_caught
        assert [entry[:2] for entry in await logged(driven)] == [
            ["keydown", "Control"], ["keydown", "q"], ["keyup", "q"], ["keyup", "Control"],
        ]  # fmt: skip


UNDER = """<!doctype html><style>body{margin:0}section{position:absolute;left:0;width:200px;
height:30px;overflow:hidden}section>*{display:block;width:200px;height:30px;border:0}</style>
<section style='top:0'><button onmousedown='this.remove()'><b>Pay</b> now</button></section>
<section style='top:30px'><input aria-labelledby=l placeholder=no><i id=l>Your  name</i></section>
<section style='top:60px'><x-field></x-field></section>
<section style='top:90px'><iframe srcdoc="<body style='margin:0'><a href=#><div style='height:30px'>
In a frame</div></a>"></iframe></section>
<section style='top:120px'><iframe src='{B}/under/inner'></iframe></section>
<section style='top:150px'><form><input name=getAttribute><input name=parentNode></form></section>
<section style='top:180px'><div role=switch aria-label='LONG'></div></section>
<section style='top:210px'><input type=password value=hunter2 title=Secret></section>
<script>
  document.querySelector('x-field').attachShadow({mode: 'open'}).innerHTML =
    '<label>Amount <input type=checkbox></label><style>input{position:absolute;inset:0;margin:0;' +
    'width:190px;height:30px}</style>';
  document.querySelector('[role=switch]').ariaLabel = 'é'.repeat(5000) + '\\ud800';
</script>"""
INNER = "<!doctype html><body style='margin:0'><button style='width:200px;height:30px'>Far</button>"


async def test_what_is_under_a_point_is_told_as_it_was_before(
    tmp_path: Path, pages: PageServer
) -> None:
    pages.add("/under/inner", INNER)
    url = pages.add("/under", UNDER)
    async with drive(tmp_path) as driven:
        for _ in range(10):  # a script may be overtaken by input, now and then
            await driven.open(url + "?again")
            await driven.open(url)
            hit = await driven.page.pointer.click(Point(40, 15))
            assert hit == Hit("button", "button", "Pay now", pages.a)
        find = driven.page.find_hit
        for y, wanted in (
            (45, Hit("input", "textbox", "Your name", pages.a)),
            (75, Hit("input", "checkbox", "Amount", pages.a)),
            (105, Hit("a", "link", "In a frame", pages.a)),
            (135, Hit("button", "button", "Far", pages.b)),
            (225, Hit("input", "textbox", "Secret", pages.a)),
            (700, Hit("html", "", "", pages.a)),
        ):
            assert await find(Point(40, y)) == wanted
        assert (await find(Point(190, 175))).origin == pages.a
        long = await find(Point(40, 195))
        assert (long.role, long.name) == ("switch", "é" * 512)
        # asked along with each kind of action
        pointer = driven.page.pointer
        assert (await pointer.click(Point(40, 135))).name == "Far"
        assert (await pointer.move(Point(40, 45))).name == "Your name"
        assert (await pointer.scroll(Point(40, 105), "down", 1)).name == "In a frame"
        assert (await pointer.drag(Point(40, 75), Point(45, 75))).name == "Amount"


async def test_shortcuts_of_the_browser_do_nothing(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/before", "<!doctype html><title>before</title>"))
        await driven.open(pages.add("/keys", KEYS))
        before = await driven.page.read_state()
        for chord in (
            ("ctrl", "t"), ("ctrl", "n"), ("ctrl", "w"), ("ctrl", "r"), ("f5",), ("f12",),
            ("alt", "arrowleft"), ("ctrl", "shift", "i"), ("ctrl", "plus"), ("f11",),
        ):  # fmt: skip
            await driven.press(*chord)
        await driven.page.settle()
        assert await driven.page.read_state() == before
        assert driven.fence.popup_count == 0
        assert [r.path for r in pages.requests].count("/keys") == 1


async def test_any_kind_of_document_takes_input_and_is_read(
    tmp_path: Path, pages: PageServer
) -> None:
    clobbered = """<!doctype html><title>odd</title><form name=activeElement><input name=parentNode>
      </form><img name=elementFromPoint><iframe name=getRootNode></iframe>"""
    svg = "<svg xmlns='http://www.w3.org/2000/svg'><rect width='90' height='90'/></svg>"
    async with drive(tmp_path) as driven:
        for path, text, kind in (
            ("/odd/svg", svg, "image/svg+xml"),
            ("/odd/xml", "<a><b>odd</b></a>", "application/xml"),
            ("/odd/text", "odd", "text/plain"),
            ("/odd/clobbered", clobbered, "text/html"),
        ):
            await driven.open(pages.add(path, text, kind))
            assert (await driven.page.pointer.click(Point(60, 15))).tag
            assert (await driven.page.type_text("x")).sent
            assert (await driven.page.read_state()).url == pages.a + path
            assert (await driven.page.capture(1280, 720)).height == 720
