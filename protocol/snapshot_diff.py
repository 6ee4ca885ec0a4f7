"""What changed from one snapshot of a document to the next.

Nodes are matched by element; a text by its place among the texts of the element around
it. An element that keeps its number can be addressed under the new generation, whether
it is shown or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from protocol.snapshot_text import node_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.snapshots import Key, Node, Snapshot

    Identity = tuple[Key | None, int]
    """An element and 0, or the element around a text and the text's place in it, from 1."""


class Change(StrEnum):
    """What became of a node."""

    added = "added"
    changed = "changed"
    removed = "removed"


@dataclass(frozen=True, slots=True)
class Difference:
    """A node that changed, as it is now, or as it was if it is gone.

    A node that is gone stands for all that was in it; ``inside`` counts that.
    """

    change: Change
    node: Node
    inside: int = 0


_MARKS = {Change.added: "+ ", Change.changed: "~ ", Change.removed: "- "}


def diff_snapshots(old: Snapshot, new: Snapshot) -> list[Difference]:
    """Return what changed: in the new order, then what was removed in the old order.

    A node that only moved is not a change.
    """
    before, after = dict(_identified(old.nodes)), dict(_identified(new.nodes))
    differences = [
        Difference(Change.changed if identity in before else Change.added, node)
        for identity, node in after.items()
        if identity not in before or _content(before[identity]) != _content(node)
    ]
    return differences + _removed(before, after)


def _removed(before: Mapping[Identity, Node], after: Mapping[Identity, Node]) -> list[Difference]:
    """Return the topmost of the nodes that are gone, each with the count of those in it."""
    found: list[Difference] = []
    top: Node | None = None
    for identity, node in before.items():
        in_top = top is not None and node.depth > top.depth
        if identity in after:
            top = top if in_top else None
        elif in_top:
            found[-1] = replace(found[-1], inside=found[-1].inside + 1)
        else:
            top = node
            found.append(Difference(Change.removed, node))
    return found


def diff_lines(old: Snapshot, new: Snapshot, differences: Sequence[Difference]) -> list[str]:
    """Return one marked line for each difference; removed nodes carry their old refs."""
    return [_line(old if each.change is Change.removed else new, each) for each in differences]


def _line(snapshot: Snapshot, difference: Difference) -> str:
    line = _MARKS[difference.change] + node_line(snapshot, difference.node).lstrip(" ")
    return f"{line} (and {difference.inside} inside)" if difference.inside else line


def _content(node: Node) -> tuple[object, ...]:
    return node.role, node.name, node.states


def _identified(nodes: Sequence[Node]) -> Iterator[tuple[Identity, Node]]:
    """Yield each node with its identity."""
    around: list[Key | None] = []
    texts: dict[Key | None, int] = {}
    for node in nodes:
        del around[node.depth :]
        parent = around[-1] if around else None
        if node.key is None:
            texts[parent] = texts.get(parent, 0) + 1
            yield (parent, texts[parent]), node
        else:
            yield (node.key, 0), node
        around.append(node.key)
