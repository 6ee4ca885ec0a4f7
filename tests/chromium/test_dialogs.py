"""Dialogs of a real page: met, answered with exactly what was said, and nothing stays pressed."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.dialog import Disposition
from cdp.page_errors import DialogHeld
from tests.fakes.attendants import holding
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

SOON_S = 2.0
MOVED = """addEventListener('mousemove', e => document.body.dataset.buttons = e.buttons)"""


@pytest.mark.parametrize("name", ["onclick", "onmousedown", "onmouseup"])
async def test_three_answers_of_a_prompt_are_three_results(
    name: str, tmp_path: Path, pages: PageServer
) -> None:
    page = pages.page("/D03/")
    assert page is not None
    url = pages.add("/prompts", page[1].replace("b.onclick", f"b.{name}"))
    async with drive(tmp_path, attendant=holding()) as driven:
        await driven.open(url)
        dialogs, seen = driven.page.target.dialogs, []
        for accept, text in ((True, None), (True, 'Zoë 😀 "q"'), (False, None), (True, "")):
            await driven.page.settle()
            where = await driven.center("#b")
            with trio.fail_after(SOON_S), pytest.raises(DialogHeld):
                await driven.page.pointer.click(where)
            ended = await dialogs.answer(accept=accept, text=text)
            assert (ended.kind, ended.default_prompt) == ("prompt", "défaut")
            wanted = Disposition.accepted if accept else Disposition.dismissed
            assert ended.disposition is wanted
            seen.append(json.loads(await driven.text()))
        assert seen == ["défaut", 'Zoë 😀 "q"', None, ""]
        assert dialogs.count == 4
        assert dialogs.open is None
        await driven.evaluate(MOVED)
        await driven.page.pointer.move(where)
        await driven.page.settle()
        assert await driven.evaluate("document.body.dataset.buttons") == "0"
        assert await driven.evaluate("document.querySelector(':active')") is None


async def test_a_dialog_that_opens_after_the_click_is_answered_later(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path, attendant=holding()) as driven:
        await driven.open(pages.url("D01"))
        point = await driven.center("#b")
        with trio.fail_after(SOON_S):
            with contextlib.suppress(DialogHeld):  # it opens in a later task of the page
                await driven.page.pointer.click(point)
            while driven.page.open_dialog is None:  # noqa: ASYNC110
                await trio.sleep(0.01)
            assert driven.page.open_dialog.message == "Delete record 7?"
            with pytest.raises(DialogHeld):
                await driven.page.read_state()
        await driven.page.target.dialogs.answer(accept=True)
        assert await driven.text() == "deleted clicks=1"
        assert (await driven.page.read_state()).title == "D01"


async def test_one_that_another_connection_closes_is_not_ours(
    tmp_path: Path, pages: PageServer
) -> None:
    attending = holding()
    async with drive(tmp_path, attendant=attending) as driven:
        await driven.open(pages.url("D03"))
        watching = driven.watching
        session = await trio.to_thread.run_sync(lambda: watching.attach(watching.page()))
        await trio.to_thread.run_sync(lambda: watching.call("Page.enable", session=session))
        point = await driven.center("#b")
        with trio.fail_after(SOON_S), pytest.raises(DialogHeld):
            await driven.page.pointer.click(point)
        await trio.to_thread.run_sync(
            lambda: watching.call("Page.handleJavaScriptDialog", session=session, accept=False)
        )
        with trio.fail_after(SOON_S):
            while not attending.ended:  # noqa: ASYNC110
                await trio.sleep(0.01)
        assert [one.disposition for one in attending.ended] == [Disposition.elsewhere]
        assert await driven.text() == "null"


async def test_leaving_a_page_that_asks_is_held_and_goes_on_once_accepted(
    tmp_path: Path, pages: PageServer
) -> None:
    asking = "<!doctype html><body><button>x</button><script>onbeforeunload = e => {"
    url = pages.add("/asking", asking + " e.preventDefault(); return 'stay' }</script>")
    async with drive(tmp_path, attendant=holding()) as driven:
        await driven.open(url)
        await driven.click("button")
        for accept in (False, True):
            with trio.fail_after(SOON_S), pytest.raises(DialogHeld) as held:
                await driven.page.navigate(pages.url("P04"))
            assert held.value.dialog.kind == "beforeunload"
            await driven.page.target.dialogs.answer(accept=accept)
            if accept:
                await driven.wait_for("document.title", "P04")
            else:
                assert (await driven.page.read_state()).url == url
