"""Acts on what has options: lists, ARIA comboboxes, check boxes and radio buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from cdp.elements.clicking import REPLACED, Click, ask_after
from cdp.elements.done import Done, Prepared, Status
from cdp.elements.errors import ElementError, NoOption, NotFit
from cdp.elements.filling import Fill, element_of
from cdp.elements.finding import Element
from cdp.elements.readiness import Order, Preflight, Ready
from cdp.elements.script import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cdp.elements.targets import Target

OPEN_TIMEOUT_S = 2.0
"""How long the options of an ARIA list may take to show."""

LOOK_S = 0.05

UNSTATED = "the box was clicked, and does not say whether it is checked"
UNCHANGED = "the box was clicked, and is not as wanted"


class Select:
    """Choose options of a list."""

    def __init__(
        self,
        preflight: Preflight,
        target: Target,
        choice: Mapping[str, Sequence[object]],
    ) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._choice = {part: list(values) for part, values in choice.items()}
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        order = Order(
            ("drawn", "enabled"), kinds=("select", "combobox", "listbox"), choice=self._choice
        )
        self._ready = await self._preflight.ready(self._target, order)
        if self._ready.facts["kind"] != "select":
            self._verify_one_label()
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is None:
            raise AssertionError("it was not prepared")
        if self._ready.facts["kind"] != "select":
            return await self._choose_aria(self._ready, str(self._choice["labels"][0]))
        return await self._choose(self._ready)

    def _verify_one_label(self) -> None:
        parts = {part: len(values) for part, values in self._choice.items() if values}
        if parts != {"labels": 1}:
            raise NotFit("of such a list one option is chosen, by its label")

    async def _choose(self, ready: Ready) -> Done:
        self._page.target.begin_sending()
        refused = await ask(
            ready.element.world, "choose", {**ready.element.order, "choice": self._choice}
        )
        if refused is None or "error" in refused:
            return Done(Status.failed, "no_option", "the list changed before the choice was made")
        seen = await ask_after(ready, "chosen", choice=self._choice)
        return _judge(seen, "the list holds another choice")

    async def _choose_aria(self, ready: Ready, label: str) -> Done:
        """Open it, click on the option, and look what it shows."""
        try:
            option = await self._open_option(ready, label)
            clicked = await self._click(option)
        except ElementError as error:
            seen = {"options": list(error.seen)} if error.seen else {}
            return Done(Status.failed, error.code, str(error), seen)
        if clicked.status is Status.failed:
            return clicked
        return _judge(
            await ask_after(ready, "showsChoice", label=label), "the list shows another choice"
        )

    async def _open_option(self, ready: Ready, label: str) -> Element:
        """Show the options if need be, and return the one wanted. NoOption."""
        element = ready.element
        if ready.facts["kind"] != "listbox" and not await ask(
            element.world, "beginChoice", element.order
        ):
            await self._click(element)
        option, seen = await self._await_option(element, label)
        if option is None and ready.facts["kind"] == "line":
            # a box that one types into shows what fits
            await done(Fill(self._preflight, element, label))
            option, seen = await self._await_option(element, label)
        if option is None:
            raise NoOption("the list has no such option", seen)
        return option

    async def _click(self, element: Element) -> Done:
        return await done(Click(self._preflight, element))

    async def _await_option(
        self, element: Element, label: str
    ) -> tuple[Element | None, Sequence[str]]:
        seen: Sequence[str] = ()
        with trio.move_on_after(OPEN_TIMEOUT_S):
            while True:
                found = await ask(element.world, "optionNamed", {**element.order, "label": label})
                if found is not None and "number" in found:
                    return Element(element.world, "", int(found["number"])), ()
                seen = found.get("seen", ()) if found else ()
                await trio.sleep(LOOK_S)
        return None, seen


class Check:
    """Check or uncheck a box; a box that is so already is left alone."""

    def __init__(self, preflight: Preflight, target: Target, *, on: bool) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._on = on
        self._ready: Ready | None = None
        self._click: Click | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        self._ready = await self._preflight.ready(
            self._target, Order(("drawn", "enabled"), kinds=("box",))
        )
        if self._ready.facts["checked"] is self._on:
            return self._ready.prepared
        if self._ready.facts["radio"] and not self._on:
            raise NotFit("a radio button is unchecked by checking another one")
        self._click = Click(self._preflight, self._ready.element)
        return await self._click.prepare()

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is None:
            raise AssertionError("it was not prepared")
        if self._click is None:
            return Done(Status.ok, detail="it was so already")
        clicked = await self._click.perform()
        seen = await ask_after(self._ready, "checkedNow", on=self._on)
        if seen is None:
            return Done(Status.injected, detail=REPLACED)
        if seen["checked"] is self._on:
            return Done(Status.ok)
        if clicked.status is Status.failed:
            return clicked
        if not seen["stated"]:
            return Done(Status.injected, detail=UNSTATED, seen={"detail": UNSTATED})
        states = {"wanted": self._on, "actual": seen["checked"]}
        return Done(Status.failed, "mismatch", UNCHANGED, states)


async def done(act: Click | Fill) -> Done:
    """Prepare a part of a larger act and perform it."""
    await act.prepare()
    return await act.perform()


def _judge(seen: Any, detail: str) -> Done:  # noqa: ANN401 (JSON)
    if seen is None:
        return Done(Status.injected, detail=REPLACED)
    if seen["holds"]:
        return Done(Status.ok)
    return Done(Status.failed, "mismatch", detail, {"actual": seen["actual"]})
