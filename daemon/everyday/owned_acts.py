"""From a write to the act of `cdp.elements` that does it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import trio

from cdp.elements.acts import Act, Acts
from cdp.elements.clicking import Click as PageClick
from cdp.elements.filling import Fill as PageFill
from protocol.command_failures import CommandFailed
from protocol.commands import (
    Click,
    Drag,
    Fill,
    Hold,
    Navigate,
    OnTarget,
    Press,
    Scroll,
    Select,
    Travel,
    TypeText,
    Upload,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from cdp.elements.targets import Target as PageTarget
    from cdp.page import Page
    from protocol.commands import File, Write
    from protocol.targets import Target

    Resolve = Callable[[Target], PageTarget]


class OwnedActs:
    """Makes acts on one page. Files to upload are copied below ``uploads`` first."""

    def __init__(self, page: Page, resolve: Resolve, uploads: Path) -> None:
        self._acts = Acts(page)
        self._resolve = resolve
        self._uploads = uploads

    async def make(self, write: Write) -> Act:
        """Return the act for a write. Raises CommandFailed for a ref that names nothing."""
        if isinstance(write, Upload):
            target = self._resolve(write.target)
            copies = await trio.to_thread.run_sync(copy_files, write.files, self._uploads)
            return self._acts.upload(target, copies)
        return _MAKERS[type(write)](self._acts, write, self._resolve)

    def make_ahead(self, write: Write) -> PageClick | PageFill | None:
        """Return the act for a write whose element can be looked at ahead, None for another."""
        if not isinstance(write, Click | Fill):
            return None
        try:
            act = _MAKERS[type(write)](self._acts, write, self._resolve)
        except CommandFailed:
            return None  # told when its own turn comes
        return act if isinstance(act, PageClick | PageFill) else None


def copy_files(files: Sequence[File], uploads: Path) -> list[str]:
    """Copy files to where only the browser of one session looks; return the copies' paths."""
    uploads.mkdir(mode=0o700, exist_ok=True)
    copies = []
    for file in files:
        directory = uploads / os.urandom(8).hex()
        directory.mkdir(mode=0o700)
        copy = directory / file.name
        copy.write_bytes(file.content)
        copies.append(str(copy))
    return copies


def _click(acts: Acts, write: Click, to: Resolve) -> Act:
    target = to(write.target)
    return acts.click(target, button=write.button, count=write.count, modifiers=write.modifiers)


def _on_target(acts: Acts, write: OnTarget, to: Resolve) -> Act:
    target = to(write.target)
    if write.type in ("check", "uncheck"):
        return acts.check(target, on=write.type == "check")
    return {"hover": acts.hover, "focus": acts.focus, "clear": acts.clear}[write.type](target)


def _type(acts: Acts, write: TypeText, to: Resolve) -> Act:
    return acts.type_text(write.text, None if write.target is None else to(write.target))


def _scroll(acts: Acts, write: Scroll, to: Resolve) -> Act:
    target = None if write.target is None else to(write.target)
    if write.by is not None:
        return acts.scroll_by(*write.by, target)
    if target is not None:
        return acts.scroll_to(target)
    return acts.scroll_end(write.to or "top")


def _travel(acts: Acts, write: Travel, _: Resolve) -> Act:
    return {"back": acts.back, "forward": acts.forward, "reload": acts.reload}[write.type]()


_MAKERS: Final[Mapping[type[Write], Callable[[Acts, Any, Resolve], Act]]] = {
    Click: _click,
    OnTarget: _on_target,
    TypeText: _type,
    Fill: lambda acts, write, to: acts.fill(to(write.target), write.text),
    Select: lambda acts, write, to: acts.select(
        to(write.target), labels=write.labels, values=write.values
    ),
    Press: lambda acts, write, _: acts.press(write.chord.modifiers, write.chord.base),
    Hold: lambda acts, write, _: acts.hold(
        write.chord.modifiers, write.chord.base, write.ms / 1000
    ),
    Scroll: _scroll,
    Drag: lambda acts, write, to: acts.drag(to(write.target), to(write.to)),
    Navigate: lambda acts, write, _: acts.navigate(write.url),
    Travel: _travel,
}
