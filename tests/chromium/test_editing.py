"""Typing into a real page: exactly the text, or an honest word about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.editing import Typing, TypingStatus
from cdp.elements.done import Status
from cdp.elements.targets import By, Locator
from tests.fakes.acting import acts_on, done
from tests.fakes.driven import Driven, drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

UNICODE = 'é 中 😀 e\u0301 👩‍👩‍👧 "q" <b> {x} ~`\''

FIELDS = """<!doctype html><title>fields</title><style>body{margin:0}</style>
<input id=plain><input id=filled value='abcdef'><input id=email type=email value='a@b.example'>
<input id=secret type=password><input id=number type=number value=5><input id=date type=date>
<input id=short maxlength=4 value=ab>
<input id=upper oninput='this.value = this.value.toUpperCase()'>
<input id=late oninput='setTimeout(() => this.value = "", 20)'>
<input id=locked readonly value=KEEP><input id=check type=checkbox>
<textarea id=area rows=3>one two</textarea>
<div id=rich contenteditable style='border:1px solid;min-height:20px'></div>
<div id=lines contenteditable style='border:1px solid'><p>first</p><p>last</p></div>
<div id=only contenteditable=plaintext-only style='white-space:pre-wrap'>x</div>
<x-field id=host></x-field><iframe id=same srcdoc='<input id=i>' style='height:60px'></iframe>
<iframe id=other src='{B}/fields/inner' style='height:60px'></iframe>
<input id=pin1 maxlength=1 oninput='pin2.focus()'><input id=pin2 maxlength=1>
<input id=leaves oninput='away.focus()'><button id=away>B</button>
<input id=refuses onkeydown='event.preventDefault(); silent.focus()'>
<input id=silent onkeydown='event.preventDefault()'>
<div style='width:1px;height:1px;overflow:hidden'><textarea id=proxy
  oninput='out.textContent += this.value; this.value = ""'></textarea></div>
<p id=out></p><script>
  const shadow = host.attachShadow({mode: 'open'});
  shadow.innerHTML = '<input id=deep>';
  const seen = [];
  for (const kind of ['keydown', 'keyup', 'beforeinput', 'input'])
    addEventListener(kind, event => seen.push([kind, event.key ?? event.inputType]), true);
