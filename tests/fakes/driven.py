"""A page under test in a real browser, with an independent look at it beside."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import trio

from cdp.chromium.browser import launch
from cdp.chromium.profile import create_profile
from cdp.interception import open_interception
from cdp.keymap import chord_of
from cdp.page import open_page
from cdp.pointer import Point
from cdp.viewport import Viewport
from tests.fakes import oracle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from cdp.chromium.browser import Browser
    from cdp.dialog import Attendant
    from cdp.interception import Interception
    from cdp.page import Page
    from tests.fakes.oracle import Oracle

VIEWPORT = Viewport(1280, 720)


@dataclass
class Driven:
    """Our page, its fence and its browser; the oracle sees what the page saw."""

    page: Page
    fence: Interception
    browser: Browser
    watching: Oracle

    async def evaluate(self, expression: str, url_part: str = "") -> Any:
        """Evaluate in the page by the oracle's own connection."""
        return await trio.to_thread.run_sync(self.watching.evaluate, expression, url_part)

    async def text(self, element_id: str = "out") -> str:
        """Return what the page says happened."""
        return await trio.to_thread.run_sync(self.watching.text, element_id)

    async def wait_for(self, expression: str, wanted: object) -> None:
        """Wait until an expression has a value in the page."""
        await trio.to_thread.run_sync(self.watching.wait_for, expression, wanted)

    async def center(self, selector: str) -> Point:
        """Return the middle of an element, as the page says."""
        x, y = await trio.to_thread.run_sync(self.watching.center, selector)
        return Point(x, y)

    async def open(self, url: str) -> None:
        """Load a page, successfully."""
        navigation = await self.page.navigate(url)
        assert navigation.succeeded, navigation

    async def click(self, selector: str, **options: Any) -> None:
        """Click on the middle of an element."""
        await self.page.pointer.click(await self.center(selector), **options)

    async def press(self, *names: str) -> None:
        """Press a chord of key names."""
        *modifiers, base = names
        await self.page.keyboard.press(chord_of(modifiers, base))


@asynccontextmanager
async def drive(
    directory: Path,
    *,
    allows: Callable[[str], bool] = lambda url: True,
    attendant: Attendant | None = None,
    viewport: Viewport = VIEWPORT,
) -> AsyncIterator[Driven]:
    """Launch a watched browser and look after its page for the length of the block."""
    profile = directory / "profile"
    create_profile(profile)
    binary = oracle.write_watched_browser(directory)
    async with (
        launch(binary, profile, viewport) as browser,
        open_interception(browser.connection, browser.target_id, allows) as fence,
        open_page(
            browser.connection,
            browser.page,
            browser.target_id,
            interception=fence,
            attendant=attendant,
        ) as page,
    ):
        with await trio.to_thread.run_sync(oracle.connect, directory) as watching:
            yield Driven(page, fence, browser, watching)
