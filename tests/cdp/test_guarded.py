"""Waits that a page's loss or a held dialog ends, over a scripted peer."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from cdp.connection import open_connection
from cdp.errors import CallTimedOut, CdpError, ConnectionClosed, SessionDetached, TargetCrashed
from cdp.guarded import Interrupts, bounded
from cdp.page_errors import DialogHeld, PageSealed
from cdp.target import PageTarget, open_target
from tests.fakes.attendants import holding
from tests.fakes.cdp_peer import CdpPeer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TREE = {"frameTree": {"frame": {"id": "T", "loaderId": "L", "url": "about:blank"}}}
SETUP = {
    "Emulation.setFocusEmulationEnabled": {},
    "Page.enable": {},
    "Inspector.enable": {},
    "Page.setLifecycleEventsEnabled": {},
    "Page.getFrameTree": TREE,
}
NEVER = "Runtime.evaluate"


@asynccontextmanager
async def page() -> AsyncIterator[tuple[CdpPeer, PageTarget]]:
    peer = CdpPeer(always={**SETUP, "Input.dispatchKeyEvent": {}})
    async with (
        open_connection(peer) as browser,
        open_target(browser, browser.session("S"), "T", attendant=holding()) as target,
    ):
        yield peer, target


async def test_set_up_is_one_round_trip_with_focus_first() -> None:
    async with page() as (peer, target):
        assert [sent.method for sent in peer.sent] == list(SETUP)
        assert {sent.session_id for sent in peer.sent} == {"S"}
        assert target.main.document.loader_id == "L"


@pytest.mark.parametrize(
    ("event", "params", "session", "error"),
    [
        ("Inspector.targetCrashed", {}, "S", TargetCrashed),
        ("Target.detachedFromTarget", {"sessionId": "S"}, "", SessionDetached),
        ("Page.javascriptDialogOpening", {"type": "alert"}, "S", DialogHeld),
    ],
)
async def test_what_stops_a_page_ends_all_waits_on_it(
    event: str, params: dict[str, object], session: str, error: type[CdpError]
) -> None:
    async with page() as (peer, target):
        ended: list[CdpError] = []

        async def wait() -> None:
            try:
                with target.interrupts.guard():
                    await trio.sleep_forever()
            except CdpError as caught:
                ended.append(caught)

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            peer.emit(event, params, session)
        assert [type(one) for one in ended] == [error] * 3
        with pytest.raises(error):
            await target.guarded.call("Page.enable")


async def test_the_end_of_the_connection_ends_waits_too() -> None:
    async with page() as (peer, target):
        peer.close("gone")
        ends = pytest.raises(ConnectionClosed, match="gone")
        with trio.fail_after(2), ends, target.interrupts.guard():
            await trio.sleep_forever()


async def test_a_closed_dialog_lets_calls_through_again() -> None:
    async with page() as (peer, target):
        peer.emit("Page.javascriptDialogOpening", {"type": "alert"}, "S")
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(DialogHeld):
            await target.guarded.call("Page.enable")
        peer.emit("Page.javascriptDialogClosed", {}, "S")
        await trio.testing.wait_all_tasks_blocked()
        await target.guarded.call("Page.enable")


async def test_events_of_other_targets_change_nothing() -> None:
    async with page() as (peer, target):
        peer.emit("Inspector.targetCrashed", {}, "OTHER")
        peer.emit("Target.detachedFromTarget", {"sessionId": "OTHER"})
        peer.emit(
            "Page.frameNavigated", {"frame": {"id": "INNER", "loaderId": "X", "url": "x"}}, "S"
        )
        await trio.testing.wait_all_tasks_blocked()
        await target.guarded.call("Page.enable")
        assert target.main.document.loader_id == "L"


async def test_a_cancel_from_outside_stays_one() -> None:
    interrupts = Interrupts()
    with trio.CancelScope() as scope:
        scope.cancel()
        with interrupts.guard():
            await trio.sleep_forever()
    assert scope.cancelled_caught


async def test_a_sealed_page_is_sent_no_input() -> None:
    async with page() as (peer, target):
        key = ("Input.dispatchKeyEvent", {"type": "keyDown"})
        await target.send_input([key], timeout_s=1)
        target.seal()
        count = len(peer.sent)
        with pytest.raises(PageSealed):
            await target.send_input([key], timeout_s=1)
        assert len(peer.sent) == count


async def test_bounded_names_the_method(autojump_clock: trio.testing.MockClock) -> None:
    with pytest.raises(CallTimedOut, match=r"Input\.x.*within 3 s"), bounded("Input.x", 3):
        await trio.sleep_forever()


async def test_a_question_sent_along_may_fail_without_the_input() -> None:
    async with page() as (peer, target):
        key = ("Input.dispatchKeyEvent", {"type": "keyDown"})
        answer = await target.send_input([key], timeout_s=1, along=("Page.getFrameTree", {}))
        assert answer == TREE
        assert [sent.method for sent in peer.sent[-2:]] == ["Page.getFrameTree", key[0]]
