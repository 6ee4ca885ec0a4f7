"""Snapshots: a page as the small tree that a person could use, and the refs into it.

A walk over the page gives parts, one for each frame that was walked from its own side;
here they become one list of nodes in depth-first order. Every node but text has a number.
``k7e14`` is number 14 of generation ``k7``: each snapshot has a generation of its own, and
a ref of any other is refused. While the document stays, an element keeps its number, so
what was ``k7e14`` is ``k8e14`` in the next snapshot.

Names, texts and the values of states are page text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[Sequence[Any]]
    """``[depth, "text", text, -1, states]`` or ``[depth, role, name, number, states]``,
    trailing parts that say nothing left out. The state ``frame`` of a frame is the index
    of the part that belongs under it, None when that frame could not be read."""

    Parts = Sequence[tuple[str, Rows]]
    """A walk: for each part its document's token and its rows; the main frame's first."""

    Key = tuple[str, int]
    """An element for as long as its document lives: the document's token, its number there."""

TEXT = "text"
_NO_STATES: Mapping[str, object] = MappingProxyType({})
UNREAD = "unread"
"""State of a frame whose content could not be read."""

_FIRST = "abcdfghjkmnpqrstuvwxyz"
_FURTHER = "0123456789" + _FIRST
_REF = re.compile(rf"([{_FIRST}][{_FURTHER}]{{0,12}})e(0|[1-9][0-9]{{0,8}})", re.ASCII)


class Ref(NamedTuple):
    """A ref's two parts: ``k7e14`` is ``("k7", 14)``."""

    generation: str
    number: int

    def __str__(self) -> str:
        return f"{self.generation}e{self.number}"


class Node(NamedTuple):
    """One line of a snapshot. ``number`` is None for text, whose ``name`` is the text."""

    depth: int
    role: str
    name: str
    states: Mapping[str, object]
    number: int | None
    key: Key | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One generation's nodes, in depth-first order.

    ``numbers`` holds the number of every element that keeps one, ``fresh`` is the
    first that was never used in this document. ``elements`` are the nodes by number.
    ``partial`` is true when only what is under some element was walked.
    """

    generation: str
    nodes: tuple[Node, ...]
    numbers: Mapping[Key, int]
    fresh: int
    elements: Mapping[int, Node]
    partial: bool = False

    def ref(self, node: Node) -> str:
        """Return a node's ref, "" for text."""
        return "" if node.number is None else f"{self.generation}e{node.number}"


def encode_generation(count: int) -> str:
    """Return a counter from 0 as text: a letter, then digits and letters, never an ``e``.

    Shorter texts come first, so that refs stay short: 22 of one character, 704 of two.
    """
    length, block = 1, len(_FIRST)
    while count >= block:
        count -= block
        length, block = length + 1, block * len(_FURTHER)
    text = ""
    for _ in range(length - 1):
        count, digit = divmod(count, len(_FURTHER))
        text = _FURTHER[digit] + text
    return _FIRST[count] + text


def parse_ref(text: str) -> Ref:
    """Return the parts of a ref; Failure ``usage`` for anything else."""
    match = _REF.fullmatch(text)
    if match is None:
        raise Failure(
            "usage",
            "that is no ref of a snapshot",
            "a ref looks like k7e14, from the last snapshot; --text, --label and others find an"
            " element without one",
        )
    return Ref(match[1], int(match[2]))


def build_snapshot(
    parts: Parts, generation: str, previous: Snapshot | None = None, *, partial: bool = False
) -> Snapshot:
    """Return the snapshot of a walk; elements that ``previous`` knows keep their numbers.

    ``partial`` says that the walk started at some element: numbers of elements that are
    not under it are kept as well.
    """
    if previous is None or not _same_document(parts, previous):
        builder = _Builder(parts, {}, 0)
    else:
        builder = _Builder(parts, previous.numbers, previous.fresh)
    builder.add_part(0, 0)
    elements = {node.number: node for node in builder.nodes if node.number is not None}
    numbers = {node.key: number for number, node in elements.items() if node.key is not None}
    if partial:
        numbers = {**builder.known, **numbers}
    return Snapshot(generation, tuple(builder.nodes), numbers, builder.fresh, elements, partial)


class _Builder:
    """Turns rows into nodes, frames' parts in their places."""

    def __init__(self, parts: Parts, known: Mapping[Key, int], fresh: int) -> None:
        self.parts = parts
        self.known = known
        self.fresh = fresh
        self.nodes: list[Node] = []

    def add_part(self, index: int, base: int) -> None:
        token, rows = self.parts[index]
        add = self.nodes.append
        for row in rows:
            depth, role, name = base + row[0], row[1], row[2]
            states = row[4] if len(row) > 4 else _NO_STATES
            if role == TEXT:
                add(Node(depth, role, name, states, None, None))
            elif "frame" in states:
                self._add_frame(token, row, depth)
            else:
                key = (token, row[3])
                add(Node(depth, role, name, states, self._number(key), key))

    def _add_frame(self, token: str, row: Sequence[Any], depth: int) -> None:
        inner = row[4]["frame"]
        states = {name: value for name, value in row[4].items() if name != "frame"}
        if inner is None:
            states[UNREAD] = True
        key = (token, row[3])
        self.nodes.append(Node(depth, row[1], row[2], states, self._number(key), key))
        if inner is not None:
            self.add_part(inner, depth + 1)

    def _number(self, key: Key) -> int:
        number = self.known.get(key)
        if number is None:
            number = self.fresh
            self.fresh += 1
        return number


def resolve_ref(snapshot: Snapshot | None, ref: Ref) -> Node:
    """Return the node that a ref names; Failure ``ref_stale`` or ``not_found``.

    Only the present generation's refs name anything.
    """
    if snapshot is None or ref.generation != snapshot.generation:
        raise Failure(
            "ref_stale",
            f"{ref} is not of this session's last snapshot",
            "take a new snapshot and use its refs",
            safe_to_retry=True,
        )
    node = snapshot.elements.get(ref.number)
    if node is None:
        raise Failure("not_found", f"the last snapshot has no {ref}", "take a ref from its output")
    return node


def _same_document(parts: Parts, previous: Snapshot) -> bool:
    tokens = {token for token, _ in parts}
    return any(token in tokens for token, _ in previous.numbers)
