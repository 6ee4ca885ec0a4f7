"""A page walked by our walker, and the same page as Chromium's own accessibility tree has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdp.walker.source import IS_INSTALLED, NAME
from cdp.walker.walking import Options, PageWalker
from protocol.snapshots import Snapshot, build_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cdp.frame import World
    from cdp.page import Page
    from cdp.walker.walking import Part

MARK = "data-walked"

_DESCRIBE = f"""(generation, number) => {{
  const element = {IS_INSTALLED} ? {NAME}.node(generation, number) : null;
  return element && {NAME}.describe(element);
}}"""


def walker_of(page: Page) -> PageWalker:
    """Return a walker of a page's main frame and what is in it."""
    return PageWalker(page.target.world, page.target.frame_of)


async def walk(page: Page, generation: str = "k7", **options: Any) -> list[Part]:
    """Walk a page."""
    return await walker_of(page).walk(Options(generation, **options))


def snapshot_of(parts: list[Part], generation: str = "k7") -> Snapshot:
    """Return a walk's snapshot."""
    return build_snapshot([(part.token, part.rows) for part in parts], generation)


async def describe(world: World, generation: str, number: int) -> tuple[str, str] | None:
    """Return the role and name that an element has now; None when it or its number is gone."""
    described = await world.run(_DESCRIBE, generation, number)
    return None if described is None else (str(described[0]), str(described[1]))


@dataclass(frozen=True)
class AxNode:
    """What Chromium says about an element."""

    role: str
    name: str
    element: str  # tag and attributes, for a reader


async def ax_nodes(page: Page) -> dict[int, AxNode]:
    """Return Chromium's nodes of all frames of a page's process, by backend node id."""
    session = page.target.session
    await session.call("Accessibility.enable")
    tree = await session.call("Page.getFrameTree")
    found = {}
    elements = dict(await _elements(page.target.world))
    for frame_id in _frame_ids(tree["frameTree"]):
        answer = await session.call("Accessibility.getFullAXTree", frameId=frame_id)
        for node in answer["nodes"]:
            element = elements.get(node.get("backendDOMNodeId", 0))
            if element is not None and not node["ignored"]:
                name = node.get("name", {}).get("value", "")
                found[node["backendDOMNodeId"]] = AxNode(node["role"]["value"], name, element[1])
    return found


async def walked_numbers(page: Page) -> dict[int, int]:
    """Return the numbers of the last walk by backend node id; marks the page's elements."""
    world = page.target.world
    mark = f"""() => {{ for (const [number, element] of {NAME}.elements)
      Element.prototype.setAttribute.call(element, "{MARK}", number) }}"""
    await world.run(mark)
    return {
        backend_id: int(attributes[MARK])
        for backend_id, (attributes, _) in await _elements(world)
        if MARK in attributes
    }


async def _elements(world: World) -> list[tuple[int, tuple[Mapping[str, str], str]]]:
    """Return every element outside the browser's own shadow trees: its attributes and looks."""
    document = await world.hold("() => document")
    described = await world.session.call(
        "DOM.describeNode", objectId=document, depth=-1, pierce=True
    )
    return list(_described(described["node"]))


def _described(node: dict[str, Any]) -> Iterator[tuple[int, tuple[Mapping[str, str], str]]]:
    if node.get("shadowRootType") == "user-agent":
        return
    if node["nodeType"] == 1:
        flat = node.get("attributes", [])
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        shown = " ".join(f"{name}={value[:30]}" for name, value in attributes.items())
        yield node["backendNodeId"], (attributes, f"<{node['localName']} {shown}>")
    inner = [*node.get("children", ()), *node.get("shadowRoots", ())]
    if "contentDocument" in node:
        inner.append(node["contentDocument"])
    for each in inner:
        yield from _described(each)


def _frame_ids(tree: dict[str, Any]) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _frame_ids(child)
