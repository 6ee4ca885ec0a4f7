"""What a tab's page does besides what it is told: popups, dialogs, errors, other origins.

`Surroundings` is the seam to one tab; `Around` joins it with what the session keeps over
all of its tabs, and says what came up during one command. Everything here is page text,
but for counts, numbers and times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from daemon.outbox import DialogOutbox

Told = dict[str, object]
"""One thing as a reply tells it."""


class Surroundings(Protocol):
    """What one tab's page did by itself."""

    @property
    def popup_count(self) -> int:
        """How many popups were closed before their first request; they count from 1."""

    async def popups(self, *, after: int = 0) -> Sequence[Told]:
        """Return the popups after a number, the newest of them, once each is named."""

    @property
    def refused_count(self) -> int:
        """How many navigations of the tab led out of the session's origins."""

    def refused(self, *, after: int = 0) -> Sequence[Told]:
        """Return the navigations that were stopped, after a number, the newest of them."""

    @property
    def download_count(self) -> int:
        """How many downloads have begun; they count from 1."""

    async def downloads(self, *, after: int = 0) -> Sequence[Told]:
        """Return the downloads after a number, once those that run have had some time."""

    def download_path(self, number: int) -> Path | None:
        """Return where a complete download lies, None for any other."""

    def origins(self) -> Sequence[Told]:
        """Return where the page's requests went: each origin and how many requests."""

    @property
    def error_count(self) -> int:
        """What went wrong in the page since its last navigation, counted."""

    def errors(self) -> Sequence[Told]:
        """Return what went wrong since the last navigation, the newest of it, oldest first."""


class NoSurroundings:
    """Those of a session that has no tab at the moment."""

    popup_count = 0
    refused_count = 0
    download_count = 0
    error_count = 0

    async def popups(self, *, after: int = 0) -> Sequence[Told]:  # noqa: ARG002
        """See Surroundings."""
        return ()

    def refused(self, *, after: int = 0) -> Sequence[Told]:  # noqa: ARG002
        """See Surroundings."""
        return ()

    async def downloads(self, *, after: int = 0) -> Sequence[Told]:  # noqa: ARG002
        """See Surroundings."""
        return ()

    def download_path(self, number: int) -> None:  # noqa: ARG002
        """See Surroundings."""
        return

    def origins(self) -> Sequence[Told]:
        """See Surroundings."""
        return ()

    def errors(self) -> Sequence[Told]:
        """See Surroundings."""
        return ()


@dataclass(frozen=True)
class Mark:
    """How much of each kind was told, by its last number."""

    popups: int
    downloads: int
    refused: int


_NOTHING = Mark(0, 0, 0)


class Around:
    """What a session tells besides the results of its commands.

    ``downloads`` says whether its page may download anything.
    """

    def __init__(self, outbox: DialogOutbox, *, downloads: bool = False) -> None:
        self.outbox = outbox
        self.downloads = downloads
        self._page: Surroundings = NoSurroundings()
        self._told = _NOTHING

    @property
    def page(self) -> Surroundings:
        """What the session's tab did by itself."""
        return self._page

    @page.setter
    def page(self, page: Surroundings) -> None:
        """Begin anew with another tab."""
        self._page = page
        self._told = _NOTHING

    def mark(self) -> Mark:
        """Return where `since` is to begin: after what was told last.

        What came up between two commands is told by the second.
        """
        return self._told

    async def since(self, mark: Mark) -> dict[str, object]:
        """Return the members of a reply that tell what came up after a mark.

        ``dialog`` is the one that is open, else the newest that was met; ``dialogs`` is
        there when more than one was met; ``refused`` when a navigation was stopped, each
        with the origin that would have to be the session's.
        """
        page = self.page
        popups = await page.popups(after=mark.popups)
        downloads = await page.downloads(after=mark.downloads)
        refused = page.refused(after=mark.refused)
        if page is self.page:
            self._told = Mark(page.popup_count, page.download_count, page.refused_count)
        return {
            **self._dialogs(),
            **({"refused": [_with_origin(one) for one in refused]} if refused else {}),
            "popups": [dict(popup) for popup in popups],
            "downloads": [dict(download) for download in downloads],
        }

    def status(self) -> dict[str, object]:
        """Return the members of a session's status."""
        return {
            "requests": [dict(origin) for origin in self.page.origins()],
            "pageErrors": self.page.error_count,
            "refusedNavigations": self.page.refused_count,
            "dialogHealth": self.outbox.wire()["health"],
        }

    async def popup_url(self, number: int) -> str:
        """Return the address that a popup first asked for.

        Raises Failure ``not_found`` for a popup that there was not, is not remembered,
        or had no address, ``action_failed`` for one that was to be sent a form.
        """
        for popup in await self.page.popups():
            if popup["number"] == number and popup["url"] not in ("", "about:blank"):
                _verify_loadable(popup)
                return str(popup["url"])
        raise Failure(
            "not_found",
            "There is no popup with this number and an address",
            "See understudy popup list.",
        )

    def _dialogs(self) -> dict[str, object]:
        met = self.outbox.untold()
        newest = self.outbox.open or (met[-1] if met else None)
        self.outbox.tell(self.outbox.newest)
        told: dict[str, object] = {"dialog": None if newest is None else newest.wire()}
        if len(met) > 1:
            told["dialogs"] = [one.wire() for one in met]
        return told


def _verify_loadable(popup: Told) -> None:
    if popup.get("method") not in (None, "GET"):
        message = "The popup was to be sent a form, and its address alone is not what it asked for"
        raise CommandFailed("action_failed", message)


def _with_origin(refused: Told) -> Told:
    try:
        return {**refused, "origin": origin_of(str(refused["url"]))}
    except Failure:  # of a scheme that is never gone to, whatever is allowed
        return {**refused, "origin": None}
