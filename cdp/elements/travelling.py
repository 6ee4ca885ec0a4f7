"""Acts that go to another document: navigate, back, forward, reload."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

from cdp.elements.done import Done, Prepared, Status
from cdp.elements.errors import NoHistory
from cdp.errors import CallRefused, CallTimedOut
from cdp.hit import Hit
from cdp.page import LOAD_TIMEOUT_S, Navigation, NavigationOutcome, verify_navigable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.frame import Document
    from cdp.interception import Repeat
    from cdp.messages import Event
    from cdp.page import Page

LOOK_S = 0.05
ELSEWHERE = "historyDifferentDocument"
"""A navigation through the history to another document; it may take its time to be there."""


class Navigate:
    """Go to a URL."""

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        self._url = url

    async def prepare(self) -> Prepared:
        """Raise SchemeRefused for what no page can be."""
        await trio.lowlevel.checkpoint()
        verify_navigable(self._url)
        return Prepared(Hit())

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        return done_of(await self._page.navigate(self._url))


class Travel:
    """Go so many steps through the tab's history, back by negative ones."""

    def __init__(self, page: Page, steps: int) -> None:
        self._page = page
        self._steps = steps
        self._entry_id: int | None = None

    async def prepare(self) -> Prepared:
        """Raise NoHistory if there is nothing to go to."""
        history = await self._page.target.guarded.call("Page.getNavigationHistory")
        place = history["currentIndex"] + self._steps
        if not 0 <= place < len(history["entries"]):
            raise NoHistory
        self._entry_id = int(history["entries"][place]["id"])
        return Prepared(Hit())

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._entry_id is None:
            raise AssertionError("it was not prepared")
        return done_of(await traverse(self._page, self._entry_id))


class Reload:
    """Load the document again."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`; there is nothing to find out."""
        await trio.lowlevel.checkpoint()
        return Prepared(Hit())

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        return done_of(await reload(self._page))


async def traverse(page: Page, entry_id: int, *, timeout_s: float = LOAD_TIMEOUT_S) -> Navigation:
    """Go to a history entry and wait until its document has loaded; as `Page.navigate`."""
    before, refusals = page.target.main.document, page.refusals
    page.target.begin_sending()
    try:
        with trio.fail_after(timeout_s):
            with page.repeating() as repeat, _begun(page) as begun:
                await page.target.guarded.call("Page.navigateToHistoryEntry", entryId=entry_id)
                while (url := await _address_at(page, entry_id)) is None:
                    if (refused := _refusal(page, repeat, refusals)) is not None:
                        return refused
                    await trio.sleep(LOOK_S)
                # the history is there before its document is
                if ELSEWHERE not in begun and await _loader_at(page) == before.loader_id:
                    page.target.main.move(url)
                    return page.navigation(NavigationOutcome.same_document)
                refused = await _await_document(page, before, repeat, refusals)
            return refused or await page.finish_load()
    except (trio.TooSlowError, CallTimedOut):
        return await page.give_up(before)


async def reload(page: Page, *, timeout_s: float = LOAD_TIMEOUT_S) -> Navigation:
    """Load the document again and wait for it; as `Page.navigate`."""
    before, refusals = page.target.main.document, page.refusals
    page.target.begin_sending()
    try:
        with trio.fail_after(timeout_s):
            with page.repeating() as repeat:
                await page.target.guarded.call("Page.reload")
                refused = await _await_document(page, before, repeat, refusals)
            return refused or await page.finish_load()
    except (trio.TooSlowError, CallTimedOut):
        return await page.give_up(before)


@contextmanager
def _begun(page: Page) -> Iterator[set[str]]:
    """Collect what kinds of navigation begin in the page, for the length of the block."""
    kinds: set[str] = set()

    def note(event: Event) -> None:
        if event.params.get("frameId") == page.target.target_id:
            kinds.add(str(event.params.get("navigationType")))

    with page.target.session.handler("Page.frameStartedNavigating", note):
        yield kinds


async def _await_document(
    page: Page, before: Document, repeat: Repeat, refusals: int
) -> Navigation | None:
    """Wait until another document is shown; how it was refused, if it was."""
    main = page.target.main
    while main.document.loader_id == before.loader_id:
        if (refused := _refusal(page, repeat, refusals)) is not None:
            return refused
        with trio.move_on_after(LOOK_S), page.target.interrupts.guard():
            await main.wait_change()
    return None


def _refusal(page: Page, repeat: Repeat, before: int) -> Navigation | None:
    """Return how a document was refused, if one was since there were ``before`` refusals."""
    if repeat.refused:
        return page.navigation(NavigationOutcome.repeat_refused)
    if page.refusals > before:
        return page.navigation(NavigationOutcome.refused)
    return None


async def _address_at(page: Page, entry_id: int) -> str | None:
    """Return the address of a history entry if the tab is there."""
    try:
        history = await page.target.guarded.call("Page.getNavigationHistory")
    except CallRefused:
        return None  # the tab is between two documents
    entry = history["entries"][history["currentIndex"]]
    return str(entry["url"]) if entry["id"] == entry_id else None


async def _loader_at(page: Page) -> str:
    """Return the loader id of the tab's document, waited for while there is none."""
    while True:
        try:
            tree = await page.target.guarded.call("Page.getFrameTree")
        except CallRefused:
            await trio.sleep(LOOK_S)
        else:
            return str(tree["frameTree"]["frame"]["loaderId"])


_FAILURES = {
    NavigationOutcome.refused: ("origin", "the address is not among the session's origins"),
    NavigationOutcome.repeat_refused: (
        "navigation_failed",
        "the document came of a form that was sent, and loading it would send that again",
    ),
    NavigationOutcome.download_denied: (
        "navigation_failed",
        "the address is a download, and the session may not download",
    ),
    NavigationOutcome.failed: ("navigation_failed", "the document did not load"),
    NavigationOutcome.timed_out: ("navigation_failed", "the document did not load in time"),
}


def done_of(navigation: Navigation) -> Done:
    """Return the end of an act that a navigation was.

    ``seen`` holds where it ended, and what was refused (``refusedUrl``) or is still to come.
    """
    seen: dict[str, object] = {"url": navigation.url}
    if navigation.refused_url:
        seen["refusedUrl"] = navigation.refused_url
    if navigation.status is not None:
        seen["status"] = navigation.status
    if navigation.outcome is NavigationOutcome.loading:
        seen["loading"] = True
    if navigation.outcome is NavigationOutcome.download:
        return Done(Status.injected, detail="the address is a download", seen=seen)
    if navigation.succeeded:
        return Done(Status.ok, seen=seen)
    code, detail = _FAILURES[navigation.outcome]
    if navigation.error:
        detail += f" ({navigation.error})"
    return Done(Status.failed, code, detail, seen)
