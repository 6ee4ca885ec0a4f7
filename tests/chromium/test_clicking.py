"""Clicks on elements: found, ready, landed; the page itself says what happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from cdp.elements.acts import Acts
from cdp.elements.done import Status
from cdp.elements.errors import (
    Covered,
    ElementDisabled,
    ElementError,
    NoMatch,
    NotStable,
    NotVisible,
    RefChanged,
    RefStale,
    SeveralMatch,
)
from cdp.elements.targets import By, Locator
from tests.fakes.acting import done, named, refs
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from cdp.elements.done import Done
    from cdp.elements.targets import Target
    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium


async def click(driven: Driven, target: Target, **how: Any) -> Done:
    return await done(Acts(driven.page).click(target, **how))


async def test_f01_a_frame_that_is_offset_and_scrolled(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("F01"))
        found = await refs(driven)
        for target, text in (
            (found["clickable", "Bank transfer"], "tab:true"),
            (found["button", "Copy"], "button:true"),
            (Locator(By.text, "Bank transfer"), "tab:true"),
        ):
            await driven.evaluate("out.textContent = ''")
            assert (await click(driven, target)).status is Status.ok
            await driven.wait_for("out.textContent", text)


async def test_s01_two_shadow_roots_deep(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("S01"))
        acts = Acts(driven.page)
        assert (await done(acts.fill(Locator(By.label, "Quantity"), "3"))).status is Status.ok
        assert (await click(driven, named("button", "Order now"))).status is Status.ok
        assert await driven.text() == "ordered 3 true"
        await driven.evaluate("out.textContent = ''")
        found = await refs(driven)
        assert (await done(acts.fill(found["textbox", "Quantity"], "3"))).status is Status.ok
        assert (await click(driven, found["button", "Order now"])).status is Status.ok
        assert await driven.text() == "ordered 3 true"


async def test_c01_what_covers_it_is_named_and_a_veil_is_no_cover(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("C01"))
        found = await refs(driven)
        with pytest.raises(Covered) as covered:
            await Acts(driven.page).click(found["button", "Submit"]).prepare()
        assert covered.value.seen == ('dialog "Cookie notice"',)
        assert await driven.text() == ""
        assert driven.page.target.sent_count == 1  # the navigation
        assert (await click(driven, found["button", "OK"])).status is Status.ok
        assert (await click(driven, found["button", "Submit"])).status is Status.ok
        assert await driven.text() == "closed;submit;"


async def test_what_has_no_box_of_its_own_is_clicked_where_its_text_is(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<style>.bare { display: contents }</style>
      <p>before <button class=bare onclick="out.textContent += 'text;'">Ghost</button> after
      <p><a class=bare href=#there onclick="out.textContent += 'nested;'"><b>Spirit</b></a>
      <button class=bare aria-label=Nothing></button> <p id=out></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/bare", html))
        found = await refs(driven)
        assert (await click(driven, found["button", "Ghost"])).status is Status.ok
        assert (await click(driven, found["link", "Spirit"])).status is Status.ok
        assert await driven.text() == "text;nested;"
        with pytest.raises(NotVisible):
            await Acts(driven.page, timeout_s=0).click(found["button", "Nothing"]).prepare()


async def test_n01_refs_of_a_document_that_was_replaced(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("N01"))
        kept = (await refs(driven))["button", "Delete"]
        assert (await click(driven, named("link", "Next"))).status is Status.ok
        await driven.wait_for("document.title", "N01 two")
        with pytest.raises(RefStale):
            await click(driven, kept)
        assert await driven.text() == ""
        fresh = (await refs(driven, "k8"))["button", "Delete"]
        await driven.evaluate("location.hash = 'x'")
        assert (await click(driven, fresh)).status is Status.ok
        assert await driven.text() == "two"


async def test_n03_a_button_that_is_disabled_for_a_while(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("N03"))
        found = await refs(driven)
        assert (await click(driven, found["button", "Go"])).status is Status.ok
        await driven.wait_for("document.title", "end")


async def test_d03_a_click_that_opens_a_dialog_lets_the_button_go(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("D03"))
        for count in range(1, 4):
            result = await click(driven, named("button", "Ask"))
            assert result.status is Status.ok
            assert len(driven.page.dialogs) == count
            assert await driven.text() == "null"


PLACES = """<!doctype html><title>p</title><style>
  @keyframes slide { from { transform: translateX(0) } to { transform: translateX(300px) } }
  @keyframes pulse { from { opacity: 1 } to { opacity: .5 } }
  .far { margin-top: 3000px } #moving { animation: slide 600ms }
  #pulsing { animation: pulse 1s infinite }
