"""The document fence of one browser: what may be loaded, and no page but ours.

On the browser's own session each document request is paused before it leaves, at
every hop of its redirects, and each new page target is closed (chromium.md §3-4;
page-level means were tried there and let pages through). A refused request is
aborted, which leaves the page and what is typed into it as they were. Documents of
frames pass. The caller says by URL what the main frame may load.

Sub-resources pass, those that our page writes into a page before it is closed too:
it could have loaded them itself.

A request is ours to judge by its frame: the main frame's id is its page's target id.
Any other frame is asked for at the browser, so that the document of a page that is
not ours never leaves, even before we were told of that page.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import trio

from cdp.background import running
from cdp.errors import CallRefused, CdpError
from cdp.messages import Event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from cdp.connection import Connection

DOCUMENTS = [{"urlPattern": "*", "resourceType": "Document"}]

HARMLESS = ("GET", "HEAD")
"""Methods of requests that may be sent again."""

RECORD_LIMIT = 256
"""The newest refusals and popups that are remembered, of each; all are counted."""

URL_LIMIT = 8192
"""Code points kept of a URL."""

STRANGER_TIMEOUT_S = 5.0
"""How long a frame's document waits for a page that is not ours to be gone."""

NAMING_S = 0.25
"""How long a page that is not ours may live until its first address is known.

Closed at once, it would often be gone before it asks for a document, and a report
could not say what it was for. What it asks for is refused all the same.
"""

STRANGER_LIMIT = 4096
"""Pages remembered after their end, because their request may be told of later."""

QUESTION_LIMIT = 256
"""Documents of frames that wait to be judged; more are refused."""


@dataclass(frozen=True, slots=True)
class RefusedNavigation:
    """A document that was not loaded; ``url`` is page text.

    It was to be the main frame's, or has an address that no frame can load.

    ``hop`` is true when the address came by a redirect of one that was allowed.
    """

    url: str
    method: str
    hop: bool


@dataclass(frozen=True, slots=True)
class Popup:
    """A page that was closed before its first request.

    ``url`` is page text, as first requested, "" if it never was. ``opener_id`` is the
    opening page's target id, "" for a ctrl, shift or middle click. ``method`` is that of the
    first request, "" where it is not known.
    """

    target_id: str
    url: str
    opener_id: str
    method: str = ""


@dataclass(slots=True)
class Repeat:
    """Loading again what was loaded before; ``refused`` when that would send a form again."""

    refused: bool = False


@dataclass(slots=True)
class _Stranger:
    """A page that is not ours: it is named, then closed, then gone."""

    target_id: str
    close_at: float
    named: trio.Event = field(default_factory=trio.Event)
    gone: trio.Event = field(default_factory=trio.Event)


