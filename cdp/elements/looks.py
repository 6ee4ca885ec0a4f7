"""Reads of a page and waits on it; nothing here changes anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import trio

from cdp.capture import capture_area
from cdp.elements.errors import NoMatch, NotVisible, RefStale
from cdp.elements.finding import Element, Finder
from cdp.elements.readiness import Order, Preflight, refuse
from cdp.elements.script import ask, install
from cdp.elements.targets import Locator, Numbered
from cdp.pointer import Point
from cdp.walker.source import NAME

if TYPE_CHECKING:
    from cdp.capture import Capture
    from cdp.elements.targets import Target
    from cdp.page import Page

LOOK_S = 0.1
"""The time between two looks of a wait; a slow page is looked at less often."""

IDLE_S = 0.5
"""How long nothing must be under way for a page to be idle."""

PENDING_LIMIT = 10


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


STATES = (
    *("visible", "hidden", "gone", "enabled", "disabled", "editable", "focused", "unfocused"),
    *("checked", "unchecked", "selected", "unselected", "expanded", "collapsed"),
)
"""The states that can be waited for."""

_MOVED = f"function (x, y) {{ return {NAME}.moved(this, x, y) }}"

_OPPOSITES = {
    "disabled": "enabled",
    "unfocused": "focused",
    "unchecked": "checked",
    "unselected": "selected",
    "collapsed": "expanded",
}


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait.

    ``value`` is the text, the url (``*`` stands for anything), or one of STATES that
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
        self._finder = Finder(page.target)
        self._preflight = Preflight(page, 0)

    async def read(self, what: What, target: Target | None = None, name: str = "") -> Any:  # noqa: ANN401 (JSON)
        """Return text, value (``{"length"}`` of a password), attribute ``name``, or states.

        Without a target: the page's text, title or url. With ``count`` a locator's number
        of matches. Raises ElementError.
        """
        if what is What.COUNT:
            if not isinstance(target, Locator):
                raise NoMatch(())
            return (await self._finder.find(target)).total
        if target is None:
            return await self._read_page(what)
        if isinstance(target, Point):
            raise NoMatch(())
        element = await self._element(target)
        return (await self._read(element, what, name))["value"]

    async def wait(self, wait: Wait, *, timeout_s: float) -> Waited:
        """Wait until it is so, ``timeout_s`` at most; a document that goes away is no end.

        With no time at all there is one look.
        """
        if wait.wanted is WaitFor.MS:
            await trio.sleep(wait.ms / 1000)
            return Waited(met=True)
        pending: tuple[str, ...] = ()
        if timeout_s <= 0:
            pending = await self._pending(wait)
            return Waited(met=not pending, pending=pending)
        with trio.move_on_after(timeout_s):
            while True:
                started = trio.current_time()
                pending = await self._pending(wait)
                if not pending:
                    return Waited(met=True)
                await trio.sleep(max(LOOK_S, 2 * (trio.current_time() - started)))
        return Waited(met=False, pending=pending or (wait.wanted.value,))

    async def capture_full(self) -> Capture:
        """Capture the whole page, beyond the viewport too. CaptureUnusable when it is too big."""
        return await capture_area(self._page.target, None)

    async def capture_element(self, target: Target) -> Capture:
        """Capture the part of the page that an element fills; it is scrolled into view."""
        if isinstance(target, Point):
            raise NotVisible("a point fills no part of the page")
        ready = await self._preflight.ready(target, Order(("drawn",)))
        found = await ask(ready.element.world, "area", ready.element.order)
        if found is None:
            raise RefStale
        return await capture_area(self._page.target, await self._outward(ready.element, found))

    async def _outward(self, element: Element, area: dict[str, float]) -> dict[str, float]:
        """Carry an element's area into the page, out of frames of other processes."""
        world = element.world
        while world.owner is not None:
            owner = world.owner
            await install(owner.world)
            moved = await owner.world.run_on(owner.object_id, _MOVED, area["x"], area["y"])
            area = {**area, "x": moved[0], "y": moved[1]}
            world = owner.world
        return area

    async def _element(self, target: Numbered | Locator) -> Element:
        if isinstance(target, Numbered):
            return Element.of(target)
        return await self._preflight.find(target, trio.current_time())

    async def _read(self, element: Element, what: What, name: str = "") -> dict[str, Any]:
        order = {**element.order, "what": what.value, "name": name}
        if element.was is not None:
            order |= {"was": list(element.was), "renamed": element.renamed}
        found: dict[str, Any] | None = await ask(element.world, "read", order)
        if found is None:
            raise RefStale
        if "error" in found:
            refuse(found, element)
        return found

    async def _read_page(self, what: What) -> object:
        if what in (What.TITLE, What.URL):
            state = await self._page.read_state()
            return state.title if what is What.TITLE else state.url
        answers = await self._finder.everywhere("pageText", {})
        return "\n".join(found["text"] for _, found in answers)

    async def _pending(self, wait: Wait) -> tuple[str, ...]:
        """Return what a wait is still waiting for, nothing when it is over."""
        try:
            match wait.wanted:
                case WaitFor.LOAD:
                    return () if self._page.target.main.document.loaded else ("load",)
                case WaitFor.IDLE:
                    return self._busy()
                case WaitFor.URL:
                    url = self._page.target.main.document.url
                    return () if is_like(wait.value, url) else (url,)
                case WaitFor.STATE:
                    return await self._state(wait)
                case _:
                    return await self._said(wait)
        except RefStale:
            self._page.target.interrupts.verify_answering()
            return ("document",)

    def _busy(self) -> tuple[str, ...]:
        if not self._page.target.main.document.loaded:
            return ("load",)
        loading = self._page.loading
        if loading.urls:
            return loading.urls[:PENDING_LIMIT]
        return () if loading.quiet_s >= IDLE_S else ("network",)

    async def _said(self, wait: Wait) -> tuple[str, ...]:
        answers = await self._finder.everywhere(
            "says", {"text": wait.value}, is_enough=lambda found: bool(found["found"])
        )
        is_said = any(found["found"] for _, found in answers)
        return () if is_said is (wait.wanted is WaitFor.TEXT) else ("text",)

    async def _state(self, wait: Wait) -> tuple[str, ...]:
        if wait.target is None or isinstance(wait.target, Point):
            raise NoMatch(())
        try:
            element = await self._element(wait.target)
            state = (await self._read(element, What.STATE))["value"]
        except (NoMatch, RefStale) as error:
            gone = wait.value in ("gone", "hidden")
            return () if gone else (error.code, *error.seen)
        return () if has_state(state, wait.value) else _shown(state)


def has_state(state: dict[str, Any], wanted: str) -> bool:
    """Return whether an element that is there has one of STATES."""
    if wanted == "gone":
        return False
    if wanted == "hidden":
        return not state["visible"]
    opposite = _OPPOSITES.get(wanted)
    return state.get(wanted) is True if opposite is None else state.get(opposite) is False


def _shown(state: dict[str, Any]) -> tuple[str, ...]:
    return tuple(name if value is True else f"not {name}" for name, value in state.items())


def is_like(pattern: str, url: str) -> bool:
    """Return whether a url is a pattern's: ``*`` is anything, all else stands for itself."""
    parts = [re.escape(part) for part in pattern.split("*")]
    return re.fullmatch(".*".join(parts), url, re.DOTALL) is not None
