"""Clicks on what lets them through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.elements.acts import Acts
from cdp.elements.done import Status
from cdp.elements.errors import Covered, NotVisible
from cdp.elements.targets import By, Locator
from cdp.pointer import Point
from tests.fakes.acting import done
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

THROUGH = """<!doctype html><title>through</title><style>.off { pointer-events: none }</style>
<button id=plain class=off>Off</button> <div><a id=link class=off href="#off">Off</a></div>
<div><div id=styled class=off style="cursor:pointer">Off</div></div>
<div class=off><input id=within></div> <p id=bare></p>
<button onclick="out.textContent += 'text;'"><span id=text class=off>On</span></button>
<a href="#on" onclick="out.textContent += 'picture;'">
  <svg id=picture class=off width=30 height=30></svg> On</a>
<label onclick="out.textContent += 'label;'"><input id=box type=checkbox class=off> On</label>
<p id=out></p><script>document.onclick = event => bare.textContent += event.target.tagName</script>
"""


async def test_a_control_that_lets_clicks_through_is_not_clicked(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/through", THROUGH))
        acts = Acts(driven.page, timeout_s=0.3)
        for name in ("plain", "link", "styled", "within"):
            with pytest.raises(Covered):
                await done(acts.click(Locator(By.css, f"#{name}")))
        assert await driven.text("bare") == ""
        for name in ("text", "picture", "box"):
            result = await done(acts.click(Locator(By.css, f"#{name}")))
            assert result.status is Status.ok, (name, result)
        assert "text;picture;label;" in await driven.text()
        assert await driven.evaluate("[location.hash, box.checked]") == ["#on", True]


RENDERED = """<!doctype html><title>rendered</title><p id=out></p>
<div id=app><button onclick="out.textContent += 'hit;'">Go</button></div><script>
  const other = html => () => {
    if (!window.drawn) app.innerHTML = html;
    window.drawn = true; };
  app.onmouseover = other(NEXT);
</script>"""


@pytest.mark.parametrize(
    ("name", "status", "code", "told"),
    [("Go", Status.injected, "", "1"), ("Delete", Status.failed, "landed_elsewhere", "")],
)
async def test_an_element_that_is_drawn_anew_under_the_pointer(
    tmp_path: Path, pages: PageServer, name: str, status: Status, code: str, told: str
) -> None:
    anew = f"'<button onclick=\"out.textContent += 1\">{name}</button>'"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/rendered", RENDERED.replace("NEXT", anew)))
        result = await done(Acts(driven.page).click(Locator(By.css, "button")))
        assert (result.status, result.code) == (status, code)
        assert await driven.text() == told
        assert await driven.evaluate("document.querySelectorAll('button').length") == 1


async def test_a_point_that_no_part_of_the_page_is_at(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/through", THROUGH))
        acts = Acts(driven.page)
        for act in (acts.click(Point(5000, 3)), acts.hover(Point(3, 5000))):
            with pytest.raises(NotVisible):
                await act.prepare()
        sides = acts.drag(Point(3, 3), Point(5000, 3))
        with pytest.raises(NotVisible):
            await sides.prepare()
        await acts.click(Point(1279, 719)).prepare()
