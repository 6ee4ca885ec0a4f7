"""An ARIA combobox's option is one of its own list, whatever else the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.elements.done import Status
from cdp.elements.targets import By, Locator
from tests.fakes.acting import acts_on, done
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

CITY = Locator(By.label, "City")

PLAN = """<div role=listbox aria-label=Plan>
<div role=option aria-selected=true tabindex=0>Free</div>
<div role=option aria-selected=false tabindex=0 id=wrong
  onclick="this.ariaSelected = 'true'">Paris</div></div>"""

NOTHING_FITS = """<script>box.oninput = () => {
  box.ariaExpanded = 'true'; list.hidden = false; list.innerHTML = 'no match' }</script>"""

INPUT = '<input role=combobox aria-label=City aria-expanded=false id=box aria-controls="{}">'

EMPTY = {
    "a list that it controls": INPUT.format("list") + "<div id=list role=listbox hidden></div>",
    "a list that it does not name": INPUT.format("") + "<div id=list role=listbox hidden></div>",
    "a list of a box that tells nothing": "<input role=combobox aria-label=City id=box>"
    "<div id=list role=listbox hidden></div>",
    "a list that is nowhere": INPUT.format("none") + "<div id=list hidden></div>",
}


@pytest.mark.parametrize("case", EMPTY)
async def test_no_option_of_another_list_is_taken(
    tmp_path: Path, pages: PageServer, case: str
) -> None:
    async with drive(tmp_path) as driven:
        plan = PLAN.replace(" tabindex=0", "") if "tells nothing" in case else PLAN
        await driven.open(pages.add("/city", EMPTY[case] + plan + NOTHING_FITS))
        chosen = await done(acts_on(driven).select(CITY, labels=["Paris"]))
        assert (chosen.status, chosen.code, chosen.seen) == (Status.failed, "no_option", {})
        assert await driven.evaluate("wrong.ariaSelected") == "false"


OPENING = """<div id=box role=combobox tabindex=0 aria-label=City {ARIA}>Pick</div>
<p id=out></p><script>
  const show = () => {{
    const list = document.createElement('ul');
    list.role = 'listbox'; list.id = 'list';
    for (const city of ['Rome', 'Paris']) {{
      const li = document.createElement('li');
      li.role = 'option'; li.textContent = city; li.tabIndex = -1; li.id = city;
      li.onclick = () => {{ list.remove(); box.textContent = city; out.textContent += city;
        box.ariaExpanded = 'false' }};
      list.append(li);
    }}
    document.body.append(list);
    box.ariaExpanded = 'true';
  }};
  box.onclick = () => setTimeout(show, 50); {START}
</script>"""


@pytest.mark.parametrize(
    ("aria", "start"),
    [
        ("aria-expanded=false", ""),
        ("aria-expanded=false aria-controls=list", ""),
        ("", ""),
        ("", "show()"),
        ("aria-activedescendant=Rome", "show()"),
    ],
)
async def test_a_list_that_shows_at_the_end_of_the_page_is_the_boxs(
    tmp_path: Path, pages: PageServer, aria: str, start: str
) -> None:
    async with drive(tmp_path) as driven:
        html = OPENING.format(ARIA=aria, START=start)
        await driven.open(pages.add("/portal", PLAN + html))
        acts = acts_on(driven)
        for city in ("Paris", "Rome"):
            assert (await done(acts.select(CITY, labels=[city]))).status is Status.ok
        missing = await done(acts.select(CITY, labels=["Oslo"]))
        assert (missing.code, missing.seen) == ("no_option", {"options": ['"Rome"', '"Paris"']})
        assert await driven.text() == "ParisRome"
        assert await driven.evaluate("wrong.ariaSelected") == "false"


async def test_a_list_in_the_page_belongs_to_a_box_in_a_closed_tree(
    tmp_path: Path, pages: PageServer
) -> None:
    html = """<x-box></x-box><p id=out></p><script>
      const show = () => { const li = document.createElement('li'); li.role = 'option';
        li.textContent = 'Paris'; const list = document.createElement('ul');
        list.role = 'listbox'; list.append(li); document.body.append(list);
        li.onclick = () => { out.textContent += 'Paris'; root.firstChild.textContent = 'Paris';
          list.remove() } };
      let root; customElements.define('x-box', class extends HTMLElement { constructor() {
        super(); root = this.attachShadow({mode: 'closed'});
        root.innerHTML =
          '<div role=combobox tabindex=0 aria-label=City aria-expanded=false>p</div>';
        root.firstChild.onclick = show } });</script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/closed", PLAN + html))
        chosen = await done(acts_on(driven).select(CITY, labels=["Paris"]))
        assert chosen.status is Status.ok, chosen
        assert await driven.text() == "Paris"


async def test_the_choice_of_another_list_proves_nothing(tmp_path: Path, pages: PageServer) -> None:
    html = """<div id=box role=combobox tabindex=0 aria-label=City aria-expanded=false
      aria-controls=own>Pick</div><ul id=own role=listbox hidden><li role=option>Free</ul>
      <script>box.onclick = () => own.hidden = false</script>"""
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/dead", PLAN + html))
        chosen = await done(acts_on(driven).select(CITY, labels=["Free"]))
        assert (chosen.status, chosen.code) == (Status.failed, "mismatch")
