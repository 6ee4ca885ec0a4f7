"""The seam between everyday commands and a page.

The real performer (`daemon.everyday.owned_performer`) works over ``cdp.elements``; tests
put another behind the same interface. One performer serves one tab of one browser: its
refs die with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from daemon.tab import Under
    from protocol.commands import Read, Write
    from protocol.targets import Target
    from protocol.writes import Status

NextGeneration = Callable[[], Awaitable[int]]
"""Gives the number of a snapshot's generation: each once in the installation's life."""

NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True)
class Done:
    """The end of an act.

    ``code`` names the condition when it failed, ``detail`` says it in our words; ``seen``
    is page text.
    """

    status: Status
    code: str = ""
    detail: str = ""
    seen: Mapping[str, object] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class PageIdentity:
    """Which document a reply speaks of. ``url`` and ``title`` are page text.

    ``status`` is its HTTP status, None where there is none. Of an address that did not
    load (``failed``) the browser shows an error page.
    """

    url: str
    title: str
    loader_id: str
    status: int | None = None
    failed: bool = False

    def wire(self) -> dict[str, object]:
        """Return the ``page`` member of a reply."""
        page: dict[str, object] = {"url": self.url, "title": self.title, "loaderId": self.loader_id}
        if self.status is not None:
            page["status"] = self.status
        return page | {"failed": True} if self.failed else page


class DialogMet(Exception):
    """A dialog is open, and the page answers nothing until it is closed."""


class PageFailed(Exception):
    """The page did not answer in time, or refused a call; it may do so later. Says which.

    ``refused``: it answered at once, as it does when its document goes away meanwhile.
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused


class Act(Protocol):
    """One write, in two halves; each runs once."""

    async def prepare(self) -> Under | None:
        """Find out whether it can be done: reads only, no input.

        Return what it will act on, page text; None for what acts on no element.
        Raises CommandFailed for a condition of the page, DialogMet, PageFailed, TabGone.
        """

    async def perform(self, then: Act | None = None) -> Done:
        """Send it and read back. Raises as `prepare` does.

        ``then`` is the act that comes right after it: what that one needs may be looked at
        as soon as this one's effect was seen.
        """


class Performer(Protocol):
    """Does commands on one page, one at a time."""

    @property
    def sent_count(self) -> int:
        """Grows right before the first byte of an act's input leaves."""

    @property
    def loader_id(self) -> str:
        """Which document is shown, as far as has been heard."""

    @property
    def dialog(self) -> Mapping[str, object] | None:
        """The dialog that is open and waits for the caller, page text; None when none does."""

    def act(self, write: Write) -> Act:
        """Return the act that a write asks for; what it names is looked up when it is prepared."""

    async def look(self, read: Read, *, timeout_s: float) -> Mapping[str, object]:
        """Read, and return the members of the result.

        Raises CommandFailed (``timed_out`` for a wait in vain), DialogMet, PageFailed, TabGone.
        """

    async def probe(self, target: Target) -> Mapping[str, object]:
        """Resolve a target without touching it. Raises as `look` does."""

    async def identify(self, *, timeout_s: float) -> PageIdentity:
        """Return which document is shown; it never fails.

        A page that does not say its title in time has none.
        """
