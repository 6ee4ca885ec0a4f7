"""What a page is loading now, for whoever waits until it is idle."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.connection import CdpSession
    from cdp.messages import Event

REQUEST_LIMIT = 1024
"""Requests that are followed at a time; more are not waited for."""

URL_LIMIT = 1024
"""Code points kept of an address."""

# They last as long as the page likes, or are nothing that it waits for.
_ENDLESS = frozenset({"EventSource", "WebSocket", "Ping", "Media", "Prefetch"})


ANSWERED_S = 1.0
"""How long an answer may stand still and count: a page need never read it to its end."""


@dataclass(slots=True)
class _Request:
    url: str
    answered_at: float | None = None


class Loading:
    """The requests of one page that are under way. Sessions need ``Network.enable``."""

    def __init__(self, frame_id: str) -> None:
        self._frame_id = frame_id
        self._requests: dict[tuple[str, str], _Request] = {}
        self._changed_at = trio.current_time()

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses under way, page text; those without an end left out."""
        since = trio.current_time() - ANSWERED_S
        return tuple(
            request.url
            for request in self._requests.values()
            if request.answered_at is None or request.answered_at > since
        )

    @property
    def quiet_s(self) -> float:
        """For how many seconds no request has begun or ended."""
        return trio.current_time() - self._changed_at

    @contextmanager
    def listen(self, session: CdpSession) -> Iterator[None]:
        """Follow the requests of one session for the length of the block."""
        with ExitStack() as stack:
            for method, handle in (
                ("Page.frameNavigated", self._navigated),
                ("Network.requestWillBeSent", self._began),
                ("Network.responseReceived", self._answered),
                ("Network.dataReceived", self._received),
                ("Network.loadingFinished", self._ended),
                ("Network.loadingFailed", self._ended),
            ):
                stack.enter_context(session.handler(method, handle))
            yield
        ours = session.session_id
        self._requests = {key: one for key, one in self._requests.items() if key[0] != ours}

    def _navigated(self, event: Event) -> None:
        """Forget what the old document was loading; its end may never be told."""
        frame = event.params.get("frame") or {}
        if frame.get("id") == self._frame_id:
            ours = event.session_id, str(frame.get("loaderId"))
            self._requests = {key: one for key, one in self._requests.items() if key == ours}

    def _began(self, event: Event) -> None:
        self._changed_at = trio.current_time()
        if event.params.get("type") not in _ENDLESS and len(self._requests) < REQUEST_LIMIT:
            request = event.params.get("request") or {}
            self._requests[_key(event)] = _Request(str(request.get("url") or "")[:URL_LIMIT])

    def _answered(self, event: Event) -> None:
        response = event.params.get("response") or {}
        if response.get("mimeType") == "text/event-stream":
            self._requests.pop(_key(event), None)
        self._received(event)

    def _received(self, event: Event) -> None:
        request = self._requests.get(_key(event))
        if request is not None:
            request.answered_at = trio.current_time()

    def _ended(self, event: Event) -> None:
        self._changed_at = trio.current_time()
        self._requests.pop(_key(event), None)


def _key(event: Event) -> tuple[str, str]:
    return event.session_id, str(event.params.get("requestId"))
