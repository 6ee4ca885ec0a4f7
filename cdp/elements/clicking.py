"""Acts of the pointer on elements: click, hover, drag, and what heard them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cdp.elements.done import Done, Prepared, Status
from cdp.elements.errors import ElementError, NotVisible
from cdp.elements.foresight import Ahead
from cdp.elements.readiness import Order, Preflight, Ready
from cdp.elements.script import ask, ask_ahead
from cdp.elements.settling import SETTLE_S
from cdp.hit import find_hit
from cdp.keyboard import down_calls, up_calls
from cdp.keymap import chord_of
from cdp.pointer import INPUT_TIMEOUT_S, Point, click_calls, move_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.connection import Call
    from cdp.elements.finding import Element
    from cdp.elements.script import Asked
    from cdp.elements.targets import Target
    from cdp.page import Page

POINTED = ("drawn", "still", "reached")
CLICKED = (*POINTED, "enabled")

_EVENTS = {"left": "click", "right": "contextmenu", "middle": "auxclick"}
_DROPS = ("mouseup", "drop")
DRAG_LOOKS = 3
"""How often both ends of a drag are brought into view before they are too far apart."""

REPLACED = "the document was replaced before the effect could be seen"

RENAMED = "the element had another role or name when the click arrived"

KEPT = "the page moved something else under the pointer, which the click was kept from"

SUCCEEDED = "the page had put another element with the same name in its place, which received it"


@dataclass(frozen=True, slots=True)
class Clicks:
    """How something is clicked: button, how often, and the modifiers' key names."""

    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()

    def calls(self, point: Point) -> list[Call]:
        """Return the input of it at a point."""
        if not self.modifiers:
            return click_calls(point, self.button, self.count)
        *held, last = self.modifiers
        chord = chord_of(held, last)
        clicks = click_calls(point, self.button, self.count, chord.mask | chord.base.modifier)
        return [*down_calls(chord), *clicks, *up_calls(chord)]


class Click:
    """Click an element or a point; `cdp.elements.acts.Acts.click`."""

    def __init__(
        self, preflight: Preflight, target: Target | Element, how: Clicks | None = None
    ) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = target
        self._how = how or Clicks()
        self._order = Order(CLICKED, arm=((_EVENTS[self._how.button],), self._how.count))
        self._ready: Ready | None = None
        self.ahead = Ahead(target, self._order)

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        if isinstance(self._target, Point):
            return await prepare_point(self._page, self._target)
        foresight = self.ahead.take()
        self._ready = await self._preflight.ready(self._target, self._order, foresight)
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if isinstance(self._target, Point):
            await self._send(self._target)
            return Done(Status.injected, detail="a point was clicked")
        ready = self._ready
        if ready is None:
            raise AssertionError("it was not prepared")
        report = await self._click(ready)
        if report is not None and report.get("kept") and not report["pressed"]:
            report = await self._click_again(ready) or report
        done = judge_landing(report, self._how.count, ready.facts)
        return replace(done, settled=True)

    async def _click_again(self, ready: Ready) -> dict[str, Any] | None:
        """Click once more on what nothing has heard; None if it is not ready for it.

        The pointer's own coming may have moved it, as where a menu closes that was hovered.
        """
        try:
            again = await self._preflight.ready(ready.element, self._order)
        except ElementError:
            return None
        return await self._click(again)

    async def _click(self, ready: Ready) -> dict[str, Any] | None:
        """Click where the element is; what was heard, when what that set off has run."""
        landing = await Landing.expected(ready, self.ahead)
        await self._send(Point(ready.x, ready.y))
        report = await landing.report()
        await landing.settle()
        return report

    async def _send(self, point: Point) -> None:
        await self._page.target.send_input(self._how.calls(point), timeout_s=INPUT_TIMEOUT_S)


class Landing:
    """What a listener that is armed in the page hears of the input that comes next.

    Its report is asked for before the input goes out, so that it comes even if the page
    opens a dialog or leaves at the click.
    """

    def __init__(self, ready: Ready, ahead: Ahead | None, asked: Asked, settled: Asked) -> None:
        self._ready = ready
        self._ahead = ahead
        self._asked = asked
        self._settled = settled

    @classmethod
    async def expected(cls, ready: Ready, ahead: Ahead | None = None) -> Landing:
        """Ask for the report of what is to come. RefStale if the document is another now."""
        ready.verify_current()
        world = ready.element.world
        asked = await ask_ahead(world, "awaitLanding", {})
        following = {} if ahead is None else ahead.ask_next(world)
        return cls(ready, ahead, asked, await ask_ahead(world, "awaitSettled", following))

    async def report(self) -> dict[str, Any] | None:
        """Return what was heard, after the input; None when the document is gone."""
        if not self._asked.has_come:
            report: dict[str, Any] | None = await ask(
                self._ready.element.world, "landed", {}, wait=True
            )
            if not self._asked.has_come:
                return report
        heard: dict[str, Any] | None = self._asked.answer
        return heard

    async def settle(self) -> None:
        """Wait, after the report, for what the input set off at once; see `settle`."""
        with self._ready.element.world.session.interrupts.guard():
            await self._settled.wait(SETTLE_S)
        facts = self._settled.answer  # raises what kept the page from it
        if self._ahead is not None:
            self._ahead.tell_next(facts)


