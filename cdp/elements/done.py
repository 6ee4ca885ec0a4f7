"""What became of an act."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.hit import Hit


class Status(StrEnum):
    """How an act ended."""

    ok = "ok"  # its effect was seen
    injected = "injected"  # it was sent, and nothing can prove the effect
    failed = "failed"


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Done:
    """The end of an act that was sent.

    ``code`` names the condition of a failure ("mismatch", "landed_elsewhere", …), else "".
    ``detail`` is our words: no page text, nothing typed. ``seen`` is page text and values,
    by name (``wanted`` and ``actual`` of a mismatch are lengths for secret fields).
    ``settled``: what it set off at once has run, and `settle` need not wait for it.
    """

    status: Status
    code: str = ""
    detail: str = ""
    seen: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known of an act before it: the target as it is now, page text throughout.

    ``x`` and ``y`` are where a pointer act will be, in the page's CSS pixels.
    """

    under: Hit
    x: float | None = None
    y: float | None = None
