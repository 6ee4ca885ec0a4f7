"""The actions of an evidence session that are everyday commands as well.

Such an action names its element by a target where the others have coordinates::

    {"type": "click", "target": {"role": "button", "name": "Save"}}
    {"type": "fill", "target": {"label": "Subject"}, "text": "…"}

It is the everyday command of the same meaning, so that both doors share its fields, its
checks and its effect. Not taken: a ref, since no snapshot is taken in an evidence session;
an upload, whose file no receipt could speak for; and ``expect``.
"""

from collections.abc import Mapping
from typing import Final, cast

from protocol.command_fields import parse_command
from protocol.commands import Fill, TypeText, Write
from protocol.errors import Failure
from protocol.targets import PointTarget, RefTarget, Target, parse_target
from protocol.viewports import Viewport

ELEMENT_TYPES: Final = frozenset(
    {"hover", "focus", "fill", "clear", "select", "check", "uncheck", "back", "forward", "reload"}
)
"""Types that only exist with a target, or without any place at all."""

BOTH_TYPES: Final = frozenset({"click", "double_click", "triple_click", "drag", "scroll", "type"})
"""Types with coordinates (or none) that may have a target in their place."""

MAX_TEXT_CHARACTERS: Final = 4096

_COUNTS: Final[Mapping[str, int]] = {"click": 1, "double_click": 2, "triple_click": 3}
_NOT_TAKEN: Final = frozenset({"expect", "count"})


def is_element_action(value: Mapping[str, object]) -> bool:
    """Whether an action is one of these, by its type and by having a target."""
    kind = value.get("type")
    return kind in ELEMENT_TYPES or (kind in BOTH_TYPES and "target" in value)


def parse_element_action(value: Mapping[str, object], viewport: Viewport) -> Write:
    """Return the command that an action is. Raises Failure ``invalid_request``.

    Points lie inside of the viewport. Failures name field and type, never a value.
    """
    refused = _NOT_TAKEN & value.keys()
    if refused:
        raise _refused(f"has no field {min(refused)}")
    command = cast("Write", parse_command(_as_command(value)))
    for name in ("target", "to"):
        if isinstance(value.get(name), Mapping):
            _verify_target(parse_target(value[name]), viewport)
    if isinstance(command, Fill | TypeText) and len(command.text) > MAX_TEXT_CHARACTERS:
        raise _refused(f"has a text of more than {MAX_TEXT_CHARACTERS} characters")
    return command


def with_defaults(value: Mapping[str, object]) -> dict[str, object]:
    """Return the action with the fields filled in that it left out."""
    return {**value, "button": value.get("button", "left")} if _clicks(value) else dict(value)


def _as_command(value: Mapping[str, object]) -> dict[str, object]:
    if not _clicks(value):
        return dict(value)
    return {**value, "type": "click", "count": _COUNTS[str(value["type"])]}


def _clicks(value: Mapping[str, object]) -> bool:
    return value["type"] in _COUNTS


def _verify_target(target: Target, viewport: Viewport) -> None:
    if isinstance(target, RefTarget):
        raise _refused("names its element by a ref, and there is no snapshot that gave it")
    if isinstance(target, PointTarget) and not (
        target.x < viewport.width and target.y < viewport.height
    ):
        raise _refused("has a point outside of the frame")


def _refused(condition: str) -> Failure:
    return Failure(
        "invalid_request",
        f"It {condition}",
        "See the types and fields of actions in understudy-protocol(7).",
    )
