"""Looking ahead: the element of the act that comes next, seen once the act in hand is over.

The order for that look goes with the act in hand, and the page takes it right behind that
act's own read-back, so it costs no way of its own. It is a look like any other: it reads.
Only the next act has it, and only once, so what comes later looks for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cdp.elements.finding import Element
from cdp.elements.targets import Numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.elements.readiness import Order
    from cdp.elements.targets import Target
    from cdp.frame import World


@dataclass(frozen=True, slots=True)
class Foresight:
    """A look that was taken ahead, in one execution context of a world."""

    world: World
    context: int | None
    facts: Mapping[str, Any] | None = field(default=None, repr=False)

    def find(self) -> Mapping[str, Any] | None:
        """Return what is known of the element, None if it is not ready or its document gone."""
        facts = self.facts
        if facts is None or "error" in facts or self.world.context != self.context:
            return None
        return facts


class Ahead:
    """What one act of several may know ahead: its own look, and which act comes next."""

    def __init__(self, target: Target | Element, order: Order) -> None:
        self._target = target
        self._order = order
        self._foresight: Foresight | None = None
        self.then: Ahead | None = None
        """That of the act that comes next."""

    def ask_next(self, world: World) -> dict[str, object]:
        """Return what to ask a world of the next act's element: {next: order}, or nothing."""
        following = None if self.then is None else self.then.ask(world)
        return {} if following is None else {"next": following}

    def tell_next(self, facts: Mapping[str, Any] | None) -> None:
        """Give the next act what the page answered to `ask_next`."""
        if self.then is not None:
            self.then.tell(facts)

    def ask(self, world: World) -> dict[str, object] | None:
        """Return the order for the act's own look, if its element is known and in this world.

        Only within one world does the page answer in turn.
        """
        element = Element.of(self._target) if isinstance(self._target, Numbered) else self._target
        if not isinstance(element, Element) or element.world is not world:
            return None
        self._foresight = Foresight(world, world.context)
        return self._order.encode(element, 0)

    def tell(self, facts: Mapping[str, Any] | None) -> None:
        """Keep what was seen, if it was asked for."""
        if self._foresight is not None:
            self._foresight = replace(self._foresight, facts=facts)

    def take(self) -> Foresight | None:
        """Return the act's own look, once."""
        foresight, self._foresight = self._foresight, None
        return foresight