</script>"""
INNER = """<!doctype html><input id=i><script>addEventListener('message', event =>
  event.source.postMessage(i.value, '*'))</script>"""


async def open_fields(driven: Driven, pages: PageServer) -> None:
    pages.add("/fields/inner", INNER)
    await driven.open(pages.add("/fields", FIELDS))


async def type_into(driven: Driven, focus: str, text: str) -> Typing:
    await driven.evaluate(f"seen.length = 0; {focus}", "/fields")
    return await driven.page.type_text(text)


def status_of(typing: Typing) -> tuple[str, bool]:
    return typing.status.value, typing.sent


async def test_text_arrives_whole_in_every_kind_of_field(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await open_fields(driven, pages)
        for focus, look, text, wanted in (
            ("plain.focus()", "plain.value", UNICODE, UNICODE),
            ("filled.focus(); filled.setSelectionRange(1, 4)", "filled.value", "-", "a-ef"),
            ("email.focus(); email.select()", "email.value", "ann@b.example", "ann@b.example"),
            ("secret.focus()", "secret.value", "p w\t1", "p w\t1"),
            ("number.select(); number.focus()", "number.value", "-12.5", "-12.5"),
            ("area.focus(); area.setSelectionRange(3, 4)", "area.value", "\r\n\té\n",
             "one\n\té\ntwo"),
            ("rich.focus()", "rich.innerText", "a\n" + UNICODE, "a\n" + UNICODE),
            ("rich.replaceChildren(); rich.focus()", "rich.children.length", "a\n\nb\n", 3),
            ("getSelection().collapse(lines.firstChild.firstChild, 2)", "lines.innerText",
             "X\nY", "fiX\n\nYrst\n\nlast"),
            ("getSelection().selectAllChildren(only)", "only.textContent", "p  q\nr", "p  q\nr"),
            ("shadow.querySelector('input').focus()", "shadow.querySelector('input').value",
             UNICODE, UNICODE),
            ("same.contentDocument.querySelector('input').focus()",
             "same.contentDocument.querySelector('input').value", UNICODE, UNICODE),
        ):  # fmt: skip
            typing = await type_into(driven, focus, text)
            assert await driven.evaluate(look, "/fields") == wanted, focus
            assert (status_of(typing), focus) == (("ok", True), focus), typing
            assert not any(part in typing.detail for part in text.split() if len(part) > 1)
        keys = await driven.evaluate("seen.filter(s => s[0] === 'keydown').length", "/fields")
        assert keys == 0  # the last field's frame heard them, not the page


async def test_a_field_in_a_frame_of_another_process(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await open_fields(driven, pages)
        await driven.click("#other")
        box = await driven.center("#other")
        assert box.x > 0
        await driven.press("tab")
        typing = await driven.page.type_text(UNICODE)
        assert status_of(typing) == ("ok", True), typing
        ask = """new Promise(done => { addEventListener('message', e => done(e.data));
          other.contentWindow.postMessage('', '*'); })"""
        assert await driven.evaluate(ask, "/fields") == UNICODE


async def test_what_does_not_arrive_is_not_called_ok(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await open_fields(driven, pages)
        for focus, look, text, status, left, words in (
            ("short.focus(); short.setSelectionRange(2, 2)", "short.value", "cdef", "failed",
             "abcd", "4 characters instead of 6"),
            ("upper.focus()", "upper.value", "abc", "failed", "ABC", "other characters"),
            ("late.focus()", "late.value", "abc", "failed", "", "0 characters instead of 3"),
            ("number.focus(); number.value = 5", "number.value", "abc", "failed", "5", "instead"),
            ("date.focus()", "date.value", "06152024", "injected", "2024-06-15", "own way"),
            ("pin1.focus()", "pin1.value + pin2.value", "12", "injected", "12",
             "the page moved the focus to another field"),
            ("leaves.focus()", "leaves.value", "abc", "failed", "a", "focus went elsewhere"),
            ("refuses.focus()", "refuses.value", "abc", "failed", "", "focus went elsewhere"),
            ("proxy.focus()", "out.textContent", "mono", "injected", "mono", "not shown"),
            ("document.activeElement.blur(); out.textContent = ''", "out.textContent", "abc",
             "injected", "", "nothing editable"),
            ("check.focus()", "check.checked", " ", "injected", True, "nothing editable"),
        ):  # fmt: skip
            typing = await type_into(driven, focus, text)
            assert (status_of(typing), focus) == ((status, True), focus), typing
            assert words in typing.detail
            assert await driven.evaluate(look, "/fields") == left, focus
            assert await driven.evaluate("seen.length", "/fields") > 0


BOXES = """<!doctype html><title>code</title><script>
  for (let n = 1; n <= 6; n++)
    document.write(`<input class=c maxlength=1 aria-label='Digit ${n}'>`);
  const boxes = [...document.querySelectorAll('.c')];
  const enter = (box, digit) => { box.value = digit; boxes[boxes.indexOf(box) + 1]?.focus(); };
  addEventListener('input', event => boxes[boxes.indexOf(event.target) + 1]?.focus());
  if (location.search) addEventListener('keydown', event => {
    if (!/^[0-9]$/.test(event.key)) return;
    event.preventDefault(); enter(event.target, event.key); });
</script>"""


@pytest.mark.parametrize("how", ["", "?by-its-own-hand"])
async def test_a_code_that_the_page_spreads_over_boxes_is_not_to_be_sent_again(
    how: str, tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/code", BOXES) + how)
        typed = await done(acts_on(driven).type_text("123456", Locator(By.label, "Digit 1")))
        assert typed.status is Status.injected, typed
        assert "moved the focus" in str(typed.seen["detail"])
        assert await driven.evaluate("boxes.map(b => b.value).join()") == "1,2,3,4,5,6"


async def test_what_cannot_be_typed_is_refused_before_any_input(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await open_fields(driven, pages)
        for focus, look, text, left, words in (
            ("filled.focus()", "filled.value", "a\nb", "abcdef", "line breaks"),
            ("email.focus()", "email.value", "a\rb", "a@b.example", "line breaks"),
            ("locked.focus()", "locked.value", "HACKED", "KEEP", "read-only"),
        ):
            typing = await type_into(driven, focus, text)
            assert typing.status is TypingStatus.failed
            assert words in typing.detail
            assert not typing.sent
            assert await driven.evaluate("[seen.length, " + look + "]", "/fields") == [0, left]


async def test_a_controlled_input_takes_it(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.a + "/I01/")
        await driven.click("#i", count=3)
        typing = await driven.page.type_text("ann@example.org")
        assert status_of(typing) == ("ok", True), typing
        await driven.evaluate("new Promise(done => setTimeout(done, 300))")
        await driven.click("#s")
        assert (await driven.text()).startswith("ann@example.org changes=")


async def test_an_editor_that_draws_for_itself_takes_it_once(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.a + "/I04/")
        await driven.click("#e")
        typing = await driven.page.type_text("Hello\nwörld 😀")
        assert status_of(typing) == ("ok", True), typing
        await driven.click("#s")
        assert await driven.text() == '"Hello\\nwörld 😀"'
