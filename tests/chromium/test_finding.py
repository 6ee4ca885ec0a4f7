"""What a locator finds, what it says comes near, and selectors that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cdp.elements.done import Status
from cdp.elements.errors import NoMatch, NoOption
from cdp.elements.looks import Looks, Wait, Waited, WaitFor, What
from cdp.elements.targets import By, Locator
from protocol.errors import Failure
from tests.fakes.acting import acts_on, css, done, named, refs
from tests.fakes.driven import drive
from tests.fakes.real_everyday import RealEveryday, RealSession, open_real_everyday, refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

SPACED = """<!doctype html><title>t</title>
<button onclick="note('nbsp')">Save&nbsp;now</button>
<button onclick="note('thin')">Save\u202fthen</button>
<button onclick="note('br')">Add<br>to cart</button>
<label>Your&nbsp;name <input id=i></label>
<label>Size <select id=s><option>Very&nbsp;small<option>Large</select></label>
<p>It costs 5&nbsp;&euro;</p><p id=out></p>
<script>function note(what) { out.textContent = `${out.textContent} ${what}`.trim() }</script>"""

NAMED = """<!doctype html><title>t</title><button aria-label="Close window">x</button>
<a href=# title="More about it"><b></b></a><img alt="Company logo">
<button hidden title="More">h</button>
<p>Read More here</p>"""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[RealEveryday]:
    async with open_real_everyday(tmp_path) as opened:
        yield opened


async def test_white_space_of_any_kind_is_one_blank(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/spaced", SPACED))
        acts, looks = acts_on(driven, 0.3), Looks(driven.page)
        for target in (
            Locator(By.text, "Save now"), named("button", "Save now"),
            Locator(By.text, "Save\u00a0now"), Locator(By.text, "Save then"),
        ):  # fmt: skip
            assert (await done(acts.click(target))).status is Status.ok, target
        assert await driven.text() == "nbsp nbsp nbsp thin"
        found = await refs(driven)
        assert (await done(acts.click(found["button", "Save now"]))).status is Status.ok
        name = Locator(By.label, "Your name")
        assert (await done(acts.fill(name, "Ann"))).status is Status.ok
        size = Locator(By.label, "Size")
        assert (await done(acts.select(size, labels=["Very small"]))).status is Status.ok
        assert await driven.evaluate("[i.value, s.selectedIndex]") == ["Ann", 0]
        for said in ("costs 5 €", "costs 5\u00a0€"):
            assert await looks.wait(Wait(WaitFor.TEXT, said), timeout_s=0) == Waited(met=True)


async def test_a_line_break_in_a_text_is_a_blank(tmp_path: Path, pages: PageServer) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/spaced", SPACED))
        acts = acts_on(driven, 0.2)
        assert (await done(acts.click(Locator(By.text, "Add to cart")))).status is Status.ok
        assert await driven.text() == "br"
        with pytest.raises(NoMatch):
            await done(acts.click(Locator(By.text, "Addto cart")))


async def test_a_text_that_is_only_a_name_is_told_as_such(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/named", NAMED))
        acts = acts_on(driven, 0.2)
        for text, near in (
            ("Close window", ('button "Close window"',)),
            ("Company logo", ('img "Company logo"',)),
            ("more", ('link "More about it"', '"Read More here"')),
        ):
            with pytest.raises(NoMatch) as missing:
                await done(acts.click(Locator(By.text, text)))
            assert missing.value.seen == near


@pytest.mark.parametrize("selector", ["[[", "#", "p{", ":has(", "xyz|p", "a\u202e]"])
async def test_a_selector_that_cannot_be_read_fails_the_command_and_says_so(
    house: RealEveryday, pages: PageServer, selector: str
) -> None:
    async with house.open(pages.url("O02")) as session:
        target: dict[str, object] = {"css": selector}
        reads: list[dict[str, object]] = [
            {"type": "wait", "for": "state", "value": "gone", "target": target},
            {"type": "read", "what": "count", "target": target},
            {"type": "read", "what": "text", "target": target},
            {"type": "screenshot", "target": target},
        ]
        click = {"type": "click", "target": target}
        for number, command in enumerate([*reads, click]):
            call = session.call("command.run", command_id=f"r{number}", command=command)
            verify_selector(await refusal(call), selector)
        dry = session.call("command.run", command_id="d", command=click, dry_run=True)
        verify_selector(await refusal(dry), selector)
        assert (await session.click("button"))["status"] in {"ok", "injected"}  # writes go on
        assert await session.text() == "x"


def verify_selector(body: Any, selector: str) -> None:
    """The failure is definite and names the selector, with nothing in it that hides."""
    assert body["code"] == "selector_invalid", body
    assert selector.replace("\u202e", "\\u202e") in body["message"]
    assert "\u202e" not in body["message"]


async def test_a_step_with_such_a_selector_is_the_one_that_failed(
    house: RealEveryday, pages: PageServer
) -> None:
    click: dict[str, object] = {"type": "click", "target": {"role": "button", "name": "X"}}
    wrong: dict[str, object] = {"type": "click", "target": {"css": "[["}}
    async with house.open(pages.url("O02")) as session:
        for commands, outcomes, text in (
            ([click, wrong, click], ["done", "failed", "not_run"], "x"),
            ([wrong, click], ["failed", "not_run"], "x"),
            ([click], ["done"], "xx"),
        ):
            assert await outcomes_of(session, commands) == outcomes
            assert await session.text() == text
        expected = {**click, "expect": {"state": "visible", "target": {"css": "[["}}}
        run = session.call("command.run", command_id="e", command=expected)
        assert (await refusal(run))["code"] == "selector_invalid"
        assert await session.text() == "xx"


async def outcomes_of(session: RealSession, commands: list[dict[str, object]]) -> list[str]:
    """Run a batch; what its steps came to."""
    command_id = f"b{len(commands)}"
    try:
        reply = await session.call("command.batch", command_id=command_id, commands=commands)
    except Failure as failure:
        reply = failure.body()
    steps: Any = reply["steps"]
    assert all(step["error"]["code"] == "selector_invalid" for step in steps if "error" in step)
    return [step["outcome"] for step in steps]


async def test_options_are_compared_as_they_look(tmp_path: Path, pages: PageServer) -> None:
    html = "<select id=s><option>Very&nbsp;small<option>Large</select>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/options", html))
        with pytest.raises(NoOption) as missing:
            await done(acts_on(driven, 0.2).select(css("#s"), labels=["small"]))
        assert missing.value.seen[0].startswith('"Very small"')
        assert await Looks(driven.page).read(What.COUNT, css("option")) == 2
