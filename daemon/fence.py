"""The fence of one workspace: which documents its page may load.

A *document* fence, not a firewall: documents of the main frame are held to the
origins, while sub-resources, iframes and sockets of other origins pass. What it
refuses is remembered, so that no session can be ignorant of it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.origins import allows, parse_origin, session_origins

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 64
URL_KEPT_CHARACTERS = 2048


class Fence:
    """Exact origins, and the newest 64 navigations and popups refused.

    Urls here are page text, cut at 2,048 characters.
    """

    def __init__(self, origins: Sequence[str]) -> None:
        self.origins = tuple(origins)
        self.refused_count = 0
        self.popup_count = 0
        self._refused: deque[dict[str, object]] = deque(maxlen=KEPT)
        self._popups: deque[dict[str, object]] = deque(maxlen=KEPT)

    def allows(self, url: str, *, main_frame: bool) -> bool:
        """Say whether a document may be loaded in the page."""
        return not main_frame or allows(self.origins, url)

    def note_refused(self, url: str, method: str) -> None:
        """Remember a navigation that was stopped before its request."""
        self.refused_count += 1
        self._refused.append({"url": url[:URL_KEPT_CHARACTERS], "method": method})

    def note_popup(self, url: str) -> None:
        """Remember a new page that was closed before its request."""
        self.popup_count += 1
        self._popups.append({"url": url[:URL_KEPT_CHARACTERS]})

    def wire(self) -> dict[str, object]:
        """Return the fence's part of a reply's ``understudy`` member."""
        return {
            "origins": list(self.origins),
            "refusedNavigations": list(self._refused),
            "refusedCount": self.refused_count,
            "popups": list(self._popups),
            "popupCount": self.popup_count,
        }


def decide_origins(url: str | None, named: Sequence[str], bound: Sequence[str]) -> tuple[str, ...]:
    """Return a workspace's origins: the url's own and each that was named.

    ``bound`` is the configuration's ``[policy] origins``; empty means no bound.
    Raises Failure ``origin`` for what is no origin we go to, ``policy`` for one
    out of bounds.
    """
    origins = session_origins(url, named)
    allowed = {parse_origin(origin, explicit=True) for origin in bound}
    beyond = [origin for origin in origins if origin not in allowed]
    if bound and beyond:
        raise Failure(
            "policy",
            f"{beyond[0]} is not among the origins that this installation allows",
            "the key `origins` in section [policy] of config.toml decides",
        )
    return origins
