"""Snapshots as short text, for a reader who pays by the word and trusts nothing in it.

One node a line, two spaces for each level::

    heading "Order" [k7e0] level=1
    form "Order form" [k7e1]
      textbox "First name" [k7e2] value="Ann"
      checkbox "I agree" [k7e3] unchecked
      text "Prices include tax"

Everything from the page stands in double quotes on one line, escaped, and the block as a
whole between two lines that carry the reply's nonce: a page cannot write outside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.snapshots import TEXT
from protocol.untrusted import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from protocol.snapshots import Node, Snapshot

_WORDS = {
    ("checked", False): "unchecked",
    ("expanded", False): "collapsed",
    ("pressed", False): "unpressed",
}
_QUIET = (("selected", False),)  # true of most options: not worth a word
_INNER = "text"  # the state that holds the only text in a node


@dataclass(frozen=True, slots=True)
class Shown:
    """What part of a snapshot is shown: levels above ``depth``, ``limit`` nodes at most."""

    depth: int | None = None
    limit: int | None = None


def quote(text: str) -> str:
    """Return page text in double quotes, on one line, nothing in it that hides or moves."""
    if text.isprintable() and "\\" not in text:
        return '"' + text.replace('"', '\\"') + '"'
    return '"' + escape_line(text).replace('"', '\\"') + '"'


def fence(lines: Iterable[str], nonce: str) -> str:
    """Return lines between two that carry the nonce, which the page cannot know."""
    return "\n".join([f"--- page {nonce} ---", *lines, f"--- end {nonce} ---", ""])


def snapshot_lines(snapshot: Snapshot, shown: Shown = Shown()) -> list[str]:
    """Return a snapshot's lines; what is left out is counted on a line of its own."""
    nodes, omitted = select(snapshot, shown)
    lines = [node_line(snapshot, node) for node in nodes]
    if omitted:
        lines.append(f"({omitted} more)")
    return lines


def snapshot_fields(snapshot: Snapshot, shown: Shown = Shown()) -> dict[str, object]:
    """Return a snapshot's JSON form; ``name``, ``text`` and the values of states are page text."""
    nodes, omitted = select(snapshot, shown)
    return {
        "generation": snapshot.generation,
        "nodes": [_node_fields(snapshot, node) for node in nodes],
        "omitted": omitted,
    }


def select(snapshot: Snapshot, shown: Shown) -> tuple[Sequence[Node], int]:
    """Return the nodes that are shown and how many are not."""
    nodes: Sequence[Node] = snapshot.nodes
    if shown.depth is not None:
        nodes = [node for node in nodes if node.depth < shown.depth]
    if shown.limit is not None:
        nodes = nodes[: shown.limit]
    return nodes, len(snapshot.nodes) - len(nodes)


def node_line(snapshot: Snapshot, node: Node) -> str:
    """Return one node's line, indented."""
    return "  " * node.depth + " ".join(_words(snapshot, node))


def _words(snapshot: Snapshot, node: Node) -> Iterator[str]:
    yield node.role
    if node.name or node.role == TEXT:
        yield quote(node.name)
    if node.number is not None:
        yield f"[{snapshot.generation}e{node.number}]"
    if node.states:
        yield from _state_words(node.states)


def _state_words(states: Mapping[str, object]) -> Iterator[str]:
    for name, value in states.items():
        if name != _INNER and (name, value) not in _QUIET:
            yield _state_word(name, value)
    if _INNER in states:
        yield quote(str(states[_INNER]))


def _state_word(name: str, value: object) -> str:
    if isinstance(value, bool):
        return name if value else _WORDS.get((name, value), f"{name}=false")
    if isinstance(value, int | float):
        return f"{name}={value}"
    if isinstance(value, list):
        return f"{name}=" + "|".join(quote(str(item)) for item in value)
    return f"{name}={quote(str(value))}"


def _node_fields(snapshot: Snapshot, node: Node) -> dict[str, object]:
    fields: dict[str, object] = {"depth": node.depth, "role": node.role}
    if node.role == TEXT:
        fields["text"] = node.name
    elif node.name:
        fields["name"] = node.name
    if node.number is not None:
        fields["ref"] = snapshot.ref(node)
    if node.states:
        fields["states"] = dict(node.states)
    return fields
