"""Acts on a driven page, in one go, and the refs of a new snapshot of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.elements.acts import Acts
from cdp.elements.targets import By, Locator, Numbered
from tests.fakes.walked import snapshot_of, walk

if TYPE_CHECKING:
    from cdp.elements.acts import Act
    from cdp.elements.done import Done
    from tests.fakes.driven import Driven


def named(role: str, name: str) -> Locator:
    """Return the locator of a role and a name."""
    return Locator(By.role, role, name)


def css(selector: str) -> Locator:
    """Return the locator of a selector."""
    return Locator(By.css, selector)


def acts_on(driven: Driven, timeout_s: float = 5.0) -> Acts:
    """Return the acts on a driven page."""
    return Acts(driven.page, timeout_s=timeout_s)


async def done(act: Act) -> Done:
    """Prepare an act and perform it."""
    await act.prepare()
    return await act.perform()


async def refs(driven: Driven, generation: str = "k7") -> dict[tuple[str, str], Numbered]:
    """Return the elements of a new snapshot by role and name."""
    parts = await walk(driven.page, generation)
    worlds = {part.token: part.world for part in parts}
    found = {}
    for node in snapshot_of(parts, generation).nodes:
        if node.key is not None:
            token, number = node.key
            numbered = Numbered(worlds[token], generation, number, node.role, node.name)
            found[node.role, node.name] = numbered
    return found
