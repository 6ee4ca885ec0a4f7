"""The actions of an evidence session: their fields, ranges, defaults and projections.

A batch is validated whole before its first action runs. Failures name the action by
its index and the field, never a value: a value may be what a person typed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar, Final

from protocol.canonical import JsonRefused, JsonTooLarge, digest, parse_json
from protocol.commands import Write
from protocol.element_actions import (
    ELEMENT_TYPES,
    MAX_TEXT_CHARACTERS,
    is_element_action,
    parse_element_action,
    with_defaults,
)
from protocol.errors import Failure, proof_failure
from protocol.keys import Chord, parse_chord
from protocol.origins import verify_allowed, verify_plain
from protocol.viewports import Viewport

MAX_BATCH: Final = 16
MAX_SESSION_ACTIONS: Final = 64
MAX_ACTIONS_BYTES: Final = 64 * 1024
MAX_URL_BYTES: Final = 8192
MAX_HOLD_MS: Final = 10_000
MAX_WAIT_MS: Final = 5_000
MAX_NOTCHES: Final = 100
DEFAULT_NOTCHES: Final = 3

PROJECTION_DOMAIN: Final = "understudy-action-projection-v1"
PRIVATE_FIELDS: Final = frozenset({"text", "key", "value", "values", "labels", "secret_ref"})
"""Fields of an action that hold what a person typed or chose; no record has them.

receipt-v2 has no type with ``labels``; ours are what ``values`` are, by another name.
"""

FORBIDDEN_TYPES: Final = frozenset({"paste", "mouse_down", "mouse_up", "zoom"})


@dataclass(frozen=True, slots=True)
class Action:
    """One validated action; the fields of a subclass are its fields on the wire.

    ``is_input`` tells whether running it sends input to the page.
    """

    is_input: ClassVar[bool] = True
    type: str

    def projection(self) -> dict[str, object]:
        """Return the action without anything a person typed, defaults filled in."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in PRIVATE_FIELDS
        }

    @property
    def projection_sha256(self) -> str:
        """The digest by which a transcript names the action."""
        return digest(PROJECTION_DOMAIN, self.projection())


@dataclass(frozen=True, slots=True)
class Click(Action):
    """``click``, ``double_click`` or ``triple_click`` at a point of the frame."""

    x: int
    y: int
    button: str = "left"

    @property
    def count(self) -> int:
        """How often the button goes down: 1, 2 or 3."""
        return {"click": 1, "double_click": 2, "triple_click": 3}[self.type]


@dataclass(frozen=True, slots=True)
class MoveMouse(Action):
    """``move_mouse`` to a point of the frame."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drag(Action):
    """``drag`` with the left button from one point of the frame to another."""

    start_x: int
    start_y: int
    end_x: int
    end_y: int


@dataclass(frozen=True, slots=True)
class Scroll(Action):
    """``scroll`` by ``amount`` wheel notches with the pointer at a point of the frame."""

    x: int
    y: int
    direction: str
    amount: int = DEFAULT_NOTCHES


@dataclass(frozen=True, slots=True)
class TypeText(Action):
    """``type``: ``text`` into what has the focus."""

    text: str


@dataclass(frozen=True, slots=True)
class PressKey(Action):
    """``key``: one chord, pressed and released."""

    key: str

    @property
    def chord(self) -> Chord:
        """The key as names that a keyboard maps to codes."""
        return parse_chord(self.key)


@dataclass(frozen=True, slots=True)
class HoldKey(Action):
    """``hold_key``: one chord, held for ``ms`` milliseconds."""

    key: str
    ms: int

    @property
    def chord(self) -> Chord:
        """The key as names that a keyboard maps to codes."""
        return parse_chord(self.key)


@dataclass(frozen=True, slots=True)
class Wait(Action):
    """``wait`` for ``ms`` milliseconds."""

    is_input: ClassVar[bool] = False
    ms: int


@dataclass(frozen=True, slots=True)
class Screenshot(Action):
    """``screenshot``: nothing but the frame that every action ends with."""

    is_input: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Navigate(Action):
    """``navigate`` the session's tab to an address on an allowed origin."""

    url: str


