"""Finding the one element that a locator means, in all frames and shadow trees of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cdp.elements.errors import SEEN_LIMIT, NoMatch, RefStale, SelectorInvalid, SeveralMatch
from cdp.elements.script import install, question
from cdp.errors import CallRefused
from cdp.frame import WORLD_ENDED, parse_run
from cdp.walker.source import NAME
from cdp.walker.walking import FRAME_LIMIT, learn_closed_roots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cdp.elements.targets import Locator, Numbered
    from cdp.frame import World
    from cdp.target import PageTarget


@dataclass(frozen=True, slots=True)
class Element:
    """An element for as long as its document lives.

    ``generation`` is that of the walk that numbered it, "" for one that a search found.
    ``was`` is the role and name that it must still have, None for any.
    """

    world: World
    generation: str
    number: int
    was: tuple[str, str] | None = None
    renamed: bool = False

    @property
    def order(self) -> dict[str, object]:
        """What the walker needs to know to find it again."""
        return {"generation": self.generation, "number": self.number}

    @classmethod
    def of(cls, numbered: Numbered) -> Element:
        """Return the element of a snapshot."""
        was = numbered.role, numbered.name
        return cls(numbered.world, numbered.generation, numbered.number, was, numbered.renamed)


@dataclass(slots=True)
class Matches:
    """What fits a locator; ``seen`` and ``near`` are page text."""

    total: int = 0
    elements: list[Element] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)

    @property
    def only(self) -> Element:
        """The one match; NoMatch or SeveralMatch otherwise."""
        if self.total == 0:
            raise NoMatch(self.near)
        if self.total > 1:
            raise SeveralMatch(self.total, self.seen)
        return self.elements[0]


class Finder:
    """Finds elements of one page."""

    def __init__(self, target: PageTarget) -> None:
        self._target = target
        self._unexplained: dict[str, int] = {}

    async def find(self, locator: Locator) -> Matches:
        """Return all that fits, the first SEEN_LIMIT with their elements. SelectorInvalid."""
        order = {"by": locator.by.value, "value": locator.value, "name": locator.name}
        matches = Matches()
        for world, found in await self.everywhere("find", order):
            if "error" in found:
                raise SelectorInvalid(locator.value)
            _add(matches, world, found)
        return matches

    async def everywhere(
        self,
        function: str,
        order: Mapping[str, object],
        *,
        is_enough: Callable[[dict[str, Any]], bool] = lambda _: False,
    ) -> list[tuple[World, dict[str, Any]]]:
        """Ask in the page's world and in those of frames in other processes, FRAME_LIMIT at most.

        A frame that goes away meanwhile is passed over; after an answer that is enough
        nobody else is asked.
        """
        worlds, answers = [self._target.world], []
        for world in worlds:  # which grows while it is gone through
            try:
                found = await self.look(world, function, order)
            except (*WORLD_ENDED, RefStale):
                self._target.interrupts.verify_answering()
                if world is self._target.world:
                    raise RefStale from None
                continue
            answers.append((world, found))
            if is_enough(found) or len(worlds) >= FRAME_LIMIT:
                break
            worlds += await frames_of(self._target, world, int(found.get("frames", 0)))
        return answers

    async def look(
        self, world: World, function: str, order: Mapping[str, object]
    ) -> dict[str, Any]:
        """Ask about all of one world's documents, again if they turn out to hide shadow trees.

        The function tells the world's token and how many elements it could reach.
        """
        try:
            found, missing = await _ask_and_count(world, function, order)
        except CallRefused:
            world.forget()  # the frame has another document now
            found, missing = await _ask_and_count(world, function, order)
        token = str(found["world"])
        if missing in (0, self._unexplained.get(token)):
            return found
        await learn_closed_roots(world)
        found, missing = await _ask_and_count(world, function, order)
        self._unexplained = {token: missing}
        return found


async def frames_of(target: PageTarget, world: World, count: int) -> list[World]:
    """Return our worlds in the frames that the walker's last look left to their own processes."""
    inner = [
        await target.frame_of(world, f"() => {NAME}.frames[{index}]") for index in range(count)
    ]
    return [each for each in inner if each is not None]


def _add(matches: Matches, world: World, found: dict[str, Any]) -> None:
    matches.total += int(found["total"])
    for number, role, name in found["matches"]:
        if len(matches.elements) < SEEN_LIMIT:
            matches.elements.append(Element(world, "", int(number)))
            matches.seen.append(f'{role} "{name}"')
    matches.near += found["near"][: SEEN_LIMIT - len(matches.near)]


async def _ask_and_count(
    world: World, function: str, order: Mapping[str, object]
) -> tuple[dict[str, Any], int]:
    """Return the answer, and how many elements the browser counts that it does not."""
    found, counted = await _try(world, function, order)
    if found is None:
        await install(world)
        found, counted = await _try(world, function, order)
    if found is None:
        raise RefStale  # the document was replaced again
    return found, counted - int(found.get("count", counted))


async def _try(
    world: World, function: str, order: Mapping[str, object]
) -> tuple[dict[str, Any] | None, int]:
    # see cdp.walker.walking: the search counts what a script cannot reach
    calls = [
        ("DOM.enable", {}),
        await world.run_call(question(function), order),
        ("DOM.performSearch", {"query": "<"}),
        ("DOM.disable", {}),
    ]
    _, found, searched, _ = await world.session.pipeline(calls)
    return parse_run(found), int(searched["resultCount"])
