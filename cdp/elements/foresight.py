"""Looking ahead: the element of the act that comes next, seen once the act in hand is over.

The question is sent with the act in hand and answered by the page right behind that act's
own read-back, so the next act's look costs no way of its own. It is a look like any other:
it reads, and what it finds is used only if the next act asks for just that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdp.elements.script import ask_ahead

if TYPE_CHECKING:
    from cdp.elements.finding import Element
    from cdp.elements.readiness import Order
    from cdp.elements.script import Asked


@dataclass(frozen=True, slots=True)
class Need:
    """What an act needs of an element that is known already."""

    element: Element
    order: Order


class Foresight:
    """A look that was asked for ahead."""

    def __init__(self, need: Need, context: int | None, asked: Asked) -> None:
        self._need = need
        self._context = context
        self._asked = asked

    @classmethod
    async def ask(cls, need: Need) -> Foresight:
        """Ask for a look, to be taken once what the world waits for now is over."""
        world = need.element.world
        asked = await ask_ahead(world, "readyNext", need.order.encode(need.element, 0))
        return cls(need, world.context, asked)

    async def find(self, need: Need, timeout_s: float) -> dict[str, Any] | None:
        """Return what is known of the element if this was the look for it, and it is ready."""
        world = need.element.world
        if need != self._need or world.context != self._context:
            await self.drop()
            return None
        with world.session.interrupts.guard():
            await self._asked.wait(timeout_s)
        facts: dict[str, Any] | None = self._asked.answer
        return None if facts is None or "error" in facts else facts

    async def drop(self) -> None:
        """Tell the page that nobody will use the look."""
        world = self._need.element.world
        if world.context is not None and world.context == self._context:
            await ask_ahead(world, "forgetNext", {})
