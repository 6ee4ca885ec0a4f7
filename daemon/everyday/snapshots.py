"""The snapshots of one page, and what the refs of the last one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.elements.targets import Numbered
from cdp.walker.walking import Options, PageWalker
from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.snapshot_diff import diff_lines, diff_snapshots
from protocol.snapshot_text import Shown, snapshot_fields, snapshot_lines
from protocol.snapshots import build_snapshot, encode_generation, resolve_ref

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.elements.targets import Target
    from cdp.frame import World
    from cdp.target import PageTarget
    from cdp.walker.walking import Part
    from daemon.everyday.performer import NextGeneration
    from protocol.commands import TakeSnapshot
    from protocol.snapshots import Snapshot
    from protocol.targets import RefTarget


class Snapshots:
    """Takes snapshots of one page; only the refs of the last one name anything."""

    def __init__(self, target: PageTarget, next_generation: NextGeneration) -> None:
        self._target = target
        self._next_generation = next_generation
        self._walker = PageWalker(target.world, target.frame_of)
        self._last: Snapshot | None = None
        self._loader_id = ""
        self._worlds: dict[str, World] = {}

    async def take(self, read: TakeSnapshot, within: Target | None) -> Mapping[str, object]:
        """Take one and return it as text lines and as fields. Raises CommandFailed."""
        generation = encode_generation(await self._next_generation())
        options = Options(generation, interactive=read.interactive)
        parts = await self._walk(options, within)
        loader_id = self._target.main.document.loader_id
        before = self._last if loader_id == self._loader_id else None
        snapshot = build_snapshot(
            [(part.token, part.rows) for part in parts],
            generation,
            before,
            partial=within is not None,
        )
        self._worlds = {part.token: part.world for part in parts}
        self._last, self._loader_id = snapshot, loader_id
        return _told(snapshot, before, read)

    def resolve(self, target: RefTarget) -> Numbered:
        """Return the element that a ref names. Raises CommandFailed ``ref_stale``."""
        if self._target.main.document.loader_id != self._loader_id:
            raise CommandFailed("ref_stale", "The page has another document since its snapshot")
        try:
            node = resolve_ref(self._last, target.ref)
        except Failure as failure:
            raise CommandFailed("ref_stale", failure.message) from failure
        if node.key is None:
            raise CommandFailed("ref_stale", "A text has no ref")
        token, number = node.key
        return Numbered(
            self._worlds[token],
            target.ref.generation,
            number,
            node.role,
            node.name,
            renamed=target.renamed,
        )

    async def _walk(self, options: Options, within: Target | None) -> list[Part]:
        if within is None:
            return await self._walker.walk(options)
        if not isinstance(within, Numbered):
            raise CommandFailed("ref_stale", "A snapshot within an element needs its ref")
        return await self._walker.walk_within(within.world, within.number, options)


def _told(snapshot: Snapshot, before: Snapshot | None, read: TakeSnapshot) -> dict[str, object]:
    shown = Shown(read.depth, read.limit)
    told = {**snapshot_fields(snapshot, shown), "lines": snapshot_lines(snapshot, shown)}
    if read.diff and before is not None:
        told["diff"] = diff_lines(before, snapshot, diff_snapshots(before, snapshot))
    return told
