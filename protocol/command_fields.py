"""From a command on the wire to a `protocol.commands.Command`, strictly.

Failures have the code ``invalid_request`` (``origin`` for an address of a scheme that is
never gone to is the session's to judge), and name type and field, never a value.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocol.admission import parse_command_id
from protocol.combinations import STATES, invalid_command, verify_together
from protocol.commands import (
    Click,
    Command,
    Drag,
    Expectation,
    File,
    Fill,
    Hold,
    Look,
    Navigate,
    OnTarget,
    Press,
    Read,
    Screenshot,
    Scroll,
    Select,
    Step,
    TakeSnapshot,
    Travel,
    TypeText,
    Upload,
    Wait,
    WaitFor,
    What,
)
from protocol.errors import Failure
from protocol.keys import parse_chord
from protocol.origins import verify_no_blanks, verify_no_credentials
from protocol.targets import parse_target

MAX_BATCH: Final = 256
MAX_TEXT_BYTES: Final = 65_536
MAX_URL_BYTES: Final = 8192
MAX_HOLD_MS: Final = 10_000
MAX_WAIT_MS: Final = 600_000
MAX_OPTIONS: Final = 100
MAX_FILES: Final = 16
MAX_FILES_BYTES: Final = 32 * 1024 * 1024
MAX_SCROLL: Final = 100_000
MAX_NODES: Final = 20_000
_Parse = Callable[[object], object]


class _BadField(Exception):
    """The value is not of the field's kind; says what it is to be."""


def parse_command(value: object) -> Command:
    """Return the command that a value on the wire spells. Raises Failure ``invalid_request``."""
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        raise invalid_command("A command is an object with a type")
    form = _FORMS.get(value["type"])
    if form is None:
        raise invalid_command(f"There is no command of this type; known: {', '.join(_FORMS)}")
    command = form.build(type=value["type"], **_parse_fields(form, value))
    verify_together(command)
    return command


def parse_batch(values: object) -> tuple[Step, ...]:
    """Return the commands of a batch, each with its own ``id`` if it has one.

    Raises Failure ``invalid_request``, naming the command by its place from 0.
    """
    if not isinstance(values, list) or not 1 <= len(values) <= MAX_BATCH:
        raise invalid_command(f"A batch is a list of 1 to {MAX_BATCH} commands")
    steps = tuple(_parse_step(place, value) for place, value in enumerate(values))
    _verify_names([step.name for step in steps])
    return steps


def _verify_names(names: list[str | None]) -> None:
    for place, name in enumerate(names):
        if name is not None and name in names[:place]:
            first = names.index(name)
            raise invalid_command(f"Commands {first} and {place} of the batch have the same id")


def _parse_step(place: int, value: object) -> Step:
    try:
        if not isinstance(value, Mapping) or "id" not in value:
            return Step(parse_command(value))
        rest = {name: member for name, member in value.items() if name != "id"}
        return Step(parse_command(rest), parse_command_id(value["id"]))
    except Failure as failure:
        message = f"Command {place} of the batch: {failure.message}"
        raise Failure(failure.code, message, failure.hint) from None


@dataclass(frozen=True)
class _Form:
    """How one type is built. Fields in ``needed`` must be there, those in ``further`` may."""

    build: Callable[..., Command]
    needed: Mapping[str, _Parse]
    further: Mapping[str, _Parse]


def _parse_fields(form: _Form, value: Mapping[str, object]) -> dict[str, Any]:
    kind, known = value["type"], {**form.needed, **form.further}
    if value.keys() - known.keys() - {"type"}:
        raise invalid_command(f"A {kind} has no such field; it has {', '.join(known) or 'none'}")
    missing = form.needed.keys() - value.keys()
    if missing:
        raise invalid_command(f"A {kind} needs the field {min(missing)}")
    return {
        _NAMES.get(n, n): _parse_field(kind, n, known[n], v) for n, v in value.items() if n in known
    }


def _parse_field(kind: object, name: str, parse: _Parse, value: object) -> object:
    try:
        return parse(value)
    except _BadField as error:
        raise invalid_command(f"The field {name} of a {kind} is to be {error}") from None
    except Failure as failure:
        message = f"The field {name} of a {kind}: {failure.message}"
        raise Failure("invalid_request", message, failure.hint) from None


# --- kinds of fields --------------------------------------------------------------


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _BadField("true or false")
    return value


