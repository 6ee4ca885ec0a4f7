"""One page under our control, as the performer sees it.

`Tab` is the seam between evidence sessions and Chromium: the real one lives in
`daemon.owned_tab` over `cdp`, and tests put another behind the same interface.
Everything that came from the page (urls, titles, roles, names, dialog messages)
is page text: data, never trusted, never part of a failure's message.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from protocol.pictures import Frame, parse_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    import trio

    from daemon.everyday.performer import NextGeneration, Performer
    from daemon.everyday.surroundings import Around
    from protocol.receipts import ActionStatus
    from protocol.viewports import Viewport


@dataclass(frozen=True)
class Picture:
    """A whole PNG of the viewport, with what identifies it."""

    png: bytes = field(repr=False)
    frame: Frame

    @classmethod
    def of(cls, png: bytes) -> Picture:
        """Judge and digest a PNG; raises Failure ``frame`` or ``frame-size``."""
        return cls(png, parse_frame(png))

    def wire(self) -> dict[str, object]:
        """Return the ``frame`` member of a reply."""
        return {**self.frame.wire(), "pngBase64": base64.b64encode(self.png).decode("ascii")}


@dataclass(frozen=True)
class PageState:
    """What one document is, read while it did not change. Page text."""

    url: str
    title: str
    loader_id: str
    viewport: Viewport

    def wire(self) -> dict[str, object]:
        """Return the state document."""
        return {
            "url": self.url,
            "title": self.title,
            "loaderId": self.loader_id,
            "viewport": self.viewport.wire(),
        }


@dataclass(frozen=True)
class Under:
    """What lay under a point before the input went out. Page text."""

    role: str
    name: str
    frame_origin: str

    def wire(self) -> dict[str, object]:
        """Return the ``under`` member of an attempt's event."""
        return {"role": self.role, "name": self.name, "frameOrigin": self.frame_origin}


@dataclass(frozen=True)
class Outcome:
    """How an action ended and why, in words that never hold typed text.

    The status is ``ok`` only when the effect was read back.
    """

    status: ActionStatus
    detail: str = ""
    under: Under | None = None
    """What lay under the point where a pointer action began."""


@dataclass(frozen=True)
class Load:
    """The document that the page shows, or the address of the one that did not load.

    ``http_status`` is None where there is none, or where it is not known (see
    `Tab.learn_status`). ``error`` says why the newest navigation of ours failed, if it did,
    or that the page's own did.
    """

    url: str
    http_status: int | None
    error: str = ""
    loaded: bool = True

    def wire(self) -> dict[str, object]:
        """Return the ``load`` member of a reply."""
        return {
            "url": self.url,
            "status": self.http_status,
            "error": self.error or None,
            "loaded": self.loaded,
        }


@dataclass(frozen=True)
class MetDialog:
    """A JavaScript dialog and what became of it. Page text in message and url."""

    kind: str
    message: str
    url: str
    disposition: str

    def wire(self) -> dict[str, object]:
        """Return one element of a reply's ``dialogs``."""
        return {
            "type": self.kind,
            "message": self.message,
            "url": self.url,
            "disposition": self.disposition,
        }


@dataclass(frozen=True)
class Incidents:
    """What the page tried and was kept from; the newest few, and how many in all.

    Urls, messages and kinds of dialogs are page text.
    """

    refused: Sequence[Mapping[str, object]] = ()
    refused_count: int = 0
    popups: Sequence[Mapping[str, object]] = ()
    popup_count: int = 0
    dialogs: Sequence[MetDialog] = ()
    dialog_count: int = 0

    def wire(self) -> dict[str, object]:
        """Return the incidents' part of a reply's ``understudy`` member."""
        return {
            "refusedNavigations": [dict(one) for one in self.refused],
            "refusedCount": self.refused_count,
            "popups": [dict(one) for one in self.popups],
            "popupCount": self.popup_count,
            "dialogs": [dialog.wire() for dialog in self.dialogs],
            "dialogCount": self.dialog_count,
        }


class TabGone(Exception):
    """The page cannot answer: it or its browser is gone, or a dialog blocks it.

    Says how, and holds no page text.
    """


class TabSilent(TabGone):
    """The page did not answer in time; it may be busy, and answer later."""


class TabRefused(Exception):
    """An input door was tried on a sealed tab."""


class Tab(Protocol):
    """One page of one browser. All points are CSS pixels of the viewport.

    Every method has its own deadline and raises `TabGone` when the page cannot
    answer any more. The input methods raise `TabRefused` once the tab is sealed,
    and leave no button or key pressed on any exit, a cancellation included.
    """

    viewport: Viewport
    lost: trio.Event
    """Set when the page or its browser is gone."""
    dialog_open: trio.Event
    """Set when a dialog stands open that nobody will answer (sealed)."""

    @property
    def lost_reason(self) -> str:
        """Why the page is gone; "" while it is not."""

    @property
    def sealed(self) -> bool:
        """Whether the page takes no input any more."""

    @property
    def load(self) -> Load:
        """What the page shows now."""

    @property
    def incidents(self) -> Incidents:
        """What has been refused and answered since the tab was opened."""

    async def learn_status(self) -> None:
        """Let ``load`` know the HTTP status of the document that is shown.

        A pure read, also beside what else is done with the page. A page that does not answer
        costs a moment, and its status is not known then.
        """

    async def capture(self) -> Picture:
        """Return a whole PNG of exactly the viewport."""

    async def read_state(self) -> PageState:
        """Return what the document is; a pure read."""

    async def navigate(self, url: str, *, timeout_s: float) -> Outcome:
        """Load a url; the deadline covers the load."""

    async def click(self, x: int, y: int, *, button: str, count: int) -> Outcome:
        """Press and release a button ``count`` times, as a person does."""

    async def move(self, x: int, y: int) -> Outcome:
        """Move the pointer."""

    async def drag(self, start: tuple[int, int], end: tuple[int, int]) -> Outcome:
        """Press at start, move to end in steps, release."""

    async def scroll(self, x: int, y: int, *, direction: str, amount: int) -> Outcome:
        """Turn the wheel by ``amount`` notches."""

    async def type_text(self, text: str) -> Outcome:
        """Put exactly this text where the focus is."""

    async def press(self, modifiers: Sequence[str], base: str) -> Outcome:
        """Press and release a chord."""

    async def hold(self, modifiers: Sequence[str], base: str, ms: int) -> Outcome:
        """Hold a chord down for ``ms`` milliseconds."""

    def performer(self, next_generation: NextGeneration) -> Performer:
        """Return who does everyday commands on the page; its refs are its own."""

    def surround(self, around: Around) -> AbstractAsyncContextManager[None]:
        """Let a session hear what the page does by itself, for the length of the block.

        Its outbox attends to the page's dialogs from then on.
        """

    def seal(self) -> None:
        """Close every input door for good; dialogs are no longer answered."""
