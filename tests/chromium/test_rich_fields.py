"""Rich editors get the lines of a text without a key that sends what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.elements.done import Status
from tests.fakes.acting import acts_on, css, done
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

TEXT = "Dear Ann,\nthe price is 5\n\nBob"

COMPOSER = """<!doctype html><title>chat</title><p id=out></p>
<div id=e contenteditable role=textbox aria-label=Message></div><script>
  e.onkeydown = event => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault(); out.textContent += 'SENT ' + e.innerText; e.textContent = ''; };
</script>"""


async def test_a_fill_sends_nothing_from_where_enter_sends(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/chat", COMPOSER))
        acts = acts_on(driven)
        assert (await done(acts.fill(css("#e"), TEXT))).status is Status.ok
        assert await driven.evaluate("e.innerText") == TEXT
        assert await driven.text() == ""
        await done(acts.type_text("!\n", css("#e")))  # as a person would
        assert await driven.text() == f"SENT {TEXT}!"


async def test_an_editor_that_owns_its_document_is_filled_with_lines(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        await driven.open(pages.url("I04"))
        acts = acts_on(driven)
        for text in ("Dear Ann,\nthe price is 5", "second\nline"):
            assert (await done(acts.fill(css("#e"), text))).status is Status.ok
            assert await driven.evaluate("doc") == text


@pytest.mark.parametrize(
    "attributes",
    ["", "contenteditable=plaintext-only", "style='white-space:pre-wrap'", "style='display:flex'"],
)
async def test_lines_take_the_place_of_what_was_there(
    attributes: str, tmp_path: Path, pages: PageServer
) -> None:
    html = f"<div id=e {attributes} contenteditable><p>one<p><b>two</b></div>"
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/old", html))
        acts = acts_on(driven)
        for text in (TEXT, "a\n", "one line", "\n\nb"):
            filled = await done(acts.fill(css("#e"), text))
            assert (filled.status, text) == (Status.ok, text), filled
