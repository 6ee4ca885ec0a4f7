"""What a walk of a real page gives, and what its numbers name afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cdp.walker.source import NAME
from cdp.walker.walking import (
    FRAME_LIMIT,
    ElementGone,
    Options,
    PageTooLarge,
    PageWalker,
)
from protocol.snapshot_text import snapshot_lines
from tests.fakes.driven import drive
from tests.fakes.walked import describe, snapshot_of, walk, walker_of

if TYPE_CHECKING:
    from cdp.page import Page
    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

CORPUS = Path(__file__).parents[1] / "vectors" / "corpus"


async def lines_of(page: Page, **options: object) -> list[str]:
    return snapshot_lines(snapshot_of(await walk(page, **options)))


async def show(driven: Driven, pages: PageServer, html: str) -> list[str]:
    await driven.open(pages.add("/walked", f"<!doctype html><title>w</title>{html}"))
    return await lines_of(driven.page)


async def number_of(driven: Driven, element_id: str) -> int:
    """Return the number that the last walk gave an element."""
    number = await driven.page.target.world.run(
        f"id => [...{NAME}.elements].find(([, element]) => element.id === id)?.[0]", element_id
    )
    assert isinstance(number, int)
    return number


async def test_handed_cases(tmp_path: Path, pages: PageServer) -> None:
    """Cases F01, S01, I08 and C01: frame, shadow roots, hidden check boxes, dialog by role."""
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("F01"))
        assert await lines_of(driven.page) == [
            'text "tall"',
            'frame "inner" [k7e0]',
            '  text "above"',
            '  clickable "Bank transfer" [k7e1]',
            '  button "Copy" [k7e2]',
            'text "none"',
        ]
        await driven.open(pages.url("S01"))
        assert await lines_of(driven.page) == [
            'textbox "Quantity" [k7e0]',
            'button "Order now" [k7e1]',
        ]
        await driven.open(pages.url("I08"))
        assert await lines_of(driven.page) == [
            'checkbox "OK I have read the terms and conditions of use ok" [k7e0] unchecked hidden',
            'link "I have read the terms and conditions of use" [k7e1]',
            'radio "One" [k7e2] unchecked hidden',
            'radio "Two" [k7e3] unchecked hidden',
        ]
        await driven.open(pages.url("C01"))
        assert await lines_of(driven.page) == [
            'button "Submit" [k7e0]',
            'dialog "Cookie notice" [k7e1] clickable',
            '  text "We use cookies"',
            '  button "OK" [k7e2]',
        ]


async def test_frames_of_every_kind(tmp_path: Path, pages: PageServer) -> None:
    """Same origin, same site, another process, a sandbox, and frames in frames."""
    pages.add("/inner", "<button>Inner</button>")
    pages.add("/outer", "<h2>Outer</h2><iframe title=back src='{A}/inner'></iframe>")
    html = (
        "<iframe title=same src=/inner></iframe><iframe title=site src='{A2}/inner'></iframe>"
        "<iframe title=foreign src='{B}/outer'></iframe>"
        "<iframe title=sandbox sandbox src=/inner></iframe>"
        "<iframe title=empty></iframe><iframe title=gone style='display:none' src=/inner></iframe>"
    ).replace("{A2}", "{A}")
    async with drive(tmp_path) as driven:
        lines = await show(driven, pages, html)
        assert [line.split(" [")[0] for line in lines] == [
            'frame "same"',
            '  button "Inner"',
            'frame "site"',
            '  button "Inner"',
            'frame "foreign"',
            '  heading "Outer"',
            '  frame "back"',
            '    button "Inner"',
            'frame "sandbox"',
            '  button "Inner"',
            'frame "empty"',
        ]
        await interactive_frames(driven)
        foreign = (await walk(driven.page))[1]
        assert await describe(foreign.world, "k7", 0) == ("heading", "Outer")
        reload = """new Promise(done => { const frame = document.querySelector('[title=foreign]');
          frame.onload = () => done(1); frame.src = frame.src.replace('/outer', '/inner') })"""
        assert await driven.evaluate(reload, "/walked") == 1
        assert await describe(foreign.world, "k7", 0) is None
        lines = await lines_of(driven.page)
        place = next(i for i, line in enumerate(lines) if line.startswith('frame "foreign"'))
        assert lines[place + 1].startswith('  button "Inner"')


async def interactive_frames(driven: Driven) -> None:
    lines = await lines_of(driven.page, interactive=True)
    assert len(lines) == 10
    assert not any("heading" in line for line in lines)


CLOSED = """<x-closed></x-closed><div id=d><em>Slotted</em></div><p id=empty></p>
<iframe srcdoc="<div id=x></div><script>x.attachShadow({mode:'closed'}).innerHTML=
'<button>In frame</button>'</script>"></iframe>
<script>
customElements.define('x-closed', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'closed'}).innerHTML = '<button>One</button><x-deep></x-deep>' } });
customElements.define('x-deep', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'closed'}).innerHTML = '<input aria-label=Two>' } });
d.attachShadow({mode: 'closed'}).innerHTML = '<button>Around <slot></slot></button>';
empty.attachShadow({mode: 'closed'}).innerHTML = '<a href=#e>Three</a>';
const later = () => document.body.appendChild(document.createElement('section'))
  .attachShadow({mode: 'closed'}).innerHTML = '<button>Late</button>';