def _whole(low: int, high: int) -> _Parse:
    def parse(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise _BadField(f"a whole number from {low} to {high}")
        return value

    return parse


def _one_of(*words: str) -> _Parse:
    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise _BadField(f"one of {', '.join(words)}")
        return value

    return parse


def _text(most_bytes: int, *, least: int = 1) -> _Parse:
    def parse(value: object) -> str:
        if not isinstance(value, str) or not least <= _utf8_length(value) <= most_bytes:
            raise _BadField(f"a text of {least} to {most_bytes} bytes")
        return value

    return parse


def _address(value: object) -> str:
    url = str(_text(MAX_URL_BYTES)(value))
    verify_no_credentials(url)
    verify_no_blanks(url)
    return url


def _utf8_length(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise _BadField("a text without lone surrogates") from None


def _texts(value: object) -> tuple[str, ...]:
    if (
        isinstance(value, list)
        and len(value) <= MAX_OPTIONS
        and all(isinstance(each, str) and _utf8_length(each) <= MAX_TEXT_BYTES for each in value)
    ):
        return tuple(value)
    raise _BadField(f"a list of up to {MAX_OPTIONS} texts")


def _keys(value: object) -> str:
    if not isinstance(value, str):
        raise _BadField("a text such as ctrl+shift+t")
    parse_chord(value)
    return value


def _modifiers(value: object) -> tuple[str, ...]:
    names = _texts(value)
    return parse_chord("+".join([*names, "a"])).modifiers


def _distance(value: object) -> tuple[int, int]:
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(type(each) is int and abs(each) <= MAX_SCROLL for each in value)
    ):
        return (value[0], value[1])
    raise _BadField(f"two whole numbers, each up to {MAX_SCROLL} either way")


def _files(value: object) -> tuple[File, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_FILES:
        raise _BadField(f"a list of 1 to {MAX_FILES} files")
    files = tuple(_file(each) for each in value)
    if sum(len(each.content) for each in files) > MAX_FILES_BYTES:
        raise _BadField(f"files of {MAX_FILES_BYTES} bytes at most, all together")
    return files


def _file(value: object) -> File:
    members = value if isinstance(value, Mapping) else {}
    path, content = members.get("path"), members.get("content")
    if members.keys() != {"path", "content"} or not isinstance(content, str):
        raise _BadField('files as {"path":…,"content":…}, the content in base64')
    if not isinstance(path, str) or not path.startswith("/") or path.endswith("/"):
        raise _BadField("files with absolute paths")
    try:
        return File(path, base64.b64decode(content, validate=True))
    except binascii.Error:
        raise _BadField("files whose content is base64") from None


def _what(value: object) -> What:
    return What(str(_one_of(*What)(value)))


def _wait_for(value: object) -> WaitFor:
    return WaitFor(str(_one_of(*WaitFor)(value)))


def _expectation(value: object) -> Expectation:
    """``{"url":…}``, ``{"text":…}``, ``{"gone":…}``, or ``{"state":…,"target"?:…}``."""
    members = dict(value) if isinstance(value, Mapping) else {}
    target = members.pop("target", None)
    if len(members) != 1:
        raise _BadField("an object with one of url, text, gone, state")
    [(name, wanted)] = members.items()
    kind = _EXPECTATIONS.get(str(name))
    if kind is None or (target is not None and kind is not WaitFor.STATE):
        raise _BadField("an object with one of url, text, gone, state; a target with a state only")
    text = _one_of(*STATES)(wanted) if kind is WaitFor.STATE else _text(MAX_URL_BYTES)(wanted)
    return Expectation(kind, str(text), None if target is None else parse_target(target))


_EXPECTATIONS: Final = {
    "url": WaitFor.URL,
    "text": WaitFor.TEXT,
    "gone": WaitFor.TEXT_GONE,
    "state": WaitFor.STATE,
}

# --- the forms ------------------------------------------------------------------------

_NAMES: Final = {"for": "wanted"}
"""Fields whose name on the wire is a word of the language."""

_TARGET: Final = {"target": parse_target}
_EXPECT: Final = {"expect": _expectation}
_LONG_TEXT: Final = _text(MAX_TEXT_BYTES, least=0)
_ON_TARGET: Final = _Form(OnTarget, _TARGET, _EXPECT)
_TRAVEL: Final = _Form(Travel, {}, _EXPECT)

_FORMS: Final[Mapping[str, _Form]] = {
    "click": _Form(
        Click,
        _TARGET,
        {
            "button": _one_of("left", "right", "middle"),
            "count": _whole(1, 3),
            "modifiers": _modifiers,
            **_EXPECT,
        },
    ),
    "hover": _ON_TARGET,
    "focus": _ON_TARGET,
    "clear": _ON_TARGET,
    "check": _ON_TARGET,
    "uncheck": _ON_TARGET,
    "type": _Form(TypeText, {"text": _text(MAX_TEXT_BYTES)}, {**_TARGET, **_EXPECT}),
    "fill": _Form(Fill, {**_TARGET, "text": _LONG_TEXT}, _EXPECT),
    "select": _Form(Select, _TARGET, {"labels": _texts, "values": _texts, **_EXPECT}),
    "key": _Form(Press, {"keys": _keys}, _EXPECT),
    "hold_key": _Form(Hold, {"keys": _keys, "ms": _whole(0, MAX_HOLD_MS)}, _EXPECT),
    "scroll": _Form(
        Scroll, {}, {**_TARGET, "by": _distance, "to": _one_of("top", "bottom"), **_EXPECT}
    ),
    "drag": _Form(Drag, {**_TARGET, "to": parse_target}, _EXPECT),
    "upload": _Form(Upload, {**_TARGET, "files": _files}, _EXPECT),
    "navigate": _Form(Navigate, {"url": _address}, _EXPECT),
    "back": _TRAVEL,
    "forward": _TRAVEL,
    "reload": _TRAVEL,
    "snapshot": _Form(
        TakeSnapshot,
        {},
        {
            "interactive": _flag,
            "depth": _whole(1, 1000),
            "limit": _whole(1, MAX_NODES),
            "within": parse_target,
            "diff": _flag,
        },
    ),
    "wait": _Form(
        Wait,
        {"for": _wait_for},
        {
            "value": _text(MAX_URL_BYTES),
            **_TARGET,
            "ms": _whole(0, MAX_WAIT_MS),
            "timeout_ms": _whole(1, MAX_WAIT_MS),
        },
    ),
    "read": _Form(Look, {"what": _what}, {**_TARGET, "name": _text(1024)}),
    "screenshot": _Form(Screenshot, {}, {"full": _flag, **_TARGET}),
}

TYPES: Final = tuple(_FORMS)
"""The types of all commands."""

READS: Final = frozenset(
    name
    for name, form in _FORMS.items()
    if isinstance(form.build, type) and issubclass(form.build, Read)
)
"""The types that only read."""
