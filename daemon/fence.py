"""Which origins a workspace's page may show documents of.

The fence itself (`cdp.interception`) is a *document* fence, not a firewall:
documents of the main frame are held to these origins, while sub-resources,
iframes and sockets of other origins pass.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.origins import MAX_ORIGINS, allows, origin_of, parse_origin, session_origins
from protocol.sites import is_same_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class OriginFence:
    """The origins of one session's page; ``bound`` is what may be added, empty for any."""

    def __init__(self, origins: Sequence[str], bound: Sequence[str] = ()) -> None:
        self.origins = tuple(origins)
        self._bound = {parse_origin(origin, explicit=True) for origin in bound}
        self._first = ""

    def allows(self, url: str) -> bool:
        """Whether a document at ``url`` may be loaded now."""
        if not allows(self.origins, url) and self._is_hop(url):
            self.origins = tuple(sorted({*self.origins, origin_of(url) or ""}))
        return allows(self.origins, url)

    @contextmanager
    def first_load(self, url: str) -> Iterator[None]:
        """Take in the origins that this load is led on to, as long as they are of its site."""
        self._first = origin_of(url) or ""
        try:
            yield
        finally:
            self._first = ""

    def _is_hop(self, url: str) -> bool:
        if not self._first or len(self.origins) >= MAX_ORIGINS:
            return False
        try:
            origin = origin_of(url)
        except Failure:
            return False
        if origin is None or (self._bound and origin not in self._bound):
            return False
        return is_same_site(self._first, origin)


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