</style>
<button id=moving>Moving</button> <button id=pulsing>Pulsing</button>
<button disabled>Dead</button> <button style="visibility:hidden">Hidden</button>
<button>Twin</button><button>Twin</button> <span id=empty></span>
<button><span style="pointer-events:none">Inner</span></button>
<a href="#two">a link that is <br> broken over lines</a>
<div style="height:60px;overflow:auto"><div style="height:500px"></div>
  <button>Scrolled</button></div>
<div id=card onclick="out.textContent += 'card;'" style="padding:20px;cursor:pointer">
  <a href="#inside" style="display:block;width:50%;margin:auto;text-align:center">inside</a></div>
<img id=img usemap=#m width=80 height=40 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<map name=m><area href="#area" alt=Area shape=rect coords="0,0,40,40"></map>
<div id=host></div><x-closed></x-closed>
<button class=far>Far</button><p id=out></p>
<script>
  const seen = [];
  for (const kind of ['click', 'auxclick', 'contextmenu', 'dblclick'])
    addEventListener(kind, event => { seen.push([kind, event.target.textContent.trim(),
      event.isTrusted, event.ctrlKey, event.shiftKey]);
    if (kind === 'contextmenu') event.preventDefault(); });
  customElements.define('x-closed', class extends HTMLElement { connectedCallback() {
    const root = this.attachShadow({mode: 'closed'}); root.innerHTML = '<button>Closed</button>';
    root.firstChild.onclick = () => out.textContent = 'closed'; } });
</script>"""


async def test_where_and_how_elements_are_clicked(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/places", PLACES))
        for target in (
            named("button", "Moving"), named("button", "Pulsing"), named("button", "Far"),
            named("button", "Scrolled"), named("button", "Inner"), Locator(By.text, "Inner"),
            named("link", "a link that is broken over lines"), Locator(By.css, "#card"),
            named("button", "Closed"),
        ):  # fmt: skip
            await driven.evaluate("seen.length = 0; out.textContent = ''; location.hash = ''")
            result = await click(driven, target)
            assert result.status is Status.ok, (target, result)
            assert [kind for kind, *_ in await driven.evaluate("seen")] == ["click"], target
        assert await driven.text() == "closed"
        await driven.evaluate("out.textContent = ''")
        await click(driven, Locator(By.css, "#card"))
        assert await driven.text() == "card;"
        assert await driven.evaluate("location.hash") == ""
        assert (await click(driven, named("link", "Area"))).status is Status.ok
        assert await driven.evaluate("location.hash") == "#area"
        await driven.evaluate("seen.length = 0")
        inner = named("button", "Inner")
        await click(driven, inner, count=2)
        await click(driven, inner, button="right")
        await click(driven, inner, button="middle", modifiers=["ctrl", "shift"])
        assert await driven.evaluate("seen") == [
            ["click", "Inner", True, False, False], ["click", "Inner", True, False, False],
            ["dblclick", "Inner", True, False, False],
            ["contextmenu", "Inner", True, False, False], ["auxclick", "Inner", True, False, False],
            ["auxclick", "Inner", True, True, True],
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "condition"),
    [
        (named("button", "Dead"), ElementDisabled),
        (Locator(By.css, "button[style]"), NotVisible),
        (Locator(By.css, "#empty"), NotVisible),
        (named("button", "Twin"), SeveralMatch),
        (named("button", "Nobody"), NoMatch),
        (Locator(By.text, "Nobody"), NoMatch),
        (Locator(By.css, "#moving"), NotStable),
    ],
)
async def test_what_is_not_ready_is_named(
    tmp_path: Path, pages: PageServer, target: Locator, condition: type[ElementError]
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/places", PLACES.replace("slide 600ms", "slide 60s")))
        with pytest.raises(condition) as raised:
            await Acts(driven.page, timeout_s=0.5).click(target).prepare()
        assert driven.page.target.sent_count == 1  # the navigation
        if target.by is By.role:
            assert raised.value.seen or condition is ElementDisabled


async def test_an_element_that_is_another_now(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/one", "<button id=b>Save</button><p id=out></p>"))
        save = (await refs(driven))["button", "Save"]
        await driven.evaluate("b.textContent = 'Delete'; b.onclick = () => out.textContent = 1")
        with pytest.raises(RefChanged) as changed:
            await click(driven, save)
        assert (changed.value.was, changed.value.now) == (("button", "Save"), ("button", "Delete"))
        assert (await click(driven, replace(save, renamed=True))).status is Status.ok
        assert await driven.text() == "1"
        await driven.evaluate("b.setAttribute('role', 'link')")
        with pytest.raises(RefChanged):
            await click(driven, replace(save, renamed=True))
        await driven.evaluate("b.remove()")
        with pytest.raises(RefStale):
            await click(driven, replace(save, renamed=True))


async def test_a_click_that_lands_elsewhere_is_no_success(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<button id=b>Save</button><div id=trap role=dialog aria-label=Trap></div><script>
      addEventListener('mousemove', () => Object.assign(trap.style,
        {position: 'fixed', inset: 0}), {once: true}); </script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/trap", html))
        result = await click(driven, named("button", "Save"))
        assert (result.status, result.code) == (Status.failed, "landed_elsewhere")
        assert result.seen == {"where": 'dialog "Trap"'}


HOVERED = """<!doctype html><style>body { margin: 0 } button { display: block; height: 30px }
  .menu:hover ul { display: block }</style>
  <div class=menu><span style="display:block;height:30px">Menu</span>
    <ul style="margin:0;height:30px"><li>Item</ul></div>
  <button onclick="out.textContent += 'edit'">Edit</button>
  <button onclick="out.textContent += 'delete'" onpointerdown="out.textContent += 'down'">Delete
  </button><p id=out></p><style>.menu ul { display: none }</style>"""


@pytest.mark.parametrize("button", ["left", "middle", "right"])
async def test_what_the_pointers_own_coming_moves_is_clicked_where_it_is_then(
    tmp_path: Path, pages: PageServer, button: Literal["left", "middle", "right"]
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/hovered", HOVERED))
        await driven.evaluate(
            "for (const kind of ['auxclick', 'contextmenu'])"
            " addEventListener(kind, e => { out.textContent += e.target.textContent })"
        )
        acts = Acts(driven.page)
        assert (await done(acts.hover(Locator(By.text, "Menu")))).status is Status.ok
        clicked = await done(acts.click(named("button", "Edit"), button=button))
        assert clicked.status is Status.ok, clicked
        seen = (await driven.text()).lower()
        assert seen.startswith("edit"), seen
        assert "delete" not in seen


@pytest.mark.parametrize("effect", ["hidden = true", "style.marginTop = '300px'"])
async def test_what_acts_on_the_press_and_goes_is_not_called_a_failure(
    tmp_path: Path, pages: PageServer, effect: str
) -> None:
    html = f"""<div><button onmousedown="out.textContent += 'done'; this.{effect}">Pick</button>
      </div><p id=out></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/press", html))
        clicked = await click(driven, named("button", "Pick"))
        assert clicked.status is Status.injected, clicked
        assert await driven.text() == "done"


