"""One page as the daemon sees it: go somewhere, say where it is, and its input devices."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import trio

from cdp.capture import CAPTURE_TIMEOUT_S, Capture, capture_viewport
from cdp.editing import type_text
from cdp.errors import CallTimedOut, CdpError
from cdp.frame import WORLD_ENDED, full_url, parse_run
from cdp.hit import find_hit
from cdp.interception import Repeat
from cdp.keyboard import Keyboard
from cdp.loading import Loading
from cdp.outside import Outside
from cdp.page_errors import DocumentUnsettled, SchemeRefused
from cdp.pointer import Pointer
from cdp.target import open_target

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractContextManager

    from cdp.connection import CdpSession, Connection
    from cdp.dialog import Attendant, Dialog
    from cdp.editing import Typing
    from cdp.frame import Document
    from cdp.hit import Hit
    from cdp.interception import Interception
    from cdp.pointer import Point
    from cdp.target import PageTarget

LOAD_TIMEOUT_S = 15.0
PAINT_TIMEOUT_S = 2.0
STOP_TIMEOUT_S = 2.0
READ_ATTEMPTS = 3

_NAVIGABLE = re.compile(r"(?i:https?)://[^\x00-\x20\x7f]+|about:blank")
_ABORTED = "net::ERR_ABORTED"

_TWO_FRAMES = """() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"""

_STATUS = "() => performance.getEntriesByType('navigation')[0]?.responseStatus || 0"

# the document's own properties may be covered by names that the page gives to its forms
_STATE = """() => [
  Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document),
  innerWidth, innerHeight,
  performance.getEntriesByType('navigation')[0]?.responseStatus || 0]"""

_PARSED = """() => [
  Object.getOwnPropertyDescriptor(Document.prototype, 'readyState').get.call(document)
    !== 'loading',
  performance.getEntriesByType('navigation')[0]?.responseStatus || 0]"""


class NavigationOutcome(StrEnum):
    """How a navigation ended."""

    loaded = "loaded"
    loading = "loading"
    same_document = "same_document"
    refused = "refused"
    repeat_refused = "repeat_refused"
    download = "download"
    download_denied = "download_denied"
    failed = "failed"
    timed_out = "timed_out"


@dataclass(frozen=True, slots=True)
class Navigation:
    """What became of a navigation; loaded, loading and same_document are successes.

    ``loading``: the document is there and parsed, and something of it has not come in time.

    ``url`` (page text) and ``loader_id`` are those of the document that the page shows
    at the end, ``status`` is its HTTP status, None where there is none. ``error`` is
    Chromium's net error, as ``net::ERR_CONNECTION_REFUSED``, or "". ``refused_url`` (page
    text) is what was not loaded when the navigation was refused.
    """

    outcome: NavigationOutcome
    url: str
    loader_id: str
    status: int | None = None
    error: str = ""
    refused_url: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the page shows what was asked for, an HTTP error's page included."""
        return self.outcome in _SUCCESSES


_SUCCESSES = (
    NavigationOutcome.loaded,
    NavigationOutcome.loading,
    NavigationOutcome.same_document,
)


@dataclass(frozen=True, slots=True)
class PageState:
    """One consistent look at a page. ``url`` and ``title`` are page text.

    Halves of surrogate pairs, which a page may put anywhere, are U+FFFD here.
    ``width`` and ``height`` are CSS pixels. ``status`` is the document's HTTP status, None
    where there is none; ``unreachable`` the address (page text) that an error page stands
    for, or "".
    """

    url: str
    title: str
    loader_id: str
    width: int
    height: int
    status: int | None = None
    unreachable: str = ""