</script>"""


async def test_closed_shadow_trees(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        lines = await show(driven, pages, CLOSED)
        assert [line.split(" [")[0] for line in lines] == [
            'button "One"',
            'textbox "Two"',
            'button "Around Slotted"',
            'link "Three"',
            "frame",
            '  button "In frame"',
        ]
        await driven.evaluate("later()", "/walked")
        assert (await lines_of(driven.page))[-1].startswith('button "Late"')
        assert await driven.evaluate("Object.keys(window).join()", "/walked") != ""
        assert await driven.evaluate(f"typeof {NAME}", "/walked") == "undefined"


async def test_a_page_without_closed_trees_is_never_described(
    tmp_path: Path, pages: PageServer
) -> None:
    """Templates, frames, objects and the browser's own shadow trees do not upset the count."""
    html = (
        "<script>1 < 2</script><!-- <b> --><noscript><b>x</b></noscript><p title='<'>a &lt; b</p>"
        "<x-y><template shadowrootmode=open>&lt;<!--<--></template></x-y>"
        "<template><b><template><i></i></template></b></template><video controls></video>"
        "<iframe src=/inner></iframe><object data=/inner></object><details><p>x</p></details>"
        "<div><template shadowrootmode=open><slot></slot></template><p>y</p></div>"
        "<svg><use href='#s'></use><symbol id=s><path/></symbol></svg><input type=date>"
    )
    async with drive(tmp_path) as driven:
        pages.add("/inner", "<button>Inner</button>")
        await show(driven, pages, html)
        world = driven.page.target.world
        counted = await driven.page.target.session.pipeline(
            [("DOM.enable", {}), ("DOM.performSearch", {"query": "<"}), ("DOM.disable", {})]
        )
        walked = await world.run(f"() => {NAME}.walk().count")
        assert walked == counted[1]["resultCount"]


async def test_names_on_forms_and_windows_do_not_mislead(tmp_path: Path, pages: PageServer) -> None:
    names = ("firstChild", "getAttribute", "localName", "attributes", "shadowRoot", "hasAttribute")
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names)
    html = (
        f"<img name=querySelectorAll><img name=documentElement><p id={NAME}>p</p>"
        f"<iframe name={NAME}></iframe><form aria-label=f>{fields}</form>"
        "<script>Element.prototype.getAttribute = () => 'forged';"
        "String.prototype.replace = () => 'forged'; Map = null</script>"
    )
    async with drive(tmp_path) as driven:
        lines = await show(driven, pages, html)
        assert 'form "f" [k7e1]' in lines
        assert [f'  textbox "{name}" [k7e{n}]' for n, name in enumerate(names, 2)] == lines[-6:]


