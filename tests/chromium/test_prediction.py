"""A profile of ours predicts nothing: no document is fetched that nobody went to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.chromium.browser import launch
from cdp.chromium.profile import PREFERENCES, create_profile
from cdp.page import open_page
from cdp.viewport import Viewport
from tests.fakes import oracle

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

RULES = """<!doctype html><title>rules</title><script type=speculationrules>
{"prefetch": [{"source": "list", "urls": ["{B}/hit?n=other", "/hit?n=own"],
"eagerness": "immediate"}], "prerender": [{"source": "list", "urls": ["/hit?n=rendered"],
"eagerness": "immediate"}]}</script><p>rules"""
NAMES = ("other", "own", "rendered")


@pytest.mark.parametrize("predicting", [False, True])
async def test_nothing_is_fetched_in_advance(
    predicting: bool, tmp_path: Path, pages: PageServer
) -> None:
    """With the preference left out, the same page does fetch: the test can fail."""
    profile = tmp_path / "profile"
    create_profile(profile)
    if predicting:
        loose = {name: value for name, value in PREFERENCES.items() if name != "net"}
        (profile / "Default" / "Preferences").write_text(json.dumps(loose))
    binary = oracle.write_watched_browser(tmp_path)
    async with (
        launch(binary, profile, Viewport(800, 600)) as browser,
        open_page(browser.connection, browser.page, browser.target_id) as page,
    ):
        assert (await page.navigate(pages.add("/rules", RULES))).succeeded
        with trio.move_on_after(8 if predicting else 3):
            while not any(pages.hits(name) for name in NAMES):  # noqa: ASYNC110
                await trio.sleep(0.05)
    assert any(pages.hits(name) for name in NAMES) is predicting
