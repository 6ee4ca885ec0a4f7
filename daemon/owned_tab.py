"""`daemon.tab.Tab` over `cdp`: translates points, chords, outcomes and errors."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

import trio

from cdp.editing import type_text
from cdp.errors import CallTimedOut, CdpError
from cdp.interception import open_interception
from cdp.keymap import chord_of
from cdp.page import NavigationOutcome, Page, open_page
from cdp.page_errors import CaptureUnusable, DocumentUnsettled, PageSealed, SchemeRefused
from cdp.pointer import Point
from daemon.everyday.owned_performer import OwnedPerformer
from daemon.everyday.owned_surroundings import open_surroundings
from daemon.everyday.surroundings import NoSurroundings
from daemon.tab import (
    Incidents,
    Load,
    MetDialog,
    Outcome,
    PageState,
    Picture,
    TabGone,
    TabRefused,
    TabSilent,
    Under,
)
from protocol.errors import Failure, proof_failure
from protocol.receipts import ActionStatus
from protocol.viewports import Viewport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from cdp.chromium.browser import Browser
    from cdp.connection import Connection
    from cdp.dialog import Dialog
    from cdp.hit import Hit
    from cdp.interception import Interception
    from cdp.messages import Event
    from cdp.page import Navigation
    from daemon.everyday.performer import NextGeneration
    from daemon.everyday.surroundings import Around

_FAILED = "the page did not load"

DOWNLOADS = "understudy-downloads"
"""Directory of a profile where downloads lie; it goes with the profile."""

TOLD = 64
"""Incidents of each kind that a reply tells, the newest ones."""

LEARN_S = 1.0
"""Longest wait for the status of a document: a busy page must not hold a reply up."""


class OwnedTab:
    """The one page of a browser of ours; see `daemon.tab.Tab`."""

    def __init__(
        self,
        connection: Connection,
        page: Page,
        interception: Interception,
        viewport: Viewport,
        uploads: Path,
    ) -> None:
        self._connection = connection
        self._page = page
        self._uploads = uploads
        self._interception = interception
        self.viewport = viewport
        self.lost = page.target.interrupts.gone
        self.dialog_open = trio.Event()
        self._navigated: Navigation | None = None
        self._learnt: tuple[str, int | None] = "", None
        """The loader id of the newest document whose HTTP status was looked up, and it."""

    @property
    def lost_reason(self) -> str:
        """Why the page is gone; "" while it is not."""
        return str(self._page.lost or "")

    @property
    def sealed(self) -> bool:
        """Whether the page takes no input any more."""
        return self._page.target.sealed

    @property
    def load(self) -> Load:
        """See `Tab`."""
        document, ours = self._page.target.main.document, self._navigated
        error = _FAILED if document.failed else ""
        if ours is not None and ours.loader_id == document.loader_id:
            error = "" if ours.succeeded else describe_navigation(ours)
        learnt, status = self._learnt
        return Load(
            document.unreachable or document.url,
            status if learnt == document.loader_id else None,
            error,
            document.loaded and not document.failed,
        )

    @property
    def incidents(self) -> Incidents:
        """See `Tab`."""
        fence, dialogs = self._interception, self._page.target.dialogs
        return Incidents(
            [{"url": one.url, "method": one.method} for one in fence.refused[-TOLD:]],
            fence.refused_count,
            [{"url": one.url} for one in fence.popups[-TOLD:]],
            fence.popup_count,
            [_met(dialog) for dialog in dialogs.records[-TOLD:]],
            dialogs.count,
        )

    async def learn_status(self) -> None:
        """See `Tab`."""
        if self._learnt[0] == self._page.target.main.document.loader_id:
            return
        with trio.move_on_after(LEARN_S), suppress(CdpError):
            seen = await self._page.read_state()
            self._learnt = seen.loader_id, seen.status

    async def capture(self) -> Picture:
        """See `Tab`. Raises Failure ``frame`` for a picture that is none."""
        try:
            with _answering():
                capture = await self._page.capture(self.viewport.width, self.viewport.height)
        except CaptureUnusable as error:
            raise proof_failure("frame", str(error), "Begin a new attempt.") from error
        return Picture.of(capture.png)

    async def read_state(self) -> PageState:
        """See `Tab`. Raises Failure ``busy`` when the page would not keep still."""
        try:
            with _answering():
                seen = await self._page.read_state()
        except DocumentUnsettled as error:
            raise Failure("busy", str(error), "ask again", safe_to_retry=True) from error
        return PageState(seen.url, seen.title, seen.loader_id, Viewport(seen.width, seen.height))

    async def navigate(self, url: str, *, timeout_s: float) -> Outcome:
        """See `Tab`."""
        try:
            with _answering():
                done = await self._page.navigate(url, timeout_s=timeout_s)
        except SchemeRefused as error:
            return Outcome(ActionStatus.FAILED, str(error))
        self._navigated = done
        if done.status is not None:
            self._learnt = done.loader_id, done.status
        if done.succeeded:
            return Outcome(ActionStatus.OK)
        return Outcome(ActionStatus.FAILED, describe_navigation(done))

    async def click(self, x: int, y: int, *, button: str, count: int) -> Outcome:
        """See `Tab`."""
        with _answering():
            return _injected(
                await self._page.pointer.click(Point(x, y), button=button, count=count)
            )

    async def move(self, x: int, y: int) -> Outcome:
        """See `Tab`."""
        with _answering():
            return _injected(await self._page.pointer.move(Point(x, y)))

    async def drag(self, start: tuple[int, int], end: tuple[int, int]) -> Outcome:
        """See `Tab`."""
        with _answering():
            return _injected(await self._page.pointer.drag(Point(*start), Point(*end)))

    async def scroll(self, x: int, y: int, *, direction: str, amount: int) -> Outcome:
        """See `Tab`."""
        with _answering():
            return _injected(await self._page.pointer.scroll(Point(x, y), direction, amount))

    async def type_text(self, text: str) -> Outcome:
        """See `Tab`."""
        with _answering():
            typed = await type_text(self._page.target, text)
        return Outcome(ActionStatus(typed.status.value), typed.detail)

    async def press(self, modifiers: Sequence[str], base: str) -> Outcome:
        """See `Tab`."""
        with _answering():
            await self._page.keyboard.press(chord_of(modifiers, base))
        return _injected(None)

    async def hold(self, modifiers: Sequence[str], base: str, ms: int) -> Outcome:
        """See `Tab`."""
        with _answering():
            await self._page.keyboard.hold(chord_of(modifiers, base), ms / 1000)
        return _injected(None)

    def performer(self, next_generation: NextGeneration) -> OwnedPerformer:
        """See `Tab`."""
        return OwnedPerformer(self._page, next_generation, self._uploads)

    @asynccontextmanager
    async def surround(self, around: Around) -> AsyncIterator[None]:
        """See `Tab`. Raises Failure when the page is gone already."""
        dialogs = self._page.target.dialogs
        around.outbox.door = dialogs
        dialogs.attend(around.outbox)
        try:
            folder = self._uploads.with_name(DOWNLOADS) if around.downloads else None
            async with open_surroundings(
                self._connection, self._page, self._interception, folder
            ) as around.page:
                yield
        except CdpError as error:
            raise Failure(
                "browser_unavailable", str(error), "try again", safe_to_retry=True
            ) from error
        finally:
            around.page = NoSurroundings()
            around.outbox.interrupt()

    def seal(self) -> None:
        """See `Tab`."""
        self._page.seal()
        if self._page.target.interrupts.held is not None:
            self.dialog_open.set()

    def note_dialog(self, _: Event) -> None:
        """Tell of a dialog that nobody answers because the page is sealed."""
        if self.sealed:
            self.dialog_open.set()


@asynccontextmanager
async def open_tab(
    browser: Browser, decide: Callable[[str], bool], viewport: Viewport, uploads: Path
) -> AsyncIterator[OwnedTab]:
    """Fence a fresh browser and look after its page for the length of the block.

    ``decide`` says by url whether the page may load a document. ``uploads`` is where copies
    of files to upload may lie; nothing needs to be there.
    """
    connection, target_id = browser.connection, browser.target_id

    async with (
        open_interception(connection, target_id, decide) as interception,
        open_page(connection, browser.page, target_id, interception=interception) as page,
    ):
        tab = OwnedTab(connection, page, interception, viewport, uploads)
        with browser.page.handler("Page.javascriptDialogOpening", tab.note_dialog):
            yield tab


def describe_navigation(done: Navigation) -> str:
    """Return why a navigation was none, without page text."""
    match done.outcome:
        case NavigationOutcome.refused:
            return "it led to an origin that is not one of the session's"
        case NavigationOutcome.download | NavigationOutcome.download_denied:
            return "it is a download, and downloads are denied"
        case NavigationOutcome.timed_out:
            return "the page did not load in time"
        case _:
            return done.error or _FAILED


@contextmanager
def _answering() -> Iterator[None]:
    """Translate what keeps a page from answering; leave what the caller judges."""
    try:
        yield
    except PageSealed as error:
        raise TabRefused(str(error)) from error
    except (CaptureUnusable, DocumentUnsettled, SchemeRefused):
        raise
    except CallTimedOut as error:
        raise TabSilent(str(error)) from error
    except CdpError as error:
        raise TabGone(str(error)) from error


def _injected(hit: Hit | None) -> Outcome:
    under = None if hit is None else Under(hit.role, hit.name, hit.origin)
    return Outcome(ActionStatus.INJECTED, under=under)


def _met(dialog: Dialog) -> MetDialog:
    return MetDialog(dialog.kind, dialog.message, dialog.url, dialog.disposition.value)
