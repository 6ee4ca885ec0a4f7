"""What is filled, typed, chosen, checked and uploaded arrives, or is not called done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.elements.done import Status
from cdp.elements.errors import (
    ElementDisabled,
    LineBreaks,
    Mismatch,
    NoOption,
    NotEditable,
    NotFit,
)
from cdp.elements.targets import By, Locator
from protocol.errors import Failure
from tests.fakes.acting import acts_on, css, done, named, refs
from tests.fakes.driven import drive
from tests.fakes.real_everyday import open_real_everyday

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium


async def test_i01_a_controlled_input(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        acts = acts_on(driven)
        for write in ("fill", "type"):
            await driven.open(pages.url("I01"))
            if write == "fill":
                assert (await done(acts.fill(css("#i"), "ann@example.org"))).status is Status.ok
            else:
                assert (await done(acts.clear(css("#i")))).status is Status.ok
                typed = await done(acts.type_text("ann@example.org", css("#i")))
                assert typed.status is Status.ok
            await trio.sleep(0.3)
            assert (await done(acts.click(named("button", "Save")))).status is Status.ok
            text = await driven.text()
            assert text.startswith("ann@example.org changes=")
            assert int(text.partition("=")[2]) >= 1


async def test_i02_fields_that_take_nothing_are_left_alone(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("I02"))
        await driven.evaluate("""window.heard = 0; for (const kind of ['input', 'change', 'focus'])
          addEventListener(kind, () => heard++, true)""")
        acts = acts_on(driven, 0.2)
        for field, value, condition in (
            ("ro", "KEEP1", NotEditable), ("di", "KEEP2", NotEditable),
            ("fs", "KEEP3", NotEditable), ("mx", "ab", Mismatch), ("nu", "5", Mismatch),
        ):  # fmt: skip
            with pytest.raises(condition) as refused:
                await done(acts.fill(css(f"#{field}"), "HACKED99"))
            assert await driven.evaluate(f"[{field}.value, heard]") == [value, 0]
            if isinstance(refused.value, Mismatch) and field == "mx":
                assert (refused.value.wanted, refused.value.actual) == ("HACKED99", "ab")


async def test_i04_an_editor_that_owns_its_document(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("I04"))
        acts = acts_on(driven)
        assert (await done(acts.type_text("Hello\nwörld 😀", css("#e")))).status is Status.ok
        await done(acts.click(named("button", "Post")))
        assert await driven.text() == '"Hello\\nwörld 😀"'
        assert (await done(acts.fill(css("#e"), "second"))).status is Status.ok
        await done(acts.click(named("button", "Post")))
        assert await driven.text() == '"second"'


async def test_i06_lists_by_label_and_value(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("I06"))
        acts = acts_on(driven, 0.2)
        assert (await done(acts.select(css("#s"), labels=["March"]))).status is Status.ok
        assert (await done(acts.select(css("#s"), values=["jan"]))).status is Status.ok
        with pytest.raises(NoOption) as missing:
            await done(acts.select(css("#s"), labels=["April"]))
        assert missing.value.seen == (
            '"Pick" value ""', '"January" value "jan"', '"February" value "feb"',
            '"March" value "mar"',
        )  # fmt: skip
        with pytest.raises(ElementDisabled):
            await done(acts.select(css("#s"), labels=["February"]))
        with pytest.raises(NotFit):
            await done(acts.select(css("#s"), labels=["January", "March"]))
        assert await driven.evaluate("s.value") == "jan"
        assert (await done(acts.select(css("#mu"), labels=["a", "c"]))).status is Status.ok
        assert (await done(acts.select(css("#mu"), indexes=[0, 2]))).status is Status.ok
        assert await driven.text() == "s=mar;s=jan;mu=a,c;"


async def test_i08_boxes_behind_labels(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("I08"))
        acts = acts_on(driven)
        found = await refs(driven)
        (box,) = [ref for (role, _), ref in found.items() if role == "checkbox"]
        for act, text in (
            (acts.check(box, on=True), "true -"), (acts.check(box, on=True), "true -"),
            (acts.check(found["radio", "Two"], on=True), "true 2"),
            (acts.check(box, on=False), "false 2"),
        ):  # fmt: skip
            assert (await done(act)).status is Status.ok
            assert await driven.text() == text
            assert await driven.evaluate("location.hash") == ""
        with pytest.raises(NotFit):
            await done(acts.check(found["radio", "Two"], on=False))


FIELDS = """<!doctype html><title>f</title><form>
<input id=d type=date><input id=t type=time><input id=dl type=datetime-local>
<input id=w type=week><input id=mo type=month><input id=c type=color>
<input id=r type=range min=0 max=50 step=5><input id=n type=number value=3>
<textarea id=a>old</textarea><div id=rich contenteditable><b>old</b> text</div>
<input id=pw type=password><input id=up oninput="this.value = this.value.toUpperCase()">
<input id=pwu type=password oninput="this.value = this.value.slice(1)">
<input id=mail type=email value=x@y.example><div id=plain>text</div></form>
<div id=sw role=switch tabindex=0 aria-checked=false
  onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">S</div>