class Page:
    """The page and its devices; all calls on it come from one task at a time.

    ``loading`` knows of requests only while somebody lets it listen.
    """

    def __init__(self, target: PageTarget, interception: Interception | None) -> None:
        self._interception = interception
        self.target = target
        self.pointer = Pointer(target)
        self.keyboard = Keyboard(target)
        self.loading = Loading(target.target_id)
        self.may_download = False  # a browser of ours denies it until told otherwise
        self.waits_on = False  # a document counts only once all of it has loaded

    def seal(self) -> None:
        """Take no input or navigation and answer no dialog any more. There is no way back."""
        self.target.seal()

    @property
    def dialogs(self) -> list[Dialog]:
        """Return the dialogs so far, the newest of them when there were many."""
        return self.target.dialogs.records

    @property
    def open_dialog(self) -> Dialog | None:
        """The dialog that is open now and not answered."""
        return self.target.dialogs.open

    @property
    def lost(self) -> CdpError | None:
        """Why the page can never answer again, None while it can."""
        return self.target.interrupts.lost

    async def navigate(self, url: str, *, timeout_s: float = LOAD_TIMEOUT_S) -> Navigation:
        """Go to a URL and wait for its load event and two painted frames.

        The time covers all of it; when it is over the load is stopped, unless the page
        ``waits_on`` and its document is parsed. Raises SchemeRefused (nothing sent),
        PageSealed, DialogHeld, or the loss of the page.
        """
        verify_navigable(url)
        self.target.begin_sending()
        before, refusals = self.target.main.document, self.refusals
        try:
            with trio.fail_after(timeout_s):
                return await self._navigate(url, timeout_s, refusals)
        except (trio.TooSlowError, CallTimedOut):
            return await self.give_up(before)

    async def type_text(self, text: str) -> Typing:
        """Type into what has the focus and read it back; see `cdp.editing.type_text`."""
        return await type_text(self.target, text)

    async def find_hit(self, point: Point) -> Hit:
        """Return what is under a point now, for the record."""
        return await find_hit(self.target, point)

    async def capture(
        self, width: int, height: int, *, timeout_s: float = CAPTURE_TIMEOUT_S
    ) -> Capture:
        """Capture the whole viewport; see `capture_viewport`."""
        return await capture_viewport(self.target, width, height, timeout_s=timeout_s)

    async def read_state(self) -> PageState:
        """Read address, title, loader id and viewport of one document.

        The document's identity is read before and after; DocumentUnsettled when it
        was another one each time.
        """
        for _ in range(READ_ATTEMPTS):
            state = await self._read_state()
            if state is not None:
                return state
        raise DocumentUnsettled(READ_ATTEMPTS)

    async def settle(self) -> None:
        """Wait until the page has painted two frames, PAINT_TIMEOUT_S at most.

        A tab that was never painted takes input and loses it; a page that paints
        nothing in that time (it is busy, or another document came) is left as it is.
        """
        try:
            with trio.move_on_after(PAINT_TIMEOUT_S):
                await self.target.world.run(_TWO_FRAMES, wait=True)
        except WORLD_ENDED:
            self.target.interrupts.verify_answering()

    async def _navigate(self, url: str, timeout_s: float, refusals: int) -> Navigation:
        reply = await self.target.guarded.call("Page.navigate", url=url, timeout_s=timeout_s)
        error = str(reply.get("errorText") or "")
        if reply.get("isDownload"):
            outcome = NavigationOutcome.download
            if not self.may_download:
                outcome = NavigationOutcome.download_denied
            return self.navigation(outcome, error=error)
        if error == _ABORTED and self.refusals > refusals:
            return self.navigation(NavigationOutcome.refused, error=error)
        if "loaderId" not in reply and not error:
            # its event may come after this reply
            tree = await self.target.guarded.call("Page.getFrameTree")
            self.target.main.move(full_url(tree["frameTree"]["frame"]))
            return self.navigation(NavigationOutcome.same_document)
        if error == _ABORTED:
            return self.navigation(NavigationOutcome.failed, error=error)
        await self._await_commit(str(reply["loaderId"]))
        return await self.finish_load(error)

    async def finish_load(self, error: str = "") -> Navigation:
        """Wait until the document that is shown has loaded and painted; say how that ended."""
        while True:
            document = await self._await_load()
            if error or document.failed:
                return self.navigation(NavigationOutcome.failed, error=error)
            await self.settle()
            status = await self._read_status()
            if self.target.main.document.loader_id == document.loader_id:
                return self.navigation(NavigationOutcome.loaded, status=status)

    async def give_up(self, before: Document) -> Navigation:
        """Stop a load that was begun at a document, or let it go on if that may count.

        CallTimedOut when the page itself does not listen: it may yet load then.
        """
        if self.waits_on and self.target.main.document.loader_id != before.loader_id:
            parsed = await self._parsed()
            if parsed is not None:
                return parsed
        calls = [("Page.stopLoading", {}), ("Runtime.evaluate", {"expression": "0"})]
        for outcome in await self.target.guarded.pipeline_outcomes(calls, timeout_s=STOP_TIMEOUT_S):
            if isinstance(outcome, CallTimedOut):
                raise outcome
        return self.navigation(NavigationOutcome.timed_out)

    async def _parsed(self) -> Navigation | None:
        """Return the navigation to a document that is parsed, None while it is not."""
        document = self.target.main.document
        with trio.move_on_after(STOP_TIMEOUT_S):
            try:
                parsed, status = await self.target.world.run(_PARSED)
            except WORLD_ENDED:
                self.target.interrupts.verify_answering()
                return None
            shown = self.target.main.document
            if parsed and not shown.failed and shown.loader_id == document.loader_id:
                ended = NavigationOutcome.loaded if shown.loaded else NavigationOutcome.loading
                return self.navigation(ended, status=int(status) or None)
        return None

    async def _await_commit(self, loader_id: str) -> None:
        with self.target.interrupts.guard():
            while self.target.main.document.loader_id != loader_id:
                await self.target.main.wait_change()

    async def _await_load(self) -> Document:
        """Wait until the document that the page shows, or one in its place, has loaded."""
        with self.target.interrupts.guard():
            while not self.target.main.document.loaded:
                await self.target.main.wait_change()
            return self.target.main.document

    async def _read_status(self) -> int | None:
        try:
            return int(await self.target.world.run(_STATUS)) or None
        except WORLD_ENDED:
            self.target.interrupts.verify_answering()
            return None

    def navigation(
        self, outcome: NavigationOutcome, *, status: int | None = None, error: str = ""
    ) -> Navigation:
        """Return an outcome together with the document that is shown."""
        document = self.target.main.document
        refused = ""
        if outcome is NavigationOutcome.refused and self._interception is not None:
            refused = self._interception.page_refused_url
        return Navigation(outcome, document.url, document.loader_id, status, error, refused)

    def repeating(self) -> AbstractContextManager[Repeat]:
        """Load nothing, for the length of a block, that would send a form once more."""
        fence = self._interception
        return nullcontext(Repeat()) if fence is None else fence.repeating()

    @property
    def refusals(self) -> int:
        """How many documents of the page's own were refused so far, its frames' left out."""
        return 0 if self._interception is None else self._interception.page_refused_count

    async def _read_state(self) -> PageState | None:
        tree: tuple[str, dict[str, object]] = ("Page.getFrameTree", {})
        try:
            read = await self.target.world.run_call(_STATE)
            before, reply, after = await self.target.guarded.pipeline([tree, read, tree])
            return parse_state(before, reply, after)
        except WORLD_ENDED:
            self.target.interrupts.verify_answering()
            self.target.forget_worlds()
            return None