async def test_a_frame_of_another_process(tmp_path: Path, pages: PageServer) -> None:
    pages.add("/inner", """<div style="height:700px"></div><button>Buy</button><input aria-label=N>
      <script>document.querySelector('button').onclick = e =>
        parent.postMessage('bought ' + e.isTrusted + document.querySelector('input').value, '*')
      </script>""")  # fmt: skip
    outer = """<div style="height:900px"></div><iframe src="{B}/inner" style="border:7px solid;
      padding:5px;margin-left:90px;height:90px"></iframe><p id=out></p>
      <script>onmessage = e => out.textContent = e.data</script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/outer", outer))
        found = await refs(driven)
        result = await click(driven, found["button", "Buy"])
        assert result.status is Status.ok, result
        await driven.wait_for("out.textContent", "bought true")
        acts = Acts(driven.page)
        assert (await done(acts.fill(Locator(By.label, "N"), "ü7"))).status is Status.ok
        assert (await click(driven, named("button", "Buy"))).status is Status.ok
        await driven.wait_for("out.textContent", "bought trueü7")
        await driven.evaluate("""document.body.insertAdjacentHTML('beforeend',
          '<div role=dialog aria-label=Veil style="position:fixed;inset:0"></div>')""")
        with pytest.raises(Covered) as covered:
            await Acts(driven.page, timeout_s=0.3).click(named("button", "Buy")).prepare()
        assert covered.value.seen == ('dialog "Veil"',)


async def test_hover_drag_and_points(tmp_path: Path, pages: PageServer) -> None:
    html = """<button id=b>Menu</button><div id=from draggable=true
      style="width:50px;height:50px;background:red">A</div><div id=to
      style="width:90px;height:90px;background:blue">B</div><p id=out></p><script>
      b.onmouseenter = () => out.textContent = 'over';
      from.ondragstart = e => e.dataTransfer.setData('text/plain', 'card');
      to.ondragover = e => e.preventDefault();
      to.ondrop = e => out.textContent = 'dropped ' + e.dataTransfer.getData('text/plain');
      b.onclick = () => out.textContent = 'clicked';
    </script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/drag", html))
        acts = Acts(driven.page)
        assert (await done(acts.hover(named("button", "Menu")))).status is Status.ok
        assert await driven.text() == "over"
        moved = await done(acts.drag(Locator(By.css, "#from"), Locator(By.css, "#to")))
        assert moved.status is Status.ok, moved
        assert await driven.text() == "dropped card"
        point = await driven.center("#b")
        assert (await click(driven, point)).status is Status.injected
        assert await driven.text() == "clicked"


