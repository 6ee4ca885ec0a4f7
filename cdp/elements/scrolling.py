"""Acts that scroll, and what moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.elements.clicking import POINTED, prepare_point
from cdp.elements.done import Done, Prepared, Status
from cdp.elements.filling import element_of
from cdp.elements.readiness import Order, Preflight, Ready
from cdp.elements.script import ask, install
from cdp.hit import Hit
from cdp.pointer import INPUT_TIMEOUT_S, Point, turn_call

if TYPE_CHECKING:
    from cdp.elements.targets import Target
    from cdp.page import Page


class ScrollTo:
    """Bring an element into view."""

    def __init__(self, preflight: Preflight, target: Target) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        self._ready = await self._preflight.ready(self._target, Order(("drawn",)))
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is None:
            raise AssertionError("it was not prepared")
        element = self._ready.element
        self._page.target.begin_sending()
        found = await ask(element.world, "show", element.order, wait=True)
        if found is None:
            return Done(Status.failed, "ref_stale", "the element went away")
        if found["shown"]:
            return Done(Status.ok)
        return Done(Status.failed, "not_visible", "the element cannot be brought into view")


class ScrollEnd:
    """Scroll the page to its top or bottom."""

    def __init__(self, page: Page, end: str) -> None:
        self._page = page
        self._end = end

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        await install(self._page.target.world)
        return Prepared(Hit())

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        self._page.target.begin_sending()
        found = await ask(self._page.target.world, "scrollEnd", {"end": self._end}, wait=True)
        if found is None:
            return Done(Status.failed, "ref_stale", "the document was replaced")
        if found["there"]:
            return Done(Status.ok)
        return Done(Status.failed, "mismatch", "the page did not scroll to its end")


class ScrollBy:
    """Turn the wheel over an element, a point, or the middle of the page."""

    def __init__(
        self,
        preflight: Preflight,
        target: Target | None,
        across: float,
        down: float,
    ) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = target
        self._distance = (across, down)
        self._point: Point | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        world = self._page.target.world
        await install(world)
        if self._target is None:
            x, y = await ask(world, "middle", {})
            self._target = Point(x, y)
        if isinstance(self._target, Point):
            self._point = self._target
            return await prepare_point(self._page, self._point)
        ready = await self._preflight.ready(self._target, Order(POINTED))
        self._point = Point(ready.x, ready.y)
        return ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._point is None:
            raise AssertionError("it was not prepared")
        world = self._page.target.world
        before = await ask(world, "watchScroll", {"x": self._point.x, "y": self._point.y})
        calls = [turn_call(self._point, *self._distance)]
        await self._page.target.send_input(calls, timeout_s=INPUT_TIMEOUT_S)
        moved = before and await ask(world, "scrolled", {}, wait=True)
        if not moved:
            return Done(Status.injected, detail="nothing can be seen to have scrolled")
        return Done(Status.ok, seen={"by": moved})
