"""Acts on a page. Each is prepared (reads only), then performed (sent, then read back)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cdp.elements.choosing import Check, Select
from cdp.elements.clicking import Click, Clicks, Drag, Hover
from cdp.elements.filling import Fill, Focus, TypeText
from cdp.elements.keys import Press
from cdp.elements.readiness import Preflight
from cdp.elements.scrolling import ScrollBy, ScrollEnd, ScrollTo
from cdp.elements.travelling import Navigate, Reload, Travel
from cdp.elements.uploading import Upload
from cdp.keymap import chord_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdp.elements.done import Done, Prepared
    from cdp.elements.targets import Target
    from cdp.page import Page

READY_TIMEOUT_S = 5.0
"""How long an element may take to appear, to be enabled and to come to rest."""


class Act(Protocol):
    """One write on a page."""

    async def prepare(self) -> Prepared:
        """Find the target and wait until it can be acted on; scroll it into view if need be.

        Raises ElementError, or what calls raise (DialogHeld for a dialog that is open).
        Sends no input. Once only.
        """

    async def perform(self) -> Done:
        """Act and read back; once, after `prepare`.

        Raises what calls raise: DialogHeld when a dialog opened meanwhile, PageSealed
        (nothing sent), CallTimedOut, or the loss of the page. ``page.target.sent_count``
        grows right before the first byte that acts leaves.
        """


class Acts:
    """Makes acts on one page; one act at a time."""

    def __init__(self, page: Page, *, timeout_s: float = READY_TIMEOUT_S) -> None:
        self._page = page
        self._preflight = Preflight(page, timeout_s)

    def click(
        self, target: Target, *, button: str = "left", count: int = 1, modifiers: Sequence[str] = ()
    ) -> Act:
        """Click: ``left``, ``right`` or ``middle``, 1 to 3 times, modifiers by key name."""
        return Click(self._preflight, target, Clicks(button, count, tuple(modifiers)))

    def hover(self, target: Target) -> Act:
        """Move the pointer there."""
        return Hover(self._preflight, target)

    def focus(self, target: Target) -> Act:
        """Give the element the focus."""
        return Focus(self._preflight, target)

    def type_text(self, text: str, target: Target | None = None) -> Act:
        """Type at the caret of the target (focused first), or into what has the focus."""
        return TypeText(self._preflight, text, target)

    def fill(self, target: Target, text: str) -> Act:
        """Make the text all that the field holds; date, time, colour, range by their value."""
        return Fill(self._preflight, target, text)

    def clear(self, target: Target) -> Act:
        """Empty the field."""
        return Fill(self._preflight, target, "")

    def select(
        self,
        target: Target,
        *,
        labels: Sequence[str] = (),
        values: Sequence[str] = (),
        indexes: Sequence[int] = (),
    ) -> Act:
        """Choose exactly these options of a list, or of an ARIA combobox by label."""
        choice: dict[str, Sequence[object]] = {
            "labels": labels,
            "values": values,
            "indexes": indexes,
        }
        return Select(self._preflight, target, choice)

    def check(self, target: Target, *, on: bool) -> Act:
        """Check or uncheck; a box that is so already is left alone."""
        return Check(self._preflight, target, on=on)

    def press(self, modifiers: Sequence[str], base: str) -> Act:
        """Press a chord of key names."""
        return Press(self._page, chord_of(modifiers, base))

    def hold(self, modifiers: Sequence[str], base: str, hold_s: float) -> Act:
        """Hold a chord down."""
        return Press(self._page, chord_of(modifiers, base), hold_s)

    def scroll_to(self, target: Target) -> Act:
        """Bring the target into view."""
        return ScrollTo(self._preflight, target)

    def scroll_by(self, across: float, down: float, target: Target | None = None) -> Act:
        """Turn the wheel over the target (the viewport's middle without one), CSS pixels."""
        return ScrollBy(self._preflight, target, across, down)

    def scroll_end(self, end: str) -> Act:
        """Scroll the page to its ``top`` or ``bottom``."""
        return ScrollEnd(self._page, end)

    def drag(self, target: Target, to: Target) -> Act:
        """Drag from one to the other."""
        return Drag(self._preflight, target, to)

    def upload(self, target: Target, paths: Sequence[str]) -> Act:
        """Choose these files (absolute paths that the browser can read) in a file field."""
        return Upload(self._preflight, target, paths)

    def navigate(self, url: str) -> Act:
        """Go to a URL."""
        return Navigate(self._page, url)

    def back(self) -> Act:
        """Go back in history."""
        return Travel(self._page, -1)

    def forward(self) -> Act:
        """Go forward in history."""
        return Travel(self._page, 1)

    def reload(self) -> Act:
        """Load the document again."""
        return Reload(self._page)
