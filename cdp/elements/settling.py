"""The moment after an act: what it set off at once is a part of its answer.

A handler may put what it does off by one turn of the event loop: a dialog opened from
``setTimeout(…, 0)`` comes after the input was taken. Timers that are due run in order, so
when ours has run, theirs have, and what they opened was told of before our answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from cdp.frame import WORLD_ENDED

if TYPE_CHECKING:
    from cdp.target import PageTarget

SETTLE_S = 1.0
"""How long a page that has no turn to give is waited for."""

# twice: what a timer that was due sets off by a timer of its own is waited for as well
_TURNS = "() => new Promise((done) => setTimeout(() => setTimeout(done)))"


async def settle(target: PageTarget) -> None:
    """Let the timers run that were due in the page after an act.

    DialogHeld when a dialog has opened, or what else keeps the page from answering. A
    document that goes away meanwhile has nothing left to run.
    """
    world = target.world
    if world.context is None:
        target.interrupts.verify_answering()
        return
    with trio.move_on_after(SETTLE_S):
        try:
            await world.run(_TURNS, wait=True)
        except WORLD_ENDED:
            target.interrupts.verify_answering()