async def test_states_and_values(tmp_path: Path, pages: PageServer) -> None:
    html = """<input aria-label=a value='x "y"' required readonly>
      <input type=password aria-label=p value=hünter2><button id=t>show</button>
      <textarea aria-label=m>one
two</textarea><input type=date aria-label=d value=2001-02-03 disabled>
      <select aria-label=s><option>Free<option selected>Pro</select>
      <fieldset disabled><button>Off</button></fieldset>
      <div aria-disabled=true><button>Also off</button></div>
      <button aria-pressed=mixed autofocus>B</button><h3>H</h3>
      <a href=# aria-current=page aria-expanded=false title=tip>L</a>
      <input type=range aria-label=r value=30><div contenteditable>rich <b>text</b></div>
      <input placeholder=hint aria-label=q><p>one</p><p>two <b>bold</b></p>"""
    async with drive(tmp_path) as driven:
        assert await show(driven, pages, html) == [
            r'textbox "a" [k7e0] required readonly value="x \"y\""',
            'textbox "p" [k7e1] type="password" length=7',
            'button "show" [k7e2]',
            r'textbox "m" [k7e3] value="one\x0atwo"',
            'textbox "d" [k7e4] disabled type="date" value="2001-02-03"',
            'combobox "s" [k7e5] value="Pro" options="Free"|"Pro"',
            'button "Off" [k7e6] disabled',
            'button "Also off" [k7e7] disabled',
            'button "B" [k7e8] pressed="mixed" focused',
            'heading "H" [k7e9] level=3',
            'link "L" [k7e10] collapsed current="page" description="tip"',
            'slider "r" [k7e11] value="30"',
            'textbox [k7e12] value="rich text"',
            'textbox "q" [k7e13] placeholder="hint"',
            'text "one"',
            'text "two bold"',
        ]
        # a field that has held a password stays one when the page shows it
        await driven.evaluate("document.querySelector('[aria-label=p]').type = 'text'", "/walked")
        assert (await lines_of(driven.page))[1] == 'textbox "p" [k7e1] length=7'


async def test_what_cannot_be_reached_is_left_out(tmp_path: Path, pages: PageServer) -> None:
    html = """<button>Behind</button><dialog id=one><button>Keep</button></dialog>
      <dialog id=two><button>On top</button></dialog>
      <div inert><button>Inert</button></div><div aria-hidden=true><button>Hidden</button></div>"""
    async with drive(tmp_path) as driven:
        assert [line.split(" [")[0] for line in await show(driven, pages, html)] == [
            'button "Behind"'
        ]
        await driven.evaluate("two.showModal(); one.showModal()", "/walked")
        lines = await lines_of(driven.page)
        assert lines[0].startswith("dialog [k7e")
        assert [line.split(" [")[0].strip() for line in lines] == ["dialog", 'button "Keep"']


