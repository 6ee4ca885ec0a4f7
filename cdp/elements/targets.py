"""Which element is meant: a number of a snapshot, a locator, or a point."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from cdp.pointer import Point

if TYPE_CHECKING:
    from cdp.frame import World


class By(StrEnum):
    """What a locator goes by. All comparisons are exact, white space tidied."""

    role = "role"  # with the accessible name, if one is given
    label = "label"  # a field's accessible name
    text = "text"  # all the text of the innermost element that has it
    test_id = "test_id"  # data-testid
    css = "css"


@dataclass(frozen=True, slots=True)
class Numbered:
    """The element that a walk numbered: ``world``, ``generation`` and ``number`` are the walk's.

    ``role`` and ``name`` are what the snapshot said; ``renamed`` accepts another name.
    """

    world: World
    generation: str
    number: int
    role: str
    name: str
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class Locator:
    """The one element of the page, frames and shadow trees included, that fits.

    ``name`` goes with a role only; None is any name.
    """

    by: By
    value: str
    name: str | None = None


Target = Numbered | Locator | Point
"""A point is in CSS pixels of the page's viewport."""