@pytest.mark.parametrize(("gap", "fits"), [(500, True), (1500, False)])
async def test_a_drag_begins_on_its_element_or_not_at_all(
    tmp_path: Path, pages: PageServer, gap: int, fits: bool
) -> None:
    html = f"""<!doctype html><body style="margin:0;height:4000px"><div id=from
      style="position:absolute;top:420px;width:90px;height:40px">Card</div><div role=button
      style="position:absolute;top:0;left:200px;height:4000px;width:90px">Delete all</div><div id=to
      style="position:absolute;top:{420 + gap}px;width:90px;height:90px">Zone</div><script>
      window.pressed = []; onmousedown = e => pressed.push(e.target.textContent);
      onmouseup = e => pressed.push(e.target.textContent)</script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/far", html))
        act = Acts(driven.page).drag(Locator(By.css, "#from"), Locator(By.css, "#to"))
        if fits:
            assert (await done(act)).status is Status.ok
            assert await driven.evaluate("pressed") == ["Card", "Zone"]
        else:
            with pytest.raises(NotVisible, match="not in view at the same time"):
                await act.prepare()
            assert await driven.evaluate("pressed") == []


async def test_a_click_that_only_began_on_its_element_is_not_ok(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<button id=b style="position:absolute" onclick="this.style.marginTop='200px'">Dbl
      </button><div style="height:60px" onclick="out.textContent += 'other'"></div><p id=out></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/double", html))
        doubled = await click(driven, named("button", "Dbl"), count=2)
        assert (doubled.status, doubled.code) == (Status.failed, "landed_elsewhere")
        assert await driven.text() == "", "the second press was kept from what lies there now"


async def test_a_node_that_became_something_else_is_not_called_ok(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<button id=b onclick="out.textContent = this.textContent">Pay 9 EUR</button>
      <p id=out></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/renamed", html))
        act = Acts(driven.page).click((await refs(driven))["button", "Pay 9 EUR"])
        await act.prepare()
        await driven.evaluate("b.textContent = 'Pay 900 EUR'")
        clicked = await act.perform()
        assert clicked.status is Status.injected
        assert clicked.seen == {
            "was": ["button", "Pay 9 EUR"],
            "now": ["button", "Pay 900 EUR"],
        }
        assert await driven.text() == "Pay 900 EUR"


async def test_one_of_many_with_the_same_name_takes_no_others_place(
    tmp_path: Path, pages: PageServer
) -> None:
    row = "<li><button>Delete</button>"
    html = f"""<ul id=l>{row * 4}</ul><p id=out></p><script>
      const names = ["a", "b", "c", "d"];
      window.draw = () => {{ l.innerHTML = names.map(() => "{row}").join(""); }};
      l.onclick = (e) => {{ const i = [...l.querySelectorAll("button")].indexOf(e.target);
        out.textContent += names[i]; }};
    </script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/rows", html))
        act = Acts(driven.page).click(Locator(By.css, "li:nth-child(2) button"))
        await act.prepare()
        await driven.evaluate("(names.shift(), draw())")
        clicked = await act.perform()
        assert (clicked.status, clicked.code) == (Status.failed, "landed_elsewhere")
        assert await driven.text() == ""


async def test_a_click_meant_for_a_frame_is_kept_from_what_lies_beside_it(
    tmp_path: Path, pages: PageServer
) -> None:
    inner = """<button style="position:fixed;left:20px;top:20px"
      onclick="parent.out.textContent += 'inner'">Inner</button>"""
    html = f"""<button style="position:fixed;left:0;top:0;width:300px;height:200px"
      onclick="out.textContent += 'danger'">Danger</button>
      <iframe id=f style="position:fixed;left:0;top:0;border:0" src="{pages.add("/in", inner)}">
      </iframe><p id=out style="margin-top:300px"></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/beside", html))
        act = Acts(driven.page).click((await refs(driven))["button", "Inner"])
        await act.prepare()
        await driven.evaluate("f.style.left = '400px'", "/beside")
        clicked = await act.perform()
        assert clicked.status is Status.ok
        assert await driven.text() == "inner"