def judge_landing(report: dict[str, Any] | None, count: int, facts: Mapping[str, Any]) -> Done:
    """Decide by what was heard whether the pointer's act reached its element."""
    if report is None:
        return Done(Status.injected, detail=REPLACED)
    if report.get("kept"):
        where = {"where": report["where"]}
        return Done(Status.failed, "landed_elsewhere", KEPT, where)
    if report["on"]:
        return _judge_heard(report, count, facts)
    if report["heard"] and report["successor"]:
        return Done(Status.injected, detail=SUCCEEDED)
    if report["heard"] and not report["pressed"]:
        where = {"where": report["where"]}
        return Done(Status.failed, "landed_elsewhere", "another element received it", where)
    return Done(Status.injected, detail=_unheard(report, facts))


def _judge_heard(report: dict[str, Any], count: int, facts: Mapping[str, Any]) -> Done:
    if report.get("renamed"):
        names = {"was": [facts["role"], facts["name"]], "now": report["renamed"]}
        return Done(Status.injected, detail=RENAMED, seen=names)
    if report["heard"] >= count:
        return Done(Status.ok)
    return Done(Status.injected, detail=f"{report['heard']} of {count} were heard")


def _unheard(report: dict[str, Any], facts: Mapping[str, Any]) -> str:
    if facts["kind"] == "frame":
        return "it was for what is inside a frame"
    if report["pressed"]:
        return "the press arrived, and the page changed under it"
    return "no element of the page was seen to receive it"


class Hover:
    """Move the pointer over an element or to a point."""

    def __init__(self, preflight: Preflight, target: Target) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = target
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        if isinstance(self._target, Point):
            return await prepare_point(self._page, self._target)
        order = Order(POINTED, arm=(("mousemove",), 1))
        self._ready = await self._preflight.ready(self._target, order)
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if isinstance(self._target, Point):
            await self._move(self._target)
            return Done(Status.injected, detail="the pointer is at a point")
        if self._ready is None:
            raise AssertionError("it was not prepared")
        landing = await Landing.expected(self._ready)
        await self._move(Point(self._ready.x, self._ready.y))
        return judge_landing(await landing.report(), 1, self._ready.facts)

    async def _move(self, point: Point) -> None:
        await self._page.target.send_input([move_call(point)], timeout_s=INPUT_TIMEOUT_S)


class Drag:
    """Drag from one element or point to another."""

    def __init__(self, preflight: Preflight, target: Target, to: Target) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = target
        self._to = to
        self._start: Point | None = None
        self._end: Point | None = None
        self._landing: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        for _ in range(DRAG_LOOKS):
            start, begin = await self._look_at(self._target, Order(CLICKED, near=True))
            drop = Order(POINTED, arm=(_DROPS, 1), near=True)
            end, self._landing = await self._look_at(self._to, drop)
            if begin is None or await _stays(begin):
                self._start, self._end = start, end
                return await prepare_point(self._page, start) if begin is None else begin.prepared
            # bringing the end into view has moved the start
        raise NotVisible("the start and the end of the drag are not in view at the same time")

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._start is None or self._end is None:
            raise AssertionError("it was not prepared")
        landing = None if self._landing is None else await Landing.expected(self._landing)
        await self._page.pointer.drag(self._start, self._end)
        if landing is None:
            return Done(Status.injected, detail="it was dragged to a point")
        report = await landing.report()
        if report is None:
            return Done(Status.injected, detail=REPLACED)
        if report["on"]:
            return Done(Status.ok)
        if report["heard"]:
            where = {"where": report["where"]}
            return Done(Status.failed, "landed_elsewhere", "it was dropped elsewhere", where)
        return Done(Status.injected, detail="no element of the page was seen to receive the drop")

    async def _look_at(self, target: Target, order: Order) -> tuple[Point, Ready | None]:
        """Return where a target is, and what is known of it if it is an element."""
        if isinstance(target, Point):
            await prepare_point(self._page, target)
            return target, None
        ready = await self._preflight.ready(target, order)
        return Point(ready.x, ready.y), ready


async def _stays(ready: Ready) -> bool:
    """Return whether an element is still reached where it was seen."""
    order = {**ready.element.order, "x": ready.facts["x"], "y": ready.facts["y"]}
    return await ask(ready.element.world, "stays", order) is True


async def prepare_point(page: Page, point: Point) -> Prepared:
    """Return what is under a point. NotVisible when the point is outside of the viewport."""
    hit = await find_hit(page.target, point)
    if hit.origin and not hit.tag:
        raise NotVisible("nothing of the page is at that point of the viewport")
    return Prepared(hit, point.x, point.y)


async def ask_after(ready: Ready, function: str, **more: object) -> Any:  # noqa: ANN401 (JSON)
    """Ask about an element after an act; None when its document or it is gone."""
    element = ready.element
    found = await ask(element.world, function, {**element.order, **more}, wait=True)
    return None if found is None or found.get("gone") or "error" in found else found
