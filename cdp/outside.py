"""Navigations to what no page has: the addresses of other programs, as ``tel:`` and ``mailto:``.

Chromium sends no request for one, so the fence is never asked. A browser of ours does not
open it either (see `cdp.chromium.programs`): it is refused, and here it is noted.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from cdp.interception import RefusedNavigation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.connection import CdpSession
    from cdp.interception import Interception
    from cdp.messages import Event

_OF_PAGES = frozenset(
    {
        "about",
        "blob",
        "chrome",
        "chrome-error",
        "chrome-extension",
        "chrome-untrusted",
        "data",
        "devtools",
        "file",
        "filesystem",
        "http",
        "https",
        "javascript",
        "view-source",
        "ws",
        "wss",
    }
)
"""Schemes that Chromium loads, or refuses, by itself."""


def is_outside(url: str) -> bool:
    """Return whether only another program could open an address."""
    scheme, found, _ = url.partition(":")
    return bool(found) and scheme.lower() not in _OF_PAGES


class Outside:
    """Notes such navigations of a page, whose own session is given, and of its frames."""

    def __init__(self, session: CdpSession, fence: Interception) -> None:
        self._session = session
        self._fence = fence

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note where the frames of the page's own process go; it needs ``Page.enable``."""
        with self._session.handler("Page.frameStartedNavigating", self._started):
            yield

    @contextmanager
    def listen(self, session: CdpSession) -> Iterator[None]:
        """Note what `watching` cannot see: redirects, and frames of other processes.

        The session needs ``Network.enable``.
        """
        with session.handler("Network.requestWillBeSent", self._requested):
            yield

    def _started(self, event: Event) -> None:
        # its event does not say how; as nothing is sent, it makes no difference
        self._note(event, str(event.params.get("url") or ""), "GET", hop=False)

    def _requested(self, event: Event) -> None:
        hop = "redirectResponse" in event.params
        if event.params.get("type") != "Document":
            return
        if hop or event.session_id != self._session.session_id:
            request = event.params.get("request") or {}
            url, method = str(request.get("url") or ""), str(request.get("method") or "")
            self._note(event, url, method, hop=hop)

    def _note(self, event: Event, url: str, method: str, *, hop: bool) -> None:
        if is_outside(url):
            refused = RefusedNavigation(url, method, hop)
            self._fence.note_refused(refused, str(event.params.get("frameId")))