<div id=stuck role=checkbox tabindex=0 aria-checked=false>Stuck</div>
<script>const seen = []; for (const kind of ['input', 'change'])
  addEventListener(kind, e => seen.push(e.target.id + ' ' + kind), true)</script>"""


async def test_every_kind_of_field(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/all", FIELDS))
        acts = acts_on(driven, 0.2)
        for field, value in (
            ("d", "2024-02-29"), ("t", "13:45"), ("dl", "2024-02-29T13:45"), ("w", "2024-W09"),
            ("mo", "2024-02"), ("c", "#ff8800"), ("r", "35"), ("n", "-12.5"),
            ("a", "one\ntwo 😀\n"), ("pw", "gëheim"), ("mail", "ann@b.example"), ("mail", ""),
        ):  # fmt: skip
            await driven.evaluate("seen.length = 0")
            result = await done(acts.fill(css(f"#{field}"), value))
            assert (result.status, field) == (Status.ok, field), result
            assert await driven.evaluate(f"{field}.value") == value
            assert f"{field} input" in await driven.evaluate("seen")
        for text in ("new\nlines 😀", ""):
            assert (await done(acts.fill(css("#rich"), text))).status is Status.ok
            assert (await driven.evaluate("rich.innerText")).strip() == text
        for field, value in (("d", "29.2.2024"), ("t", "25:00"), ("c", "orange"), ("r", "36")):
            with pytest.raises(Mismatch):
                await done(acts.fill(css(f"#{field}"), value))
        with pytest.raises(LineBreaks):
            await done(acts.fill(css("#mail"), "a\nb"))
        with pytest.raises(NotEditable):
            await done(acts.fill(css("#plain"), "x"))


async def test_a_field_takes_what_it_only_writes_otherwise(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/all", FIELDS))
        acts = acts_on(driven, 0.2)
        for field, value, held in (
            ("c", "#FF00AA", "#ff00aa"), ("dl", "2026-02-28 13:45", "2026-02-28T13:45"),
            ("dl", "2026-02-28T13:45:00", "2026-02-28T13:45"), ("t", "13:45:00", "13:45:00"),
        ):  # fmt: skip
            result = await done(acts.fill(css(f"#{field}"), value))
            assert result.status is Status.ok, (value, result)
            assert await driven.evaluate(f"{field}.value") == held
        for field, value in (("c", "#F0A"), ("dl", "2026-02-28 13"), ("r", "60")):
            with pytest.raises(Mismatch):
                await done(acts.fill(css(f"#{field}"), value))


async def test_the_error_of_a_field_that_takes_no_such_value_says_how_to_write_it(
    tmp_path: Path, pages: PageServer
) -> None:
    url = pages.add("/all", FIELDS)
    async with open_real_everyday(tmp_path) as house, house.open(url) as session:
        with pytest.raises(Failure) as refused:
            await session.run("fill", target={"css": "#d"}, text="28.2.2026")
        assert refused.value.code == "mismatch"
        assert "2026-02-28" in refused.value.hint
        assert "Nothing was typed" in refused.value.hint


async def test_a_field_that_changes_what_it_gets_is_a_mismatch(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/all", FIELDS))
        acts = acts_on(driven)
        changed = await done(acts.fill(css("#up"), "abc"))
        assert (changed.status, changed.code) == (Status.failed, "mismatch")
        assert changed.seen == {"wanted": "abc", "actual": "ABC"}
        secret = await done(acts.fill(css("#pwu"), "geheim"))
        assert (secret.code, secret.seen) == (
            "mismatch", {"secret": True, "wanted": 6, "actual": 5},
        )  # fmt: skip
        assert (await done(acts.check(css("#sw"), on=True))).status is Status.ok
        stuck = await done(acts.check(css("#stuck"), on=True))
        assert (stuck.status, stuck.code) == (Status.failed, "mismatch")
        assert "was clicked" in stuck.detail


async def test_a_box_whose_page_keeps_its_state_is_waited_for(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<div id=late role=checkbox aria-checked=false onclick='setTimeout(() =>
      this.setAttribute("aria-checked", true), 800)'>L</div>
      <div id=mute role=checkbox onclick='out.textContent += "heard"'>M</div><p id=out></p>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/late", html))
        acts = acts_on(driven)
        assert (await done(acts.check(css("#late"), on=True))).status is Status.ok
        mute = await done(acts.check(css("#mute"), on=True))
        assert (mute.status, await driven.text()) == (Status.injected, "heard")
        assert "does not say" in str(mute.seen["detail"])


COMBO = """<!doctype html><title>c</title><div id=box role=combobox aria-expanded=false
  aria-controls=list tabindex=0 aria-label=Fruit>Pick</div><ul id=list role=listbox hidden>
  <li role=option>Apple</li><li role=option>Pear</li></ul><p id=out></p><script>
  box.onclick = () => setTimeout(() => { list.hidden = false;
    box.setAttribute('aria-expanded', true) }, 80);
  for (const li of list.children) li.onclick = e => { box.textContent = li.textContent;
    list.hidden = true; box.setAttribute('aria-expanded', false);
    out.textContent += li.textContent + e.isTrusted; };