class Interception:
    """Judges documents and closes pages that are not ours."""

    def __init__(
        self, connection: Connection, target_id: str, decide: Callable[[str], bool]
    ) -> None:
        self._connection = connection
        self._target_id = target_id
        self._decide = decide
        self._strangers: OrderedDict[str, _Stranger] = OrderedDict()
        self._show_out, self._leaving = trio.open_memory_channel[_Stranger](STRANGER_LIMIT)
        self._ask, self._questions = trio.open_memory_channel[Event](QUESTION_LIMIT)
        self._repeat: Repeat | None = None
        self.refused: list[RefusedNavigation] = []
        self.refused_count = 0
        self.page_refused_count = 0  # those of the main frame, and the newest of them
        self.page_refused_url = ""
        self.popups: list[Popup] = []
        self.popup_count = 0

    def allows(self, url: str) -> bool:
        """Return whether the main frame may load a URL."""
        return self._decide(url)

    @contextmanager
    def repeating(self) -> Iterator[Repeat]:
        """Refuse, for the length of the block, a document that is not asked for by GET.

        What is loaded again must not do again what it did. Chromium asks a person first.
        """
        self._repeat = Repeat()
        try:
            yield self._repeat
        finally:
            self._repeat = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Handle the browser's events for the length of the block."""
        with ExitStack() as stack:
            for method, handle in (
                ("Fetch.requestPaused", self._requested),
                ("Target.targetCreated", self._created),
                ("Target.targetInfoChanged", self._renamed),
                ("Target.targetDestroyed", self._destroyed),
            ):
                stack.enter_context(self._connection.handler(method, handle))
            yield

    async def switch_on(self) -> None:
        """Pause documents and tell of pages from now on; close those that are there."""
        *_, targets = await self._connection.pipeline(
            [
                ("Fetch.enable", {"patterns": DOCUMENTS}),
                ("Target.setDiscoverTargets", {"discover": True}),
                ("Target.getTargets", {}),
            ]
        )
        for info in targets["targetInfos"]:
            self._meet(info)

    async def judge_frames(self) -> None:
        """Let the documents of our page's frames pass, one after another; runs for ever."""
        async for event in self._questions:
            passes = await self.wait_alone() and await self._is_frame(event)
            self._note_request(event)
            self._settle(event, passes=passes)

    async def close_strangers(self) -> None:
        """Close pages that are not ours as soon as they are named; runs for ever."""
        async for stranger in self._leaving:
            with trio.move_on_at(stranger.close_at):
                await stranger.named.wait()
            self._post("Target.closeTarget", {"targetId": stranger.target_id})

    def _requested(self, event: Event) -> None:
        frame_id = event.params.get("frameId")
        if frame_id == self._target_id:
            self._judge(event)
        elif frame_id in self._strangers:
            self._note_request(event)
            self._settle(event, passes=False)
        else:
            try:
                self._ask.send_nowait(event)
            except trio.WouldBlock:
                self._settle(event, passes=False)

    def _judge(self, event: Event) -> None:
        url, method = _url(event), str(event.params["request"].get("method", ""))
        passes = self._decide(url)
        if not passes:
            hop = bool(event.params.get("redirectedRequestId"))
            self.note_refused(RefusedNavigation(url, method, hop), self._target_id)
        elif self._repeat is not None and method not in HARMLESS:
            self._repeat.refused, passes = True, False
        self._settle(event, passes=passes)

    def note_refused(self, refused: RefusedNavigation, frame_id: str) -> None:
        """Remember a document that was not loaded into a frame."""
        kept = replace(refused, url=refused.url[:URL_LIMIT])
        self.refused_count += 1
        self.refused.append(kept)
        del self.refused[:-RECORD_LIMIT]
        if frame_id == self._target_id:
            self.page_refused_count += 1
            self.page_refused_url = kept.url

    def _settle(self, event: Event, *, passes: bool) -> None:
        request = {"requestId": event.params["requestId"]}
        if passes:
            self._post("Fetch.continueRequest", request)
        else:
            self._post("Fetch.failRequest", {**request, "errorReason": "Aborted"})

    async def wait_alone(self, timeout_s: float = STRANGER_TIMEOUT_S) -> bool:
        """Wait until no other page lives: a frame of one must not load anything either.

        Return whether it is so. Popups that were met are named by then.
        """
        with trio.move_on_after(timeout_s):
            for stranger in list(self._strangers.values()):
                await stranger.gone.wait()
            return True
        return False

    async def _is_frame(self, event: Event) -> bool:
        """Return whether a frame asks, not a page: it is no target, or one of its own type."""
        frame_id = event.params.get("frameId")
        try:
            reply = await self._connection.call("Target.getTargetInfo", targetId=frame_id)
        except CallRefused:
            return frame_id not in self._strangers
        except CdpError:
            return False
        return bool(reply["targetInfo"]["type"] != "page")

    def _created(self, event: Event) -> None:
        self._meet(event.params.get("targetInfo") or {})

    def _meet(self, info: dict[str, object]) -> None:
        target_id = str(info.get("targetId"))
        if info.get("type") != "page" or target_id == self._target_id:
            return
        if target_id in self._strangers:
            return
        self._strangers[target_id] = _Stranger(target_id, trio.current_time() + NAMING_S)
        self.popup_count += 1
        self.popups.append(Popup(target_id, "", str(info.get("openerId") or "")))
        del self.popups[:-RECORD_LIMIT]
        self._name(target_id, str(info.get("url") or ""))
        self._close(self._strangers[target_id])
        self._forget_oldest()

    def _renamed(self, event: Event) -> None:
        info = event.params.get("targetInfo") or {}
        self._name(str(info.get("targetId")), str(info.get("url") or ""))

    def _note_request(self, event: Event) -> None:
        """Note what a page that is not ours asks for, and how; a form's page is one by POST."""
        target_id = str(event.params.get("frameId"))
        self._name(target_id, _url(event))
        method = str(event.params["request"].get("method", ""))
        for place, popup in enumerate(self.popups):
            if popup.target_id == target_id and not popup.method:
                self.popups[place] = replace(popup, method=method)

    def _name(self, target_id: str, url: str) -> None:
        """Note the first address that a page had, other than that of an empty one."""
        stranger = self._strangers.get(target_id)
        if stranger is None or stranger.named.is_set() or not url:
            return
        if url != "about:blank":
            stranger.named.set()
        for place in range(len(self.popups) - 1, -1, -1):
            if self.popups[place].target_id == target_id:
                self.popups[place] = replace(self.popups[place], url=url[:URL_LIMIT])
                return

    def _close(self, stranger: _Stranger) -> None:
        try:
            self._show_out.send_nowait(stranger)
        except trio.WouldBlock:
            self._post("Target.closeTarget", {"targetId": stranger.target_id})

    def _destroyed(self, event: Event) -> None:
        stranger = self._strangers.get(str(event.params.get("targetId")))
        if stranger is not None:
            stranger.gone.set()

    def _forget_oldest(self) -> None:
        if len(self._strangers) > STRANGER_LIMIT:
            _, stranger = self._strangers.popitem(last=False)
            stranger.gone.set()

    def _post(self, method: str, parameters: dict[str, object]) -> None:
        """Send an answer. If it is refused, what it was about is gone already.

        One that cannot be sent leaves a request paused or holds frames: closed, not open.
        """
        with suppress(CdpError):
            self._connection.post(method, parameters, lambda _: None)


def _url(event: Event) -> str:
    return str(event.params["request"]["url"])


@asynccontextmanager
async def open_interception(
    connection: Connection, target_id: str, decide: Callable[[str], bool]
) -> AsyncIterator[Interception]:
    """Fence a browser whose only page of ours is ``target_id``, for the length of the block.

    ``decide`` says by URL whether the main frame may load a document; it must not
    block or raise. The fence ends with the connection, never before it: pages are
    neither let go nor continued at the end of the block.
    """
    interception = Interception(connection, target_id, decide)
    async with running(interception.judge_frames, interception.close_strangers):
        with interception.watching():
            await interception.switch_on()
            yield interception
