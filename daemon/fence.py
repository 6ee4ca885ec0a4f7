"""Which origins a workspace's page may show documents of.

The fence itself (`cdp.interception`) is a *document* fence, not a firewall:
documents of the main frame are held to these origins, while sub-resources,
iframes and sockets of other origins pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.origins import parse_origin, session_origins

if TYPE_CHECKING:
    from collections.abc import Sequence


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