</script>"""


async def test_an_aria_combobox(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/combo", COMBO))
        acts = acts_on(driven)
        box = Locator(By.label, "Fruit")
        assert (await done(acts.select(box, labels=["Pear"]))).status is Status.ok
        assert await driven.text() == "Peartrue"
        missing = await done(acts.select(box, labels=["Plum"]))
        assert (missing.status, missing.code) == (Status.failed, "no_option")
        assert missing.seen == {"options": ['"Apple"', '"Pear"']}


async def test_a_combobox_that_one_types_into(tmp_path: Path, pages: PageServer) -> None:
    html = """<input id=box role=combobox aria-expanded=false aria-controls=list aria-label=City>
      <ul id=list role=listbox></ul><p id=out></p><script>
      box.oninput = () => { list.replaceChildren(...['Bonn', 'Bern'].filter(c =>
        c.startsWith(box.value)).map(c => { const li = document.createElement('li');
          li.role = 'option'; li.textContent = c; li.onclick = () => {
            box.value = c; list.replaceChildren(); out.textContent += c; }; return li; })) };
      </script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/typed-combo", html))
        acts = acts_on(driven)
        assert (await done(acts.select(named("combobox", "City"), labels=["Bern"]))).status is (
            Status.ok
        )
        assert await driven.evaluate("[box.value, out.textContent]") == ["Bern", "Bern"]