@dataclass(frozen=True, slots=True)
class OnElement(Action):
    """An everyday command: an element in the place of coordinates, or a step in history.

    ``shown`` is the action on the wire without its private fields, defaults filled in.
    """

    command: Write = field(repr=False)
    shown: Mapping[str, object]

    def projection(self) -> dict[str, object]:
        """See Action."""
        return dict(self.shown)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the values of a batch are judged against."""

    viewport: Viewport
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Check:
    """What a field takes: the judgement, and the same in words for whoever got it wrong."""

    accepts: Callable[[object, _Frame], bool]
    tell: Callable[[_Frame], str]


def _integer(low: int, high: int) -> _Check:
    return _Check(
        lambda value, _: type(value) is int and low <= value <= high,
        lambda _: f"a whole number from {low} to {high}",
    )


def _one_of(*names: str) -> _Check:
    return _Check(
        lambda value, _: isinstance(value, str) and value in names,
        lambda _: f"one of {', '.join(names)}",
    )


def _below(side: Callable[[Viewport], int]) -> _Check:
    return _Check(
        lambda value, frame: type(value) is int and 0 <= value < side(frame.viewport),
        lambda frame: f"a whole number from 0 to {side(frame.viewport) - 1}, within the frame",
    )


def _is_text(value: object, _: _Frame) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= MAX_TEXT_CHARACTERS


def _is_key(value: object, _: _Frame) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse_chord(value)
    except Failure:
        return False
    return True


def _is_url(value: object, _: _Frame) -> bool:
    return isinstance(value, str) and 1 <= len(value.encode()) <= MAX_URL_BYTES


_X = _below(lambda viewport: viewport.width)
_Y = _below(lambda viewport: viewport.height)
_TEXT = _Check(_is_text, lambda _: f"text of 1 to {MAX_TEXT_CHARACTERS} characters")
_KEY = _Check(
    _is_key,
    lambda _: (
        "a key's name or one character, after modifiers and + as in ctrl+shift+t;"
        " the names are in understudy-protocol(7)"
    ),
)
_URL = _Check(_is_url, lambda _: f"an address of at most {MAX_URL_BYTES} bytes")
_BUTTON = _one_of("left", "right", "middle")
_CLICK: Final[Mapping[str, _Check]] = {"x": _X, "y": _Y, "button": _BUTTON}
_CHECKS: Final[Mapping[str, tuple[type[Action], Mapping[str, _Check]]]] = {
    "click": (Click, _CLICK),
    "double_click": (Click, _CLICK),
    "triple_click": (Click, _CLICK),
    "move_mouse": (MoveMouse, {"x": _X, "y": _Y}),
    "drag": (Drag, {"start_x": _X, "start_y": _Y, "end_x": _X, "end_y": _Y}),
    "scroll": (
        Scroll,
        {
            "x": _X,
            "y": _Y,
            "direction": _one_of("up", "down", "left", "right"),
            "amount": _integer(1, MAX_NOTCHES),
        },
    ),
    "type": (TypeText, {"text": _TEXT}),
    "key": (PressKey, {"key": _KEY}),
    "hold_key": (HoldKey, {"key": _KEY, "ms": _integer(0, MAX_HOLD_MS)}),
    "wait": (Wait, {"ms": _integer(0, MAX_WAIT_MS)}),
    "screenshot": (Screenshot, {}),
    "navigate": (Navigate, {"url": _URL}),
}
_OPTIONAL: Final = frozenset({"button", "amount"})

ACTION_TYPES: Final = (*_CHECKS, *sorted(ELEMENT_TYPES))
"""Every type of action that a session accepts."""
_TYPES_HINT: Final = f"The types: {', '.join(ACTION_TYPES)}; see understudy-protocol(7)."


def parse_actions(
    actions_json: str, *, viewport: Viewport, origins: tuple[str, ...]
) -> tuple[Action, ...]:
    """Return the batch in ``actions_json``, each action valid for this viewport and fence.

    Raises Failure ``external-proof-`` and input-size, json, actions (not an array of 1
    to 16), action (bad or unknown field) or action-forbidden (kind or origin).
    """
    values = _parse_array(actions_json)
    frame = _Frame(viewport, origins)
    return tuple(_parse_action(index, value, frame) for index, value in enumerate(values))


def _parse_array(actions_json: str) -> list[object]:
    try:
        values = parse_json(actions_json, limit_bytes=MAX_ACTIONS_BYTES)
    except JsonTooLarge as error:
        raise proof_failure("input-size", error.message, "Send fewer actions at once.") from None
    except JsonRefused as error:
        raise proof_failure("json", f"actions_json: {error.message}", error.hint) from None
    if not isinstance(values, list) or not 1 <= len(values) <= MAX_BATCH:
        raise proof_failure(
            "actions",
            f"actions_json is not an array of 1 to {MAX_BATCH} actions",
            f'Write "[{{…}}, {{…}}]"; send {MAX_BATCH} actions at most, then the next ones.',
        )
    return values


def _parse_action(index: int, value: object, frame: _Frame) -> Action:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise _bad(index, "is not an object with a type", _TYPES_HINT)
    kind: str = value["type"]
    if kind in FORBIDDEN_TYPES:
        raise _forbidden(index, f"has the forbidden type {kind}", "Use click, drag, type or key.")
    if is_element_action(value):
        return _parse_on_element(index, value, frame)
    if kind not in _CHECKS:
        raise _bad(index, "has an unknown type", _TYPES_HINT)
    build, checks = _CHECKS[kind]
    _check_fields(index, kind, value, checks, frame)
    action = build(**value)
    if isinstance(action, Navigate):
        _check_destination(index, action, frame.origins)
    return action


def _parse_on_element(index: int, value: Mapping[str, object], frame: _Frame) -> Action:
    kind = str(value["type"])
    try:
        command = parse_element_action(value, frame.viewport)
    except Failure as failure:
        raise _bad(index, f"({kind}): {failure.message}", failure.hint) from None
    filled = with_defaults(value)
    shown = {name: filled[name] for name in filled if name not in PRIVATE_FIELDS}
    return OnElement(kind, command, shown)


def _check_fields(
    index: int,
    kind: str,
    value: Mapping[str, object],
    checks: Mapping[str, _Check],
    frame: _Frame,
) -> None:
    known = f"The fields of {kind}: {', '.join(map(_field_name, checks)) or 'none'}."
    if value.keys() - checks.keys() - {"type"}:
        raise _bad(index, f"({kind}) has a field that this type does not have", known)
    for name, check in checks.items():
        if name not in value and name not in _OPTIONAL:
            raise _bad(index, f"({kind}) lacks the field {name}", known)
        if name in value and not check.accepts(value[name], frame):
            raise _bad(index, f"({kind}) has a bad {name}", f"It takes {check.tell(frame)}.")


def _field_name(name: str) -> str:
    return f"{name} (optional)" if name in _OPTIONAL else name


def _check_destination(index: int, action: Navigate, origins: tuple[str, ...]) -> None:
    try:
        verify_allowed(origins, action.url)
        verify_plain(action.url)
    except Failure as failure:
        if failure.code == "origin":
            raise _forbidden(index, f"(navigate): {failure.message}", failure.hint) from None
        hint = "Write the whole address, as in https://a.example/, without blanks."
        raise _bad(index, "(navigate) has a url that is no absolute address", hint) from None


def _bad(index: int, condition: str, hint: str) -> Failure:
    return proof_failure("action", f"Action {index} {condition}", hint)


def _forbidden(index: int, condition: str, hint: str) -> Failure:
    return proof_failure("action-forbidden", f"Action {index} {condition}", hint)
