"""Which element a command means: a ref of a snapshot, a point, or a locator.

On the wire a target is an object with one of these forms, and no other member::

    {"ref": "k7e14"}                         {"ref": "k7e14", "renamed": true}
    {"point": [10, 20]}                      CSS pixels of the viewport
    {"role": "button", "name": "Save"}       ``name`` may be left out
    {"label": "E-mail"}   {"text": "Sign in"}   {"test_id": "save"}   {"css": "#save"}

Failures name the form, never a value: a name may be what a person typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.errors import Failure
from protocol.snapshots import Ref, parse_ref

MAX_LOCATOR_CHARACTERS: Final = 4096
MAX_COORDINATE: Final = 1_000_000


class By(StrEnum):
    """What a locator goes by."""

    ROLE = "role"
    LABEL = "label"
    TEXT = "text"
    TEST_ID = "test_id"
    CSS = "css"


@dataclass(frozen=True, slots=True)
class RefTarget:
    """The element that a ref names; ``renamed`` accepts another name than the snapshot's."""

    ref: Ref
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class PointTarget:
    """Whatever is at a point of the viewport, CSS pixels."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class LocatorTarget:
    """The one element that fits. ``name`` goes with a role only; None is any name."""

    by: By
    value: str
    name: str | None = None


Target = RefTarget | PointTarget | LocatorTarget


def parse_target(value: object) -> Target:
    """Return the target that a value on the wire spells. Raises Failure ``invalid_request``."""
    if not isinstance(value, Mapping):
        raise _refused("is not an object")
    if "ref" in value:
        return _parse_ref(value)
    if "point" in value:
        return _parse_point(value)
    return parse_locator(value)


def parse_locator(value: object) -> LocatorTarget:
    """Return the locator that a value spells. Raises Failure ``invalid_request``."""
    forms = [by for by in By if isinstance(value, Mapping) and by.value in value]
    if not isinstance(value, Mapping) or len(forms) != 1:
        raise _refused("is to have exactly one of ref, point, role, label, text, test_id, css")
    by = forms[0]
    _verify_members(value, {by.value, "name"} if by is By.ROLE else {by.value})
    name = value.get("name")
    return LocatorTarget(by, _text(value[by.value]), None if name is None else _text(name))


def _parse_ref(value: Mapping[str, object]) -> RefTarget:
    _verify_members(value, {"ref", "renamed"})
    ref, renamed = value["ref"], value.get("renamed", False)
    if not isinstance(ref, str) or not isinstance(renamed, bool):
        raise _refused("has a ref that is no text, or a renamed that is not true or false")
    return RefTarget(parse_ref(ref), renamed)


def _parse_point(value: Mapping[str, object]) -> PointTarget:
    _verify_members(value, {"point"})
    point = value["point"]
    if not isinstance(point, list) or len(point) != 2 or not all(map(_is_coordinate, point)):
        raise _refused("has a point that is not two whole numbers from 0 on")
    return PointTarget(*point)


def _is_coordinate(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_COORDINATE


def _text(value: object) -> str:
    if isinstance(value, str) and 1 <= len(value) <= MAX_LOCATOR_CHARACTERS and _is_unicode(value):
        return value
    raise _refused(f"has a text that is not 1 to {MAX_LOCATOR_CHARACTERS} characters")


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _verify_members(value: Mapping[str, object], allowed: set[str]) -> None:
    if value.keys() - allowed:
        raise _refused("has a member that its form does not have")


def _refused(condition: str) -> Failure:
    return Failure(
        "invalid_request",
        f"A target {condition}",
        'Write it as in {"ref":"k7e14"}, {"point":[10,20]} or {"role":"button","name":"Save"}.',
    )
