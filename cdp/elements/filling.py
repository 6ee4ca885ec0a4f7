"""Acts on fields: focus, type, fill and clear. What arrived is read back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cdp.editing import SOFT_BREAK, Place, TypingStatus, type_text
from cdp.elements.clicking import REPLACED, ask_after
from cdp.elements.done import Done, Prepared, Status
from cdp.elements.errors import NotFit
from cdp.elements.foresight import Ahead
from cdp.elements.readiness import Order, Preflight, Ready
from cdp.elements.script import ask, ask_ahead
from cdp.errors import CallTimedOut
from cdp.hit import Hit
from cdp.keyboard import PRESS_TIMEOUT_S, down_calls, up_calls
from cdp.keymap import chord_of
from cdp.pointer import Point

if TYPE_CHECKING:
    from cdp.editing import Typing
    from cdp.elements.finding import Element
    from cdp.elements.script import Asked
    from cdp.elements.targets import Locator, Numbered, Target
    from cdp.page import Page

WRITTEN = ("drawn", "still", "enabled", "editable")
FILL_TIMEOUT_S = 15.0

CHANGED = "the element had another role or name right before it was filled"
STRAYED = "the page moved the focus before the text came, which was kept from the other field"

_Seen = dict[str, Any]
"""What the walker saw of a field."""


class Focus:
    """Give an element the focus."""

    def __init__(self, preflight: Preflight, target: Target) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        self._ready = await self._preflight.ready(self._target, Order(("drawn", "enabled")))
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is None:
            raise AssertionError("it was not prepared")
        return await focus(self._page, self._ready) or Done(Status.ok)


class TypeText:
    """Type into an element, or into what has the focus."""

    def __init__(self, preflight: Preflight, text: str, target: Target | None) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._text = text
        self._target = None if target is None else element_of(target)
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        if self._target is None:
            return Prepared(Hit())
        self._ready = await self._preflight.ready(self._target, Order(WRITTEN))
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is not None:
            failure = await focus(self._page, self._ready)
            if failure is not None:
                return failure
        element = None if self._ready is None else self._ready.element
        place = None if element is None else Place(element.world, element.order)
        return done_of(await type_text(self._page.target, self._text, place))


class Fill:
    """Make a text all that a field holds."""

    def __init__(self, preflight: Preflight, target: Target | Element, text: str) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._order = Order(WRITTEN, text=self._text)
        self._ready: Ready | None = None
        self.ahead = Ahead(self._target, self._order)

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`."""
        foresight = self.ahead.take()
        self._ready = await self._preflight.ready(self._target, self._order, foresight)
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        ready = self._ready
        if ready is None:
            raise AssertionError("it was not prepared")
        self._page.target.begin_sending()
        asked = await ask_ahead(ready.element.world, "beginFill", self._beginning(ready))
        # right behind it, so that the text, which waits for the first answer, waits for no more
        filled = await self._ask_filled(ready) if self._is_inserted(ready) else None
        begun = await self._begun(asked)
        if isinstance(begun, Done):
            return begun
        seen = await (self._replace(begun) if filled is None else self._insert(filled))
        if seen is None or not seen["holds"]:
            seen = await ask_after(ready, "filled", text=self._text)
        # whoever looks at the field has waited for the timers that `settle` waits for
        done = judge_fill(seen, was_so=begun["same"])
        return replace(done, settled=seen is not None)

    def _is_inserted(self, ready: Ready) -> bool:
        return bool(self._text) and ready.facts["kind"] not in ("rich", "set")

    def _beginning(self, ready: Ready) -> _Seen:
        """Return the order to make room for the text in the element as it was seen."""
        facts = ready.facts  # of its label, if it was meant by that
        was = None if "control" in facts else [facts["role"], facts["name"]]
        return {**ready.element.order, "text": self._text, "was": was}

    async def _ask_filled(self, ready: Ready) -> Asked:
        element = ready.element
        order = {**element.order, "text": self._text, **self.ahead.ask_next(element.world)}
        return await ask_ahead(element.world, "filledThen", order)

    async def _begun(self, asked: Asked) -> _Seen | Done:
        """Wait until there is room for the text; an end if the field is not there any more."""
        begun: _Seen | None = await self._answer(asked, "beginFill")
        if begun is None or begun.get("error") == "ref_stale":
            return Done(Status.failed, "ref_stale", "the element went away before it was filled")
        if "error" in begun:
            names = {"was": begun["was"], "now": begun["now"]}
            return Done(Status.failed, "ref_changed", CHANGED, names)
        return begun if begun["focused"] else _unfocused()

    async def _answer(self, asked: Asked, question: str) -> Any:  # noqa: ANN401 (JSON)
        with self._page.target.interrupts.guard():
            await asked.wait(FILL_TIMEOUT_S)
        if not asked.has_come:
            raise CallTimedOut(question, FILL_TIMEOUT_S)
        return asked.answer

    async def _insert(self, filled: Asked) -> _Seen | None:
        """Send the text; what the field held when the page had heard it, if that is known."""
        calls = [("Input.insertText", {"text": self._text})]
        await self._page.target.send_input(calls, timeout_s=FILL_TIMEOUT_S)
        seen: _Seen | None = await self._answer(filled, "filledThen")
        if seen is None or seen.get("gone"):
            return None
        self.ahead.tell_next(seen["next"])
        return seen

    async def _replace(self, begun: _Seen) -> None:
        if begun["kind"] == "set":
            return
        # an editor that draws for itself may not see that a text takes the place of another
        if not begun["empty"]:
            await self._delete()
        if self._text:  # whose line breaks must not send what is written so far
            await type_text(self._page.target, self._text, line_break=SOFT_BREAK)

    async def _delete(self) -> None:
        chord = chord_of((), "delete")
        calls = [*down_calls(chord), *up_calls(chord)]
        await self._page.target.send_input(calls, timeout_s=PRESS_TIMEOUT_S)