async def test_limits(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        name = "ä" * 600
        lines = await show(driven, pages, f"<button>{name}</button><p>{name}</p>")
        assert lines[0] == f'button "{"ä" * 512}" [k7e0] cut="name"'
        assert lines[1] == f'text "{"ä" * 512}" cut="text"'
        await show(driven, pages, "<button>b</button>" * 20_000)
        for html in ("<button>b</button>" * 20_001, "<p>t</p>" * 20_001):
            with pytest.raises(PageTooLarge):
                await show(driven, pages, html)
        assert await lines_of(driven.page, interactive=True) == []
        await show(driven, pages, "<p id=p>")
        append = "e = e.appendChild(document.createElement('p'))"
        await driven.evaluate(f"let e = p; for (let i = 0; i < 1500; i++) {append}", "/walked")
        with pytest.raises(PageTooLarge):
            await lines_of(driven.page)


async def test_too_many_foreign_frames(tmp_path: Path, pages: PageServer) -> None:
    pages.add("/inner", "<button>Inner</button>")
    async with drive(tmp_path) as driven:
        await show(driven, pages, "<iframe src='{B}/inner'></iframe>")
        page = driven.page
        world = page.target.world

        async def itself(outer: object, function: str) -> object:
            return world  # a page that is its own foreign frame, for ever

        with pytest.raises(PageTooLarge, match=str(FRAME_LIMIT)):
            await PageWalker(world, itself).walk(Options())


async def test_a_number_names_one_element_of_one_generation(
    tmp_path: Path, pages: PageServer
) -> None:
    html = "<button id=a>A</button><ul id=l><li><button id=b>B</button></ul><p>t</p>"
    async with drive(tmp_path) as driven:
        await show(driven, pages, html)
        world = driven.page.target.world
        a, b = await number_of(driven, "a"), await number_of(driven, "b")
        assert await describe(world, "k7", a) == ("button", "A")
        assert await describe(world, "k6", a) is None
        assert await describe(world, "k7", 99) is None
        await driven.evaluate("a.textContent = 'New'; l.prepend('text')", "/walked")
        assert await describe(world, "k7", a) == ("button", "New")
        await driven.evaluate("b.replaceWith(b.cloneNode(true))", "/walked")
        assert await describe(world, "k7", b) is None
        # a walk without a generation leaves the refs alone; one with another ends them
        await walk(driven.page, "")
        assert await describe(world, "k7", a) == ("button", "New")
        await walk(driven.page, "k8")
        assert await describe(world, "k7", a) is None
        assert await describe(world, "k8", a) == ("button", "New")
        await driven.open(pages.add("/walked", html))
        assert await describe(world, "k8", a) is None


async def test_part_of_a_page(tmp_path: Path, pages: PageServer) -> None:
    html = "<button>Out</button><ul id=l><li>One<li><button id=b>Two</button></ul>"
    async with drive(tmp_path) as driven:
        await show(driven, pages, html)
        world, part = driven.page.target.world, await number_of(driven, "l")
        walker = walker_of(driven.page)
        parts = await walker.walk_within(world, part, Options("k8"))
        assert [line.split(" [")[0] for line in snapshot_lines(snapshot_of(parts))] == [
            "list",
            "  listitem",
            "  listitem",
            '    button "Two"',
        ]
        await driven.evaluate("l.remove()", "/walked")
        with pytest.raises(ElementGone):
            await walker.walk_within(world, part, Options("k9"))


async def test_areas_of_a_picture_that_has_no_name(tmp_path: Path, pages: PageServer) -> None:
    html = """<map name=m><area href=#n alt=North shape=rect coords=0,0,9,9></map>
      <p>Go <img usemap=#m width=9 height=9> on</p>"""
    async with drive(tmp_path) as driven:
        link = 'link "North" [k7e0]'
        assert await show(driven, pages, html) == ['text "Go"', link, 'text "on"']
        assert await lines_of(driven.page, interactive=True) == [link]


async def test_owned_elements_and_labels_of_hidden_fields(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<div role=listbox aria-label=Box aria-owns=o></div><div role=option id=o>Owned</div>
      <input type=checkbox id=c hidden><p>between</p><label for=c>Far label</label>
      <map name=m><area href=#n alt=North shape=rect coords=0,0,9,9></map>
      <img usemap=#m alt=Map width=9 height=9>"""
    async with drive(tmp_path) as driven:
        assert await show(driven, pages, html) == [
            'listbox "Box" [k7e0]',
            '  option "Owned" [k7e1]',
            'text "between"',
            'checkbox "Far label" [k7e2] unchecked hidden',
            'img "Map" [k7e3]',
            '  link "North" [k7e4]',
        ]
        circle = """<div id=a aria-owns=b>A</div>
          <div id=b aria-owns='a b c'>B<p id=c aria-owns=b>C</p></div>"""
        assert await show(driven, pages, circle) == ['text "A"', 'text "B"', 'text "C"']


async def test_rows_are_small(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        item = "<li><a href=#x>Link number 1</a> <button type=button>Action 1</button></li>"
        await show(driven, pages, f"<ul>{item * 1000}</ul>")
        (part,) = await walk(driven.page)
        assert len(part.rows) == 3001
        assert len(json.dumps(part.rows, separators=(",", ":"))) < 100_000


async def test_an_unchanged_element_is_described_as_its_row_says(
    tmp_path: Path, pages: PageServer
) -> None:
    described = f"() => [...{NAME}.elements].map(([n, e]) => [n, ...{NAME}.describe(e)])"
    compared = 0
    async with drive(tmp_path) as driven:
        for file in sorted(CORPUS.glob("*.html")):
            await driven.open(pages.add(f"/corpus/{file.stem}", file.read_text("utf-8")))
            for interactive in (False, True):
                (part,) = await walk(driven.page, interactive=interactive)
                rows = {row[3]: (row[1], row[2]) for row in part.rows if row[1] != "text"}
                now = await driven.page.target.world.run(described)
                assert {n: (role, name) for n, role, name in now} == rows, file.stem
                compared += len(rows)
    assert compared > 300
