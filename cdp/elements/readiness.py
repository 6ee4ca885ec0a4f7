"""Waiting until an element can be acted on, and what is known of it then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import trio

from cdp.elements.done import Prepared
from cdp.elements.errors import (
    Covered,
    ElementDisabled,
    ElementError,
    LineBreaks,
    Mismatch,
    NoMatch,
    NoOption,
    NotEditable,
    NotFit,
    NotStable,
    NotVisible,
    RefChanged,
    RefStale,
)
from cdp.elements.finding import Element, Finder
from cdp.elements.script import ask, install
from cdp.elements.targets import Numbered
from cdp.errors import CallRefused
from cdp.hit import parse_hit
from cdp.walker.source import IS_INSTALLED, NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cdp.elements.foresight import Foresight
    from cdp.elements.targets import Locator
    from cdp.page import Page

LOOK_S = 0.05

_OUTWARD = f"""function (x, y) {{
  return {IS_INSTALLED} ? {NAME}.outward(this, x, y) : null;
}}"""


@dataclass(frozen=True, slots=True)
class Order:
    """What an act needs of its element.

    ``needs`` are any of drawn, still, enabled, editable, reached; ``kinds`` bounds what it
    may be; ``arm`` is the events to listen for, any of them, and how often; ``text`` and
    ``choice`` are what it is to take. ``near``: it is scrolled no further than into view.
    """

    needs: Sequence[str] = ()
    kinds: Sequence[str] = ()
    arm: tuple[Sequence[str], int] | None = None
    text: str | None = None
    choice: Mapping[str, object] | None = None
    near: bool = False

    def encode(self, element: Element, patience_s: float) -> dict[str, object]:
        """Return the walker's order for one element."""
        order = {**element.order, "needs": list(self.needs), "patience": patience_s * 1000}
        if element.was is not None:
            order |= {"was": list(element.was), "renamed": element.renamed}
        if self.near:
            order["near"] = True
        if self.kinds:
            order["kinds"] = list(self.kinds)
        if self.arm is not None:
            order["arm"] = {"kinds": list(self.arm[0]), "count": self.arm[1]}
        if self.text is not None:
            order["text"] = self.text
        if self.choice is not None:
            order["choice"] = self.choice
        return order


@dataclass(frozen=True, slots=True)
class Ready:
    """An element that can be acted on. ``facts`` is what the walker knows of it.

    ``context`` is the execution context that found it so.
    """

    element: Element
    facts: Mapping[str, Any] = field(repr=False)
    context: int | None
    x: float = 0
    y: float = 0

    def verify_current(self) -> None:
        """Raise RefStale if another document has taken the place of the element's."""
        if self.context is None or self.element.world.context != self.context:
            raise RefStale

    @property
    def prepared(self) -> Prepared:
        """What is said of it."""
        where = (self.x, self.y) if "x" in self.facts else (None, None)
        return Prepared(parse_hit(dict(self.facts)), *where)


class Preflight:
    """Makes elements of one page ready."""

    def __init__(self, page: Page, timeout_s: float) -> None:
        self.page = page
        self._timeout_s = timeout_s
        self._finder = Finder(page.target)

    async def ready(
        self,
        target: Numbered | Locator | Element,
        order: Order,
        foresight: Foresight | None = None,
    ) -> Ready:
        """Wait until the element can be acted on. Raises ElementError.

        ``foresight`` is a look at it with this order that was asked for ahead.
        """
        until = trio.current_time() + self._timeout_s
        if isinstance(target, Numbered):
            target = Element.of(target)
        if isinstance(target, Element):
            return await self._ready(target, order, until, foresight)
        while True:
            element = await self.find(target, until)
            try:
                return await self._ready(element, order, until)
            except RefStale:
                # the page put another in its place
                if trio.current_time() > until:
                    raise

    async def find(self, locator: Locator, until: float) -> Element:
        """Return the one element that fits, waited for until a time. NoMatch, SeveralMatch."""
        while True:
            try:
                return (await self._finder.find(locator)).only
            except (NoMatch, RefStale):
                if trio.current_time() > until:
                    raise
            await trio.sleep(LOOK_S)

    async def _ready(
        self, element: Element, order: Order, until: float, foresight: Foresight | None = None
    ) -> Ready:
        while True:
            left_s = max(0.0, until - trio.current_time())
            facts = None if foresight is None else foresight.find()
            foresight = None
            if facts is None:
                facts = await _look(element, order, left_s)
            context = element.world.context
            if "control" in facts:
                element = Element(element.world, "", int(facts["control"]))
            if "x" not in facts:
                return Ready(element, facts, context)
            try:
                x, y = await outward(element, facts["x"], facts["y"])
            except (Covered, NotVisible):
                if trio.current_time() > until:
                    raise
            else:
                return Ready(element, facts, context, x, y)
            await trio.sleep(LOOK_S)


async def _look(element: Element, order: Order, patience_s: float) -> dict[str, Any]:
    verdict = await ask(element.world, "ready", order.encode(element, patience_s), wait=True)
    if verdict is None:
        raise RefStale
    if "error" in verdict:
        refuse(verdict, element)
    facts: dict[str, Any] = verdict
    return facts


async def outward(element: Element, x: float, y: float) -> tuple[float, float]:
    """Carry a point out of frames of other processes. Covered or NotVisible on the way."""
    world = element.world
    while world.owner is not None:
        owner = world.owner
        await install(owner.world)
        try:
            found = await owner.world.run_on(owner.object_id, _OUTWARD, x, y)
        except CallRefused:
            raise RefStale from None
        if found is None or "cover" in found:
            cover = found and found["cover"]
            raise (
                Covered("something covers the frame", [cover])
                if cover
                else NotVisible("the frame that the element is in is not in view")
            )
        x, y, world = found["x"], found["y"], owner.world
    return x, y


_TEXTS: Mapping[str, tuple[type[ElementError], str]] = {
    "not_visible": (NotVisible, "the element is not visible"),
    "not_stable": (NotStable, "the element keeps moving"),
    "disabled": (ElementDisabled, "the element is disabled"),
    "field_disabled": (NotEditable, "the field is disabled"),
    "option_disabled": (ElementDisabled, "the option is disabled"),
    "not_editable": (NotEditable, "the element takes no text"),
    "covered": (Covered, "something else would receive the click"),
    "unfit_element": (NotFit, "the element is no such thing as this needs"),
    "single": (NotFit, "the list takes one option only"),
    "no_option": (NoOption, "the list has no such option"),
    "line_breaks": (LineBreaks, "a single-line field takes no line breaks"),
}


def refuse(verdict: Mapping[str, Any], element: Element) -> NoReturn:
    """Raise the condition that the walker names."""
    condition = verdict["error"]
    if condition == "ref_changed":
        role, name = verdict["now"]
        raise RefChanged(element.was or ("", ""), (role, name))
    if condition == "mismatch":
        raise Mismatch(verdict["wanted"], verdict["actual"], secret=bool(verdict.get("secret")))
    if condition not in _TEXTS:
        raise RefStale
    kind, text = _TEXTS[condition]
    raise kind(text, verdict.get("seen", ()))
