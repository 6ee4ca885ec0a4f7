"""Acts of the keyboard on whatever has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from cdp.elements.done import Done, Prepared, Status
from cdp.hit import Hit

if TYPE_CHECKING:
    from cdp.keymap import Chord
    from cdp.page import Page


class Press:
    """Press a chord, or hold it down for a time."""

    def __init__(self, page: Page, chord: Chord, hold_s: float | None = None) -> None:
        self._page = page
        self._chord = chord
        self._hold_s = hold_s

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`; there is nothing to find out."""
        await trio.lowlevel.checkpoint()
        return Prepared(Hit())

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`; what keys bring about is the page's affair."""
        if self._hold_s is None:
            await self._page.keyboard.press(self._chord)
        else:
            await self._page.keyboard.hold(self._chord, self._hold_s)
        return Done(Status.injected, detail="the keys were pressed")
