"""What a running daemon hands to the part that holds browsers and sessions, and gets back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import trio

    from daemon.activity import Activity
    from daemon.clock import Clock
    from daemon.config import Config
    from daemon.dispatch import Handler, RequestHandler
    from daemon.paths import Layout


@dataclass(frozen=True)
class Runtime:
    """One daemon's surroundings. ``nursery`` lives until the daemon ends."""

    layout: Layout
    config: Config
    clock: Clock
    activity: Activity
    nursery: trio.Nursery
    environment: Mapping[str, str]
    """The daemon's own, as it was started."""


@dataclass(frozen=True)
class Facility:
    """What the held part offers to both doors."""

    routes: Mapping[str, Handler]
    request: RequestHandler


OpenFacility = Callable[[Runtime], AbstractAsyncContextManager[Facility]]
"""Opens the held part. Leaving the context ends whatever it holds, with a deadline of its own."""
