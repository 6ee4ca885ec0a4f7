"""Runs one validated action on a tab, and takes the frame after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import trio

from daemon.everyday.performer import DialogMet, PageFailed
from daemon.tab import Outcome, TabGone
from protocol.actions import (
    Action,
    Click,
    Drag,
    HoldKey,
    MoveMouse,
    Navigate,
    OnElement,
    PressKey,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
)
from protocol.command_failures import CommandFailed
from protocol.receipts import ActionStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from daemon.tab import Picture, Tab

BATCH_S: Final = 25.0
NAVIGATE_S: Final = 15.0


@dataclass(frozen=True)
class Performed:
    """One action that was run: how it ended, and the frame after it.

    A failed action has no frame.
    """

    action: Action
    outcome: Outcome
    picture: Picture | None


async def perform_framed(action: Action, tab: Tab) -> Performed:
    """Run one action with all that is recorded of it. Raises what `Tab` raises."""
    outcome = await perform(action, tab)
    failed = outcome.status is ActionStatus.FAILED
    return Performed(action, outcome, None if failed else await tab.capture())


async def perform(action: Action, tab: Tab) -> Outcome:
    """Run one action. Raises what `Tab` raises."""
    return await _DOORS[type(action)](action, tab)


async def _wait(action: Wait, _: Tab) -> Outcome:
    await trio.sleep(action.ms / 1000)
    return Outcome(ActionStatus.OK)


async def _look(_action: Screenshot, _: Tab) -> Outcome:
    # the frame that follows every action is the screenshot
    await trio.lowlevel.checkpoint()
    return Outcome(ActionStatus.OK)


async def _on_element(action: OnElement, tab: Tab) -> Outcome:
    """Do an everyday command; what it says of the page's values stays out of every record."""
    performer = tab.performer(_no_snapshots)
    act, before = performer.act(action.command), performer.sent_count
    under = None
    try:
        under = await act.prepare()
        done = await act.perform()
    except CommandFailed as failure:
        return Outcome(ActionStatus.FAILED, failure.message, under)
    except DialogMet:
        if performer.sent_count != before:
            return Outcome(ActionStatus.INJECTED, "it opened a dialog", under)
        return Outcome(ActionStatus.FAILED, "a dialog is open")
    except PageFailed as failed:
        if performer.sent_count != before:
            raise TabGone(str(failed)) from failed
        return Outcome(ActionStatus.FAILED, str(failed), under)
    return Outcome(ActionStatus(done.status.value), done.detail, under)


async def _no_snapshots() -> int:
    raise AssertionError("no snapshot is taken in an evidence session")


_DOORS: Final[Mapping[type[Action], Callable[[Any, Tab], Awaitable[Outcome]]]] = {
    Click: lambda a, tab: tab.click(a.x, a.y, button=a.button, count=a.count),
    MoveMouse: lambda a, tab: tab.move(a.x, a.y),
    Drag: lambda a, tab: tab.drag((a.start_x, a.start_y), (a.end_x, a.end_y)),
    Scroll: lambda a, tab: tab.scroll(a.x, a.y, direction=a.direction, amount=a.amount),
    TypeText: lambda a, tab: tab.type_text(a.text),
    PressKey: lambda a, tab: tab.press(a.chord.modifiers, a.chord.base),
    HoldKey: lambda a, tab: tab.hold(a.chord.modifiers, a.chord.base, a.ms),
    Navigate: lambda a, tab: tab.navigate(a.url, timeout_s=NAVIGATE_S),
    OnElement: _on_element,
    Wait: _wait,
    Screenshot: _look,
}


def batch_seconds(actions: Sequence[Action]) -> float:
    """Return a batch's deadline in seconds from its start: 25, its waits and its holds."""
    asked_ms = sum(action.ms for action in actions if isinstance(action, Wait | HoldKey))
    return BATCH_S + asked_ms / 1000
