"""The mouse: moves, clicks, drags and wheel turns, with trusted events.

A click's messages are written in order and their replies awaited together, so it
does not wait for a frame (chromium.md §13). A drag waits for each step instead: a
drag and drop of the page begins between two moves, and moves that come too early
are lost. Nothing stays pressed on any exit: what is down is let go, shielded, where
the pointer is; a drag that is interrupted therefore ends there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from cdp.guarded import bounded
from cdp.hit import Hit, ask, parse_answer
from cdp.page_errors import PageSealed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.connection import Call
    from cdp.target import PageTarget

NOTCH_PX = 120
"""How far one wheel notch turns, in CSS pixels: Chromium's own wheel delta."""

DRAG_STEPS = 10
"""Moves of a drag between press and release; the last one is at its end."""

INPUT_TIMEOUT_S = 15.0
_RELEASE_TIMEOUT_S = 2.0
_METHOD = "Input.dispatchMouseEvent"

_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the viewport in CSS pixels from its top left corner."""

    x: float
    y: float


class Pointer:
    """The mouse of one page. Each action tells what was under the point where it began."""

    def __init__(self, target: PageTarget) -> None:
        self._target = target

    async def move(self, point: Point, *, timeout_s: float = INPUT_TIMEOUT_S) -> Hit:
        """Move to a point; returns when the page has seen it."""
        return await self._send_with_question(point, [move_call(point)], 0, timeout_s)

    async def click(
        self,
        point: Point,
        *,
        button: str = "left",
        count: int = 1,
        timeout_s: float = INPUT_TIMEOUT_S,
    ) -> Hit:
        """Move there and click ``count`` times: 2 is a double click, 3 a triple one."""
        calls = click_calls(point, button, count)
        return await self._send_with_question(point, calls, count, timeout_s)

    async def drag(self, start: Point, end: Point, *, timeout_s: float = INPUT_TIMEOUT_S) -> Hit:
        """Press the left button at ``start``, move to ``end`` in steps, and let go."""
        where = start
        try:
            with bounded(_METHOD, timeout_s):
                calls = [move_call(start), _press(start, "left", 1)]
                hit = await self._send_with_question(start, calls, 1, timeout_s)
                for where in _between(start, end):
                    await self._send(move_call(where, "left"))
                await self._send(_release(end, "left", 1))
        except PageSealed:
            raise  # nothing was pressed
        except BaseException:
            await self._let_go(where)
            raise
        return hit

    async def scroll(
        self,
        point: Point,
        direction: str,
        notches: int,
        *,
        timeout_s: float = INPUT_TIMEOUT_S,
    ) -> Hit:
        """Turn the wheel at a point: up, down, left or right, notch by notch.

        Each notch is waited for, or Chromium would join some into one event.
        """
        with bounded(_METHOD, timeout_s):
            hit = await self._send_with_question(point, [move_call(point)], 0, timeout_s)
            for _ in range(notches):
                await self._send(_wheel(point, direction))
        return hit

    async def _send(self, *calls: Call) -> None:
        await self._target.send_input(calls, timeout_s=INPUT_TIMEOUT_S)

    async def _send_with_question(
        self, point: Point, calls: list[Call], presses: int, timeout_s: float
    ) -> Hit:
        self._target.verify_open()
        question = await ask(self._target, point, presses)
        answer = await self._target.send_input(calls, timeout_s=timeout_s, along=question)
        return await parse_answer(self._target, answer)

    async def _let_go(self, point: Point) -> None:
        session = self._target.session
        with trio.CancelScope(shield=True):
            await session.pipeline_outcomes(
                [_release(point, "left", 1)], timeout_s=_RELEASE_TIMEOUT_S
            )


def click_calls(point: Point, button: str, count: int, mask: int = 0) -> list[Call]:
    """Return a move and ``count`` presses and releases, counted up as a person's clicks are.

    ``mask`` is the modifiers that are down meanwhile; see `cdp.keymap.Chord.mask`.
    """
    calls = [move_call(point)]
    for number in range(1, count + 1):
        calls += [_press(point, button, number), _release(point, button, number)]
    return [(method, {**parameters, "modifiers": mask}) for method, parameters in calls]


def _between(start: Point, end: Point) -> Iterator[Point]:
    for step in range(1, DRAG_STEPS + 1):
        part = step / DRAG_STEPS
        yield Point(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)


def move_call(point: Point, pressed: str = "none") -> Call:
    """Return a move, with a button pressed or none."""
    return _mouse("mouseMoved", point, button=pressed, buttons=_BUTTON_BITS.get(pressed, 0))


def _press(point: Point, button: str, number: int) -> Call:
    bits = _BUTTON_BITS[button]
    return _mouse("mousePressed", point, button=button, buttons=bits, clickCount=number)


def _release(point: Point, button: str, number: int) -> Call:
    return _mouse("mouseReleased", point, button=button, buttons=0, clickCount=number)


def turn_call(point: Point, across: float, down: float) -> Call:
    """Return a turn of the wheel by a distance in CSS pixels."""
    return _mouse("mouseWheel", point, deltaX=across, deltaY=down)


def _wheel(point: Point, direction: str) -> Call:
    across, down = _DIRECTIONS[direction]
    return turn_call(point, across * NOTCH_PX, down * NOTCH_PX)


def _mouse(kind: str, point: Point, **more: object) -> Call:
    return _METHOD, {"type": kind, "x": point.x, "y": point.y, **more}
