"""Looking ahead: the element of the act that comes next, seen once the act in hand is over.

The question is sent with the act in hand and answered by the page right behind that act's
own read-back, so the next act's look costs no way of its own. It is a look like any other:
it reads. Only that next act has it, and only once, so what comes later looks for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdp.elements.script import ask_ahead

if TYPE_CHECKING:
    from cdp.elements.finding import Element
    from cdp.elements.readiness import Order
    from cdp.elements.script import Asked


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
