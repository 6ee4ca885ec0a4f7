"""One walk over all of a page: each frame from its own side, closed shadow trees included.

A script cannot see that an element hosts a closed shadow tree. The browser's plain-text
search can: looked for ``<`` it counts every element of a document, whatever tree it is
in, and every text and comment with a ``<`` in it. When it counts more than the walker
reached, the document is described once in full, the closed roots in it are handed to the
walker, which keeps them, and the walk is done again. A page without closed shadow trees
pays for the count only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdp.errors import CallRefused, CdpError
from cdp.frame import parse_run
from cdp.walker.source import IS_INSTALLED, NAME, SOURCE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from cdp.frame import World

    FrameOf = Callable[[World, str], Awaitable[World | None]]
    """Our world in the frame whose element a function in the given world returns."""

CLOSED_ROOT_LIMIT = 10_000
FRAME_LIMIT = 200

_WALK = f"options => {IS_INSTALLED} ? JSON.stringify({NAME}.walk(options)) : null"
_INSTALL = f"() => {{ {SOURCE} }}"
_DOCUMENT = "() => document"
_LEARN = f"(...roots) => {NAME}.learn(...roots)"
_CLOSED_ROOTS = "understudy-closed-roots"


class PageTooLarge(CdpError):
    """The page is over a limit of the walker's; ``reason`` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ElementGone(CdpError):
    """The element that a walk was to start at is not in the page any more."""

    def __init__(self) -> None:
        super().__init__("the element is not in the page any more")


@dataclass(frozen=True, slots=True)
class Options:
    """What a walk does.

    ``generation`` names the numbers that it gives out; without one none are, and the
    earlier ones stay good. ``interactive`` leaves out text and structure.
    """

    generation: str = ""
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one world. Page text, but for roles and the names of states.

    ``token`` names the world's document. A row is ``[depth, "text", text, -1, states]``
    or ``[depth, role, name, number, states]``; trailing parts that say nothing are left
    out. The state ``frame`` is the index of the part that belongs under the row, or
    None when the frame could not be read.
    """

    world: World
    token: str
    rows: list[list[Any]]


class PageWalker:
    """Walks one page. ``world`` is ours in the main frame."""

    def __init__(self, world: World, frame_of: FrameOf) -> None:
        self._world = world
        self._frame_of = frame_of
        self._unexplained: dict[str, int] = {}

    async def walk(self, options: Options) -> list[Part]:
        """Walk the whole page; the first part is the main frame's.

        Raises PageTooLarge, and what the calls raise.
        """
        return await self._walk(self._world, options, None)

    async def walk_within(self, world: World, number: int, options: Options) -> list[Part]:
        """Walk what is under an element of the present generation; ElementGone without it."""
        return await self._walk(world, options, number)

    async def _walk(self, world: World, options: Options, within: int | None) -> list[Part]:
        parts: list[Part] = []
        await self._add(parts, world, options, within)
        return parts

    async def _add(
        self, parts: list[Part], world: World, options: Options, within: int | None
    ) -> None:
        if len(parts) >= FRAME_LIMIT:
            raise PageTooLarge(f"the page has more than {FRAME_LIMIT} frames of other processes")
        found = await self._look(world, _arguments(options, within))
        part = Part(world, found["world"], found["rows"])
        parts.append(part)
        for index, row in _frames(part.rows) if found["frames"] else ():
            row[4]["frame"] = await self._enter(parts, world, index, options)

    async def _enter(
        self, parts: list[Part], world: World, index: int, options: Options
    ) -> int | None:
        """Walk a frame of another process; return its part's index, None if it is out of reach."""
        inner = await self._frame_of(world, f"() => {NAME}.frames[{index}]")
        if inner is None:
            return None
        place = len(parts)
        try:
            await self._add(parts, inner, options, None)
        except CallRefused:
            del parts[place:]
            return None
        return place

    async def _look(self, world: World, arguments: dict[str, object]) -> dict[str, Any]:
        """Walk one world, again if there turn out to be closed shadow trees."""
        found, counted = await self._walk_and_count(world, arguments)
        token = found["world"]
        missing = counted - found["count"]
        if missing in (0, self._unexplained.get(token)):
            return found
        await learn_closed_roots(world)
        found, counted = await self._walk_and_count(world, arguments)
        self._unexplained = {token: counted - found["count"]}
        return found

    async def _walk_and_count(
        self, world: World, arguments: dict[str, object]
    ) -> tuple[dict[str, Any], int]:
        try:
            text, counted = await _try(world, arguments)
        except CallRefused:
            world.forget()  # its document was replaced
            text, counted = await _try(world, arguments)
        if text is None:
            await world.run(_INSTALL)
            text, counted = await _try(world, arguments)
        found: dict[str, Any] = json.loads(text or "{}")
        if found.get("error") == "gone":
            raise ElementGone
        if "error" in found:
            raise PageTooLarge(str(found["reason"]))
        return found, counted


async def _try(world: World, arguments: dict[str, object]) -> tuple[str | None, int]:
    """Walk and count in one round trip; None without the walker in the world."""
    calls = [
        ("DOM.enable", {}),
        await world.run_call(_WALK, arguments),
        ("DOM.performSearch", {"query": "<"}),
        ("DOM.disable", {}),
    ]
    _, walked, searched, _ = await world.session.pipeline(calls)
    return parse_run(walked), int(searched["resultCount"])


def _arguments(options: Options, within: int | None) -> dict[str, object]:
    return {
        "generation": options.generation,
        "interactive": options.interactive,
        "within": within,
    }


def _frames(rows: list[list[Any]]) -> Iterator[tuple[int, list[Any]]]:
    for row in rows:
        if row[1] == "frame" and len(row) > 4 and "frame" in row[4]:
            yield row[4]["frame"], row


async def learn_closed_roots(world: World) -> None:
    """Hand all closed shadow roots of a world's documents to the walker in it."""
    document = await world.hold(_DOCUMENT)
    described = await world.session.call(
        "DOM.describeNode", objectId=document, depth=-1, pierce=True
    )
    roots = list(_closed_roots(described["node"]))[:CLOSED_ROOT_LIMIT]
    context = await world.context_id()
    outcomes = await world.session.pipeline_outcomes(
        [("DOM.resolveNode", _resolve(root, context)) for root in roots]
    )
    # a root that is gone by now has no object
    held = [outcome["object"]["objectId"] for outcome in outcomes if isinstance(outcome, dict)]
    await world.session.call(
        "Runtime.callFunctionOn",
        functionDeclaration=_LEARN,
        executionContextId=context,
        arguments=[{"objectId": object_id} for object_id in held],
    )
    await world.session.call("Runtime.releaseObjectGroup", objectGroup=_CLOSED_ROOTS)


def _resolve(root: int, context: int) -> dict[str, object]:
    return {
        "backendNodeId": root,
        "executionContextId": context,
        "objectGroup": _CLOSED_ROOTS,
    }


def _closed_roots(document: dict[str, Any]) -> Iterator[int]:
    """Find closed shadow roots in a described tree, frames of the same process included."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if node.get("shadowRootType") == "closed":
            yield int(node["backendNodeId"])
        waiting += node.get("children", ())
        waiting += node.get("shadowRoots", ())
        if "contentDocument" in node:
            waiting.append(node["contentDocument"])
