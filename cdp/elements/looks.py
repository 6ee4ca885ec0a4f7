"""Reads of a page and waits on it; nothing here changes anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdp.capture import Capture
    from cdp.elements.targets import Locator, Target
    from cdp.page import Page


class What(StrEnum):
    """What can be read."""

    text = "text"
    value = "value"
    attribute = "attribute"
    state = "state"
    count = "count"
    title = "title"
    url = "url"


class WaitFor(StrEnum):
    """What can be waited for."""

    load = "load"
    idle = "idle"
    text = "text"
    text_gone = "text_gone"
    state = "state"
    url = "url"
    ms = "ms"


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait. ``value`` is the text, url, or the state's name (visible, hidden, enabled,
    disabled, checked, unchecked, editable, focused, gone); ``target`` goes with a state,
    ``ms`` with a time."""

    wanted: WaitFor
    value: str = ""
    target: Target | None = None
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Waited:
    """How a wait ended. ``pending`` says what is still missing, page text, when not ``met``."""

    met: bool
    pending: tuple[str, ...] = ()


class Looks:
    """Reads one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def read(self, what: What, target: Target | None = None, name: str = "") -> object:
        """Return text, value (a length for passwords), attribute ``name`` or None, or states.

        Without a target: the page's text, title or url. Raises ElementError.
        """
        raise NotImplementedError

    async def count(self, locator: Locator) -> int:
        """Return how many elements fit."""
        raise NotImplementedError

    async def wait(self, wait: Wait, *, timeout_s: float) -> Waited:
        """Wait until it is so, ``timeout_s`` at most."""
        raise NotImplementedError

    async def capture_full(self) -> Capture:
        """Capture the whole page, beyond the viewport too."""
        raise NotImplementedError

    async def capture_element(self, target: Target) -> Capture:
        """Capture the part of the page that an element fills."""
        raise NotImplementedError