async def focus(page: Page, ready: Ready) -> Done | None:
    """Give an element the focus; what to report if it does not have it then."""
    page.target.begin_sending()
    element = ready.element
    found = await ask(element.world, "focus", element.order)
    return None if found is not None and found.get("focused") else _unfocused()


def _unfocused() -> Done:
    return Done(Status.failed, "unfit_element", "the element does not take the focus")


def done_of(typing: Typing) -> Done:
    """Return the end of an act that typing was."""
    if typing.status is TypingStatus.failed:
        code = "mismatch" if typing.sent else "not_editable"
        return Done(Status.failed, code, typing.detail)
    seen: dict[str, object] = {"secret": True} if typing.secret else {}
    if typing.status is TypingStatus.injected:  # whether to type it again depends on it
        seen["detail"] = typing.detail
    return Done(Status(typing.status.value), "", typing.detail, seen)


def judge_fill(seen: _Seen | None, *, was_so: bool = False) -> Done:
    """Decide by what a field holds after it was filled; ``was_so``: it held that before, too."""
    if seen is None:
        return Done(Status.injected, detail=REPLACED)
    if seen.get("strayed"):
        return Done(Status.failed, "unfit_element", STRAYED)
    if seen["holds"]:
        secret: dict[str, object] = {"secret": True} if seen.get("secret") else {}
        if was_so and not seen.get("heard") and seen.get("kind") != "set":
            return Done(Status.injected, detail="it held that before", seen=secret)
        return Done(Status.ok, seen=secret)
    compared = {"wanted": seen["wanted"], "actual": seen["actual"]}
    if seen.get("secret"):
        compared["secret"] = True
    return Done(Status.failed, "mismatch", "the field holds something else", compared)


def element_of(target: Target | Element) -> Numbered | Locator | Element:
    """Return a target that is an element; NotFit for a point."""
    if isinstance(target, Point):
        raise NotFit("this needs an element, not a point")
    return target
