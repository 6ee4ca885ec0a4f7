"""Typing: exactly the given text into what has the focus, and a look at what arrived.

Text goes in as key events, character by character, and not by `Input.insertText`: it
costs 2 ms a character instead of nothing, but pages that listen for keys (shortcuts,
pickers, counters, editors that draw for themselves) see what they would see of a
person. A key event with a text carries any character, so no keyboard layout bounds it.
Characters that no key writes (tabs in a field, other controls) are inserted.

Before typing, the focused element is found through open shadow roots and frames, and
what it should hold afterwards is worked out from its value and selection; afterwards
it is read back. All of that happens in the page: only lengths come out of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any

from cdp.frame import WORLD_ENDED
from cdp.keyboard import down_calls, up_calls
from cdp.keymap import chord_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cdp.connection import Call
    from cdp.frame import World
    from cdp.keymap import Chord
    from cdp.target import PageTarget

CHUNK = 32
"""Characters written before their replies are awaited."""

CHUNK_TIMEOUT_S = 15.0

ENTER = chord_of((), "enter")
SOFT_BREAK = chord_of(("shift",), "enter")
"""What breaks a line where Enter sends a message or ends an entry."""

_FRAME_DEPTH = 8

PASSED_ON = (
    "the page moved the focus to another field while it was typed, and what each field took "
    "is not known"
)

_BEGIN = "(text, order) => understudyEditing.begin(text, order)"
_SETTLE = "() => globalThis.understudyEditing?.settle() ?? {gone: true}"
_FRAME = "() => understudyEditing.element"


class TypingStatus(StrEnum):
    """How typing ended."""

    ok = "ok"
    injected = "injected"
    failed = "failed"


@dataclass(frozen=True, slots=True)
class Typing:
    """What became of a text. ``detail`` never holds any of it; ``sent``: keys were pressed.

    ``secret``: it went into a password field.
    """

    status: TypingStatus
    detail: str
    sent: bool
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The element that a text is for: its world, and how the walker in it names it."""

    world: World
    order: Mapping[str, object]


async def type_text(
    target: PageTarget, text: str, place: Place | None = None, *, line_break: Chord = ENTER
) -> Typing:
    """Type into what has the focus, which must be ``place`` if one is given.

    ``line_break`` is pressed for each line feed.

    ok: the field holds what it should. injected: nothing editable has the focus, it
    cannot be read back, or the page passed the focus on to other fields. failed: it holds
    something else; or it takes no text or no line breaks, and then nothing was sent.
    """
    target.verify_open()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        world, field = await _focused(target, text, place)
    except WORLD_ENDED:
        target.interrupts.verify_answering()
        target.forget_worlds()
        return Typing(TypingStatus.failed, "the page is changing its document", sent=False)
    refusal = _refusal(field, text)
    if refusal is not None:
        return Typing(TypingStatus.failed, refusal, sent=False)
    editable = field["kind"] != "none"
    for chunk in _chunks(text):
        calls = [character_calls(each, editable, line_break=line_break) for each in chunk]
        await target.send_input(list(chain.from_iterable(calls)), timeout_s=CHUNK_TIMEOUT_S)
    if not editable:
        return Typing(TypingStatus.injected, "nothing editable has the focus", sent=True)
    typed = judge(field, await _look_again(target, world))
    return replace(typed, secret=bool(field.get("secret")))


def character_calls(
    character: str,
    editable: bool,  # noqa: FBT001
    *,
    line_break: Chord = ENTER,
) -> list[Call]:
    """Return the calls that type one character."""
    if character == "\n":
        return _stroke(line_break)
    if character == "\t" and not editable:
        return _stroke(chord_of((), "tab"))
    if character.isprintable():
        return _stroke(chord_of((), character))
    if not editable:
        return []
    return [("Input.insertText", {"text": character})]


def judge(field: dict[str, Any], seen: dict[str, Any]) -> Typing:
    """Decide by the two looks at a field; see `type_text`."""
    if seen.get("gone"):
        return Typing(TypingStatus.injected, "the document was replaced while typing", sent=True)
    lengths = f"it has {seen['length']} characters instead of {seen['wanted']}"
    if seen["holds"]:
        return Typing(TypingStatus.ok, f"it has {seen['length']} characters", sent=True)
    unknown = _unknown(field, seen)
    if unknown is not None:
        return Typing(TypingStatus.injected, unknown, sent=True)
    if seen["moved"]:
        return Typing(TypingStatus.failed, f"the focus went elsewhere; {lengths}", sent=True)
    if seen["length"] == seen["wanted"]:
        lengths = "it holds other characters than those typed"
    return Typing(TypingStatus.failed, lengths, sent=True)


def _unknown(field: dict[str, Any], seen: dict[str, Any]) -> str | None:
    """Return why it cannot be told by the field whether the text arrived; None if it can."""
    reasons = (
        (
            field["kind"] == "picker" and not seen["same"],
            "the field writes its value in its own way",
        ),
        (field["proxy"], "the field that has the focus is not shown"),
        (seen["passed"], PASSED_ON),
    )
    return next((reason for applies, reason in reasons if applies), None)


async def _focused(
    target: PageTarget, text: str, place: Place | None
) -> tuple[World, dict[str, Any]]:
    """Find the world of the frame that has the focus, and begin there."""
    world = target.world
    field: dict[str, Any] = {"kind": "none"}
    for _ in range(_FRAME_DEPTH):
        order = place.order if place is not None and place.world is world else None
        field = await world.run(_BEGIN, text, order)
        if field["kind"] != "frame":
            break
        inner = await target.frame_of(world, _FRAME)
        if inner is None:
            return world, {"kind": "none"}
        world = inner
    return world, field


async def _look_again(target: PageTarget, world: World) -> dict[str, Any]:
    try:
        seen: dict[str, Any] = await world.run(_SETTLE, wait=True)
    except WORLD_ENDED:
        target.interrupts.verify_answering()
        target.forget_worlds()
        return {"gone": True}
    return seen


def _refusal(field: dict[str, Any], text: str) -> str | None:
    if field["kind"] == "elsewhere":
        return "the page moved the focus away before anything was typed"
    if field.get("locked"):
        return "the field that has the focus is read-only or disabled"
    if field["kind"] in ("line", "picker") and "\n" in text:
        return "a single-line field takes no line breaks"
    return None


def _chunks(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHUNK):
        yield text[start : start + CHUNK]


def _stroke(chord: Chord) -> list[Call]:
    return [*down_calls(chord), *up_calls(chord)]
