"""Looking ahead: the element of the act that comes next, seen once the act in hand is over.

The question is sent with the act in hand and answered by the page right behind that act's
own read-back, so the next act's look costs no way of its own. It is a look like any other:
it reads. Only that next act has it, and only once, so what comes later looks for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdp.elements.finding import Element
from cdp.elements.script import ask_ahead
from cdp.elements.targets import Numbered

if TYPE_CHECKING:
    from cdp.elements.readiness import Order
    from cdp.elements.script import Asked
    from cdp.elements.targets import Target
    from cdp.frame import World


class Foresight:
    """A look that was asked for ahead."""

    def __init__(self, element: Element, context: int | None, asked: Asked) -> None:
        self._element = element
        self._context = context
        self._asked = asked

    @classmethod
    async def ask(cls, element: Element, order: Order) -> Foresight:
        """Ask for a look, to be taken once what the world waits for now is over."""
        asked = await ask_ahead(element.world, "readyNext", order.encode(element, 0))
        return cls(element, element.world.context, asked)

    async def find(self, timeout_s: float) -> dict[str, Any] | None:
        """Return what is known of the element, None if it is not ready or its document gone."""
        world = self._element.world
        if world.context != self._context:
            return None
        with world.session.interrupts.guard():
            await self._asked.wait(timeout_s)
        facts: dict[str, Any] | None = self._asked.answer
        return None if facts is None or "error" in facts else facts


class Ahead:
    """What one act of several may know ahead: its own look, and which act comes next."""

    def __init__(self, target: Target | Element, order: Order) -> None:
        self._target = target
        self._order = order
        self._foresight: Foresight | None = None
        self.then: Ahead | None = None
        """That of the act that comes next."""

    async def look_on(self, world: World) -> None:
        """Ask for the next act's look, behind what the act in hand waits for in this world."""
        if self.then is not None:
            await self.then.ask(world)

    def forget(self) -> None:
        """Let the next act look for itself: this one took longer than the look waited for."""
        if self.then is not None:
            self.then.take()

    async def ask(self, world: World) -> None:
        """Ask for the act's own look, if its element is known already and in this world.

        Only within one world does the page answer in turn.
        """
        element = Element.of(self._target) if isinstance(self._target, Numbered) else self._target
        if isinstance(element, Element) and element.world is world:
            self._foresight = await Foresight.ask(element, self._order)

    def take(self) -> Foresight | None:
        """Return the act's own look, once."""
        foresight, self._foresight = self._foresight, None
        return foresight
