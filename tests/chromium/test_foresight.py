"""Steps of a batch whose element was looked at ahead: what the step before it did still counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cdp.elements.clicking import Click
from cdp.elements.errors import RefStale
from protocol.errors import Failure
from tests.fakes.acting import acts_on, refs
from tests.fakes.driven import drive
from tests.fakes.real_everyday import RealEveryday, RealSession, open_real_everyday, take_refs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = """<!doctype html><title>two</title>
<style>#cover {{ position: fixed; inset: 0; background: #ccc; display: none }}</style>
<button id=first>First</button> <button id=second>Second</button> <input aria-label=Name>
<div id=cover>cover</div>
<script>
  window.clicks = {{first: 0, second: 0}};
  first.addEventListener("click", () => {{ clicks.first++; {effect} }});
  second.addEventListener("click", () => {{ clicks.second++; }});
</script>"""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[RealEveryday]:
    async with open_real_everyday(tmp_path) as opened:
        yield opened


async def run_both(session: RealSession, *more: object, bail: bool = True) -> Any:
    """Click on the first button, then on the second, in one batch; the reply or the failure."""
    found = await take_refs(session)
    steps = [{"type": "click", "target": {"ref": found[name]}} for name in ("First", "Second")]
    batch = {"command_id": "both", "commands": [*steps, *more], "bail": bail}
    try:
        return await session.call("command.batch", **batch)
    except Failure as failure:
        return failure.body()


async def clicks(session: RealSession) -> list[int]:
    found: list[int] = await session.evaluate("[clicks.first, clicks.second]")
    return found


@pytest.mark.parametrize(
    ("effect", "code"),
    [
        ("second.remove()", "ref_stale"),
        ("second.textContent = 'Delete'", "ref_changed"),
        ("cover.style.display = 'block'", "covered"),
        ("second.hidden = true", "not_visible"),
        ("setTimeout(() => second.remove())", "ref_stale"),
    ],
)
async def test_what_a_step_did_to_the_next_ones_element_refuses_that(
    house: RealEveryday, pages: PageServer, effect: str, code: str
) -> None:
    async with house.open(pages.add("/two", PAGE.format(effect=effect))) as session:
        reply = await run_both(session)
        assert [step["outcome"] for step in reply["steps"]] == ["done", "failed"]
        assert reply["steps"][1]["error"]["code"] == code
        assert await clicks(session) == [1, 0]


@pytest.mark.parametrize(
    "effect",
    [
        "second.style.marginLeft = '400px'",
        "second.disabled = true; setTimeout(() => second.disabled = false, 300)",
        "second.style.transition = 'margin 200ms'; second.style.marginLeft = '300px'",
        "setTimeout(() => second.style.marginTop = '200px')",
    ],
)
async def test_what_a_step_moved_or_held_up_is_met_where_and_when_it_is_ready(
    house: RealEveryday, pages: PageServer, effect: str
) -> None:
    async with house.open(pages.add("/two", PAGE.format(effect=effect))) as session:
        reply = await run_both(session)
        assert [step["status"] for step in reply["steps"]] == ["ok", "ok"]
        assert await clicks(session) == [1, 1]


async def test_the_document_that_a_step_goes_to_gets_nothing_of_the_next_step(
    house: RealEveryday, pages: PageServer
) -> None:
    there = pages.add("/there", PAGE.format(effect=""))
    async with house.open(pages.add("/two", PAGE.format(effect=f"location = '{there}'"))) as tab:
        await run_both(tab)  # the old document may still be there for it, or not
        await tab.wait_for("location.pathname", "/there")
        assert await clicks(tab) == [0, 0]


async def test_a_look_that_a_dialog_put_off_listens_for_nothing_later(
    house: RealEveryday, pages: PageServer
) -> None:
    async with house.open(pages.add("/two", PAGE.format(effect="alert('now')"))) as session:
        reply = await run_both(session)
        assert [step["outcome"] for step in reply["steps"]] == ["done", "failed"]
        await session.call("dialog.accept")
        assert (await session.run("fill", target={"css": "input"}, text="Ada"))["status"] == "ok"
        assert (await session.click("#second"))["status"] == "ok"
        assert await clicks(session) == [1, 1]


async def test_a_failed_step_leaves_the_one_after_it_to_its_own_look(
    house: RealEveryday, pages: PageServer
) -> None:
    page = PAGE.format(effect="second.disabled = true; setTimeout(() => first.remove(), 100)")
    again = {"type": "click", "target": {"css": "#first"}}
    name = {"type": "fill", "target": {"label": "Name"}, "text": "Ada"}
    async with house.open(pages.add("/two", page)) as session:
        reply = await run_both(session, again, name, bail=False)
        outcomes = [step["outcome"] for step in reply["steps"]]
        assert outcomes == ["done", "failed", "failed", "done"]
        assert await clicks(session) == [1, 0]
        assert await session.evaluate("document.querySelector('input').value") == "Ada"


async def test_fills_of_several_fields_each_hold_their_own_text(
    house: RealEveryday, pages: PageServer
) -> None:
    fields = "".join(f"<input aria-label=F{number}>" for number in range(12))
    busy = "setInterval(() => { const start = Date.now(); while (Date.now() < start + 8); })"
    page = pages.add("/fields", f"{fields}<script>{busy}</script>")
    async with house.open(page) as session:
        found = await take_refs(session)
        steps = [
            {"type": "fill", "target": {"ref": found[f"F{number}"]}, "text": f"text {number}"}
            for number in range(12)
        ]
        reply = await session.call("command.batch", command_id="b", commands=steps)
        assert {step["status"] for step in reply["steps"]} == {"ok"}
        held = await session.evaluate("[...document.querySelectorAll('input')].map(f => f.value)")
        assert held == [f"text {number}" for number in range(12)]


async def test_a_look_is_taken_when_the_act_in_hand_is_over_and_used_once(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/two", PAGE.format(effect="second.textContent = 'Second'")))
        found, acts = await refs(driven), acts_on(driven)
        first, second = (acts.click(found["button", name]) for name in ("First", "Second"))
        assert isinstance(first, Click)
        assert isinstance(second, Click)
        await driven.evaluate("second.textContent = 'Not yet'")
        await first.prepare()
        first.ahead.then = second.ahead
        await first.perform()  # its own effect, the name that was asked for, is what is looked at
        await driven.evaluate("second.remove()")
        assert (await second.prepare()).under.name == "Second"
        with pytest.raises(RefStale):
            await second.prepare()


async def test_what_came_between_two_batches_is_seen_by_the_second(
    house: RealEveryday, pages: PageServer
) -> None:
    effect = "alert('now'); setTimeout(() => second.textContent = 'Pay 900 EUR', 50)"
    async with house.open(pages.add("/two", PAGE.format(effect=effect))) as session:
        found = await take_refs(session)
        steps = [{"type": "click", "target": {"ref": found[name]}} for name in ("First", "Second")]
        reply = await session.call("command.batch", command_id="both", commands=steps)
        assert [step["outcome"] for step in reply["steps"]] == ["done", "failed"]
        assert reply["steps"][1]["error"]["code"] == "dialog_open"
        await session.call("dialog.accept")
        await session.wait_for("second.textContent", "Pay 900 EUR")
        with pytest.raises(Failure) as refused:
            await session.run("click", target={"ref": found["Second"]})
        assert refused.value.code == "ref_changed"
        assert await clicks(session) == [1, 0]
