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

    TEXT = "text"
    VALUE = "value"
    ATTRIBUTE = "attribute"
    STATE = "state"
    COUNT = "count"
    TITLE = "title"
    URL = "url"


class WaitFor(StrEnum):
    """What can be waited for."""

    LOAD = "load"
    IDLE = "idle"
    TEXT = "text"
    TEXT_GONE = "text_gone"
    STATE = "state"
    URL = "url"
    MS = "ms"


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait.

    ``value`` is the text, the url (``*`` stands for anything), or the name of a state that
    ``target`` is to have; ``ms`` is a time.
    """

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
