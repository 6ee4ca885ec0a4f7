"""What a person would see under a point, for the record: role, name, origin and tag.

All of it is page text: a page decides what it says, and nothing is decided by it. It
is asked for in the same breath as a click, without a wait in between. A script may be
overtaken by input, so a listener in our world keeps what was under the press before
any handler of the page ran; the script answers with that if it came second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdp.errors import CdpError
from cdp.frame import WORLD_ENDED, parse_run

if TYPE_CHECKING:
    from cdp.connection import Call, Outcome
    from cdp.frame import World
    from cdp.pointer import Point
    from cdp.target import PageTarget

NAME_LIMIT = 1024
"""Bytes of a name in UTF-8; what is longer is cut."""

_FRAME_DEPTH = 8
_TEST = "(x, y, presses) => understudyHit.test(x, y, presses)"
_FRAME = "() => understudyHit.frame"


@dataclass(frozen=True, slots=True)
class Hit:
    """What was under a point; "" where unknown. ``origin`` is that of its frame's document."""

    tag: str = ""
    role: str = ""
    name: str = ""
    origin: str = ""


async def ask(target: PageTarget, point: Point, presses: int) -> Call | None:
    """Return the question what is under a point, to be sent along with that many presses.

    None when no script can run in the page now.
    """
    try:
        return await target.world.run_call(_TEST, point.x, point.y, presses)
    except WORLD_ENDED:
        target.forget_worlds()
        return None


async def parse_answer(target: PageTarget, outcome: Outcome | None) -> Hit:
    """Return the answer to `ask`, asked on in the frame of another process if it is there."""
    try:
        return await _follow(target, target.world, outcome)
    except WORLD_ENDED:
        target.forget_worlds()
        return Hit()


async def find_hit(target: PageTarget, point: Point) -> Hit:
    """Return what is under a point now."""
    question = await ask(target, point, 0)
    if question is None:
        return Hit()
    (outcome,) = await target.guarded.pipeline_outcomes([question])
    return await parse_answer(target, outcome)


async def _follow(target: PageTarget, world: World, outcome: Outcome | None) -> Hit:
    found = _value(outcome)
    for _ in range(_FRAME_DEPTH):
        if not found.get("elsewhere"):
            break
        inner = await target.frame_of(world, _FRAME)
        if inner is None:
            break
        world = inner
        found = await world.run(_TEST, found["x"], found["y"], 0)
    return parse_hit(found)


def _value(outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    if isinstance(outcome, CdpError):
        raise outcome
    found: dict[str, Any] = parse_run(outcome)
    return found


def parse_hit(found: dict[str, Any]) -> Hit:
    """Return the hit that a script found, its texts cut to NAME_LIMIT bytes."""
    return Hit(*(cut(str(found.get(part, ""))) for part in ("tag", "role", "name", "origin")))


def cut(text: str) -> str:
    """Cut a text to NAME_LIMIT bytes of UTF-8, between code points."""
    return text.encode()[:NAME_LIMIT].decode(errors="ignore")
