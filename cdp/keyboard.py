"""The keyboard: modifiers down in order, base down and up, modifiers up in reverse.

What went down is let go on every exit, an abort or an error included. Keys reach the
page and its editing only: a shortcut of the browser itself (ctrl+t, f5) does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from cdp.guarded import bounded
from cdp.keymap import Chord, Key, key_event
from cdp.page_errors import PageSealed

if TYPE_CHECKING:
    from cdp.connection import Call
    from cdp.target import PageTarget

REPEAT_DELAY_S = 0.5
"""How long a key is held before it repeats: the usual desktop setting."""

REPEAT_INTERVAL_S = 1 / 30
"""The time between repeats of a held key."""

PRESS_TIMEOUT_S = 15.0
_RELEASE_TIMEOUT_S = 2.0
_METHOD = "Input.dispatchKeyEvent"


class Keyboard:
    """The keyboard of one page."""

    def __init__(self, target: PageTarget) -> None:
        self._target = target

    async def press(self, chord: Chord, *, timeout_s: float = PRESS_TIMEOUT_S) -> None:
        """Press and release a chord. All of it is written at once, so nothing stays down."""
        calls = [*down_calls(chord), *up_calls(chord)]
        await self._target.send_input(calls, timeout_s=timeout_s)

    async def hold(
        self, chord: Chord, hold_s: float, *, timeout_s: float = PRESS_TIMEOUT_S
    ) -> None:
        """Hold a chord down; a base key that is no modifier repeats as a person's does.

        The first repeat comes after REPEAT_DELAY_S, further ones each REPEAT_INTERVAL_S;
        a page that handles them more slowly gets fewer. ``timeout_s`` comes on top of
        the hold itself.
        """
        try:
            with bounded(_METHOD, hold_s + timeout_s):
                until = trio.current_time() + hold_s
                await self._send(down_calls(chord))
                await self._repeat(chord, until)
                await self._send(up_calls(chord))
        except PageSealed:
            raise  # nothing was pressed
        except BaseException:
            await self._let_go(chord)
            raise

    async def _repeat(self, chord: Chord, until: float) -> None:
        again = trio.current_time() + REPEAT_DELAY_S
        while not chord.base.modifier and again < until:
            await trio.sleep_until(again)
            await self._send([_call("down", chord.base, chord.mask, repeat=True)])
            again = max(again + REPEAT_INTERVAL_S, trio.current_time())
        await trio.sleep_until(until)

    async def _send(self, calls: list[Call]) -> None:
        await self._target.send_input(calls, timeout_s=PRESS_TIMEOUT_S)

    async def _let_go(self, chord: Chord) -> None:
        with trio.CancelScope(shield=True):
            await self._target.session.pipeline_outcomes(
                up_calls(chord), timeout_s=_RELEASE_TIMEOUT_S
            )


def down_calls(chord: Chord) -> list[Call]:
    """Return the calls that press a chord's keys, each with the modifiers that are down with it."""
    calls, mask = [], 0
    for key in (*chord.modifiers, chord.base):
        mask |= key.modifier
        calls.append(_call("down", key, mask))
    return calls


def up_calls(chord: Chord) -> list[Call]:
    """Return the calls that let go of a chord's keys, the base first, modifiers in reverse."""
    keys = [*chord.modifiers, chord.base]
    calls = []
    while keys:
        key = keys.pop()
        mask = 0
        for held in keys:
            mask |= held.modifier
        calls.append(_call("up", key, mask))
    return calls


def _call(event: str, key: Key, mask: int, *, repeat: bool = False) -> Call:
    return _METHOD, key_event(event, key, mask, repeat=repeat)
