"""Which origins a page's requests go to, counted.

The fence holds documents of the main frame; everything else passes and is counted here:
sub-resources, sockets, and what frames and workers load, those of other processes
included. A request counts when it is about to be sent, each hop of a redirect by itself.
A page can make up any number of origins, so only so many are told apart.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.connection import Call, CdpSession
    from cdp.messages import Event

ORIGIN_LIMIT = 256
"""Origins that are told apart; requests to more of them are counted together."""

NETWORK: Call = (
    "Network.enable",
    {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0},  # bodies are never asked for
)

_SCHEMES = {"http", "https", "ws", "wss"}


class Traffic:
    """The requests of one page, by origin. ``others`` counts those of further origins."""

    def __init__(self) -> None:
        self.origins: dict[str, int] = {}
        self.others = 0

    @contextmanager
    def listen(self, session: CdpSession) -> Iterator[None]:
        """Count one session's requests for the length of the block; it needs NETWORK."""
        with (
            session.handler("Network.requestWillBeSent", self._requested),
            session.handler("Network.webSocketCreated", self._connected),
        ):
            yield

    def _requested(self, event: Event) -> None:
        request = event.params.get("request") or {}
        self._count(str(request.get("url") or ""))

    def _connected(self, event: Event) -> None:
        self._count(str(event.params.get("url") or ""))

    def _count(self, url: str) -> None:
        origin = origin_of(url)
        if not origin:
            return
        if origin in self.origins or len(self.origins) < ORIGIN_LIMIT:
            self.origins[origin] = self.origins.get(origin, 0) + 1
        else:
            self.others += 1


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL as the browser wrote it, "" outside the network."""
    scheme, found, rest = url.partition("://")
    if not found or scheme not in _SCHEMES:
        return ""
    return f"{scheme}://{urlsplit('//' + rest).netloc.rpartition('@')[2]}"