async def test_a_label_stands_for_its_field(tmp_path: Path, pages: PageServer) -> None:
    html = """<label>Agree <input id=c type=checkbox></label><label for=i>Name</label><input id=i>
      <label>Kind <select id=s><option>a<option>b</select></label>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/labels", html))
        acts = acts_on(driven)
        for act in (
            acts.check(Locator(By.text, "Agree"), on=True),
            acts.fill(Locator(By.text, "Name"), "Ann"),
            acts.type_text("a", Locator(By.text, "Name")),
            acts.select(css("label:has(select)"), labels=["b"]),
        ):
            assert (await done(act)).status is Status.ok
        assert await driven.evaluate("[c.checked, i.value, s.value]") == [True, "Anna", "b"]


async def test_typing_goes_to_the_end_of_a_field(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/all", FIELDS))
        acts = acts_on(driven)
        assert (await done(acts.type_text(" more", css("#a")))).status is Status.ok
        assert await driven.evaluate("a.value") == "old more"
        assert (await done(acts.focus(css("#pw")))).status is Status.ok
        assert (await done(acts.type_text("ab"))).status is Status.ok
        assert (await done(acts.press(["shift"], "home"))).status is Status.injected
        assert (await done(acts.type_text("c"))).status is Status.ok
        assert await driven.evaluate("pw.value") == "c"


async def upload(driven: Driven, *paths: Path) -> Status:
    return (await done(acts_on(driven).upload(css("#f"), [str(path) for path in paths]))).status


async def test_l02_files_arrive_with_name_and_content(tmp_path: Path, pages: PageServer) -> None:
    real = tmp_path / "real.txt"
    real.write_text("hello")
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("L02"))
        assert await upload(driven, real) is Status.ok
        await driven.wait_for("out.textContent", "real.txt:5:hello")
        with pytest.raises(NotFit):
            await upload(driven, real, real)
        with pytest.raises(NotFit):
            await done(acts_on(driven).upload(css("#out"), [os.fspath(real)]))
        assert await driven.text() == "real.txt:5:hello"


AWAY = """<input aria-label=P type=password id=p><input aria-label=B id=b value=keep>
  <script>p.onfocus = () => setTimeout(() => { b.focus(); b.select(); }, %s)</script>"""


@pytest.mark.parametrize("write", ["fill", "type"])
async def test_text_is_kept_from_a_field_that_it_is_not_for(
    tmp_path: Path, pages: PageServer, write: str
) -> None:
    async with drive(tmp_path) as driven:
        for delay_ms in range(4):
            await driven.open(pages.add("/away", AWAY % delay_ms))
            acts, field = acts_on(driven), Locator(By.label, "P")
            act = acts.fill(field, "x") if write == "fill" else acts.type_text("x", field)
            ended = await done(act)
            held = await driven.evaluate("[p.value, b.value]")
            assert (held[0] == "x") is (ended.status is Status.ok)
            # keys go wherever the focus is by then, and are not called ok
            assert held[1] == "keep" or write == "type"


async def test_a_field_that_holds_the_text_already_is_ok_when_it_takes_it_again(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/again", "<input aria-label=P value=x>"))
        assert (await done(acts_on(driven).fill(Locator(By.label, "P"), "x"))).status is Status.ok


async def test_a_field_that_became_another_takes_nothing(tmp_path: Path, pages: PageServer) -> None:
    html = "<label for=a id=l>Amount bob</label><input id=a value=old>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/became", html))
        act = acts_on(driven).fill((await refs(driven))["textbox", "Amount bob"], "77")
        await act.prepare()
        await driven.evaluate("l.textContent = 'Amount cy'")
        filled = await act.perform()
        assert (filled.status, filled.code) == (Status.failed, "ref_changed")
        assert await driven.evaluate("a.value") == "old"


async def test_a_date_whose_page_moves_the_focus_is_set_all_the_same(
    tmp_path: Path, pages: PageServer
) -> None:
    html = "<input type=date id=d aria-label=Day onfocus='g.focus()'><input id=g>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/day", html))
        filled = await done(acts_on(driven).fill(Locator(By.label, "Day"), "2026-11-30"))
        assert filled.status is Status.ok
        assert await driven.evaluate("d.value") == "2026-11-30"