def parse_state(
    before: dict[str, Any], reply: dict[str, Any], after: dict[str, Any]
) -> PageState | None:
    """Return the state that three replies give; None when the document changed between them."""
    frame, later = before["frameTree"]["frame"], after["frameTree"]["frame"]
    identity = frame["loaderId"], full_url(frame)
    if identity != (later["loaderId"], full_url(later)):
        return None
    title, width, height, status = parse_run(reply)
    loader_id, url = str(frame["loaderId"]), full_url(frame)
    unreachable = str(frame.get("unreachableUrl") or "")
    size = int(width), int(height)
    return PageState(url, str(title), loader_id, *size, int(status) or None, unreachable)


def verify_navigable(url: str) -> None:
    """Raise SchemeRefused unless a URL is http, https or about:blank, without blanks."""
    if not _NAVIGABLE.fullmatch(url):
        raise SchemeRefused


@asynccontextmanager
async def open_page(
    connection: Connection,
    session: CdpSession,
    target_id: str,
    *,
    interception: Interception | None = None,
    attendant: Attendant | None = None,
) -> AsyncIterator[Page]:
    """Look after an attached page for the length of the block; see `open_target`."""
    target = open_target(connection, session, target_id, attendant=attendant)
    async with target as opened:
        with nullcontext() if interception is None else Outside(session, interception).watching():
            yield Page(opened, interception)
