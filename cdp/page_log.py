"""What went wrong in a page since it was last navigated: page text, bounded.

Console errors, of the page and of the browser about it (a navigation that it does not do),
uncaught exceptions, and requests that failed: those without an answer, and those answered
with an HTTP error. What the page or we broke off is no failure, nor
is an icon that the browser looked for by itself.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from cdp.traffic import NETWORK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cdp.connection import Call, CdpSession
    from cdp.messages import Event

ENTRY_LIMIT = 200
"""The newest entries that are kept; all are counted."""
TEXT_LIMIT = 1024
"""Code points kept of a text or an address."""
PENDING_LIMIT = 1024
"""Requests whose address is remembered while they run."""
ARGUMENT_LIMIT = 16
"""Arguments of one console call that are kept."""

HTTP_ERROR = 400
_ICON = "/favicon.ico"

CALLS: tuple[Call, ...] = (NETWORK, ("Runtime.enable", {}), ("Log.enable", {}))
"""What a session must have switched on."""


class EntryKind(StrEnum):
    """What an entry tells of."""

    console_error = "console_error"
    exception = "exception"
    request_failed = "request_failed"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that went wrong. ``text`` and ``url`` are page text; ``line`` counts from 1.

    ``text`` of a failed request is Chromium's net error, or "HTTP" and the status.
    """

    kind: EntryKind
    text: str
    url: str
    line: int | None = None


class PageLog:
    """The entries since the page's main frame last showed another document."""

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._pending: OrderedDict[tuple[str, str], str] = OrderedDict()
        self.entries: deque[Entry] = deque(maxlen=ENTRY_LIMIT)
        self.count = 0

    @contextmanager
    def listen(self, session: CdpSession) -> Iterator[None]:
        """Take the entries of one session for the length of the block; it needs CALLS."""
        with ExitStack() as stack:
            for method, handle in (
                ("Page.frameNavigated", self._navigated),
                ("Runtime.consoleAPICalled", self._said),
                ("Runtime.exceptionThrown", self._thrown),
                ("Log.entryAdded", self._told),
                ("Network.requestWillBeSent", self._requested),
                ("Network.responseReceived", self._answered),
                ("Network.loadingFinished", self._finished),
                ("Network.loadingFailed", self._failed),
            ):
                stack.enter_context(session.handler(method, handle))
            yield

    def _navigated(self, event: Event) -> None:
        frame = event.params.get("frame") or {}
        if frame.get("id") == self._frame_id:
            self.entries.clear()
            self.count = 0

    def _said(self, event: Event) -> None:
        if event.params.get("type") not in ("error", "assert"):
            return
        arguments = event.params.get("args") or []
        text = " ".join(_shown(one) for one in arguments[:ARGUMENT_LIMIT])
        frames = (event.params.get("stackTrace") or {}).get("callFrames") or [{}]
        self._add(EntryKind.console_error, text, frames[0])

    def _told(self, event: Event) -> None:
        entry = event.params.get("entry") or {}
        if entry.get("level") == "error" and entry.get("source") != "network":
            self._add(EntryKind.console_error, str(entry.get("text") or ""), entry)

    def _thrown(self, event: Event) -> None:
        details = event.params.get("exceptionDetails") or {}
        exception = details.get("exception") or {}
        text = str(exception.get("description") or _shown(exception) or details.get("text") or "")
        self._add(EntryKind.exception, text, details)

    def _requested(self, event: Event) -> None:
        request = event.params.get("request") or {}
        self._pending[_key(event)] = str(request.get("url") or "")[:TEXT_LIMIT]
        if len(self._pending) > PENDING_LIMIT:
            self._pending.popitem(last=False)

    def _answered(self, event: Event) -> None:
        response = event.params.get("response") or {}
        status = int(response.get("status") or 0)
        if status >= HTTP_ERROR and not str(response.get("url")).endswith(_ICON):
            self._add(EntryKind.request_failed, f"HTTP {status}", response)

    def _finished(self, event: Event) -> None:
        self._pending.pop(_key(event), None)

    def _failed(self, event: Event) -> None:
        url = self._pending.pop(_key(event), "")
        if not event.params.get("canceled"):
            text = str(event.params.get("errorText") or "")
            self._add(EntryKind.request_failed, text, {"url": url})

    def _add(self, kind: EntryKind, text: str, where: Mapping[str, Any]) -> None:
        line = where.get("lineNumber")
        url = str(where.get("url") or "")[:TEXT_LIMIT]
        self.count += 1
        self.entries.append(
            Entry(kind, text[:TEXT_LIMIT], url, line + 1 if isinstance(line, int) else None)
        )


def _key(event: Event) -> tuple[str, str]:
    return event.session_id, str(event.params.get("requestId"))


def _shown(argument: Mapping[str, Any]) -> str:
    """Return one argument of a console call as a person would read it."""
    if "value" in argument:
        return str(argument["value"])
    return str(argument.get("description") or argument.get("unserializableValue") or "")
