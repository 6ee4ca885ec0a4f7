"""Calls, pipelines and events over a scripted peer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from cdp.connection import Connection, open_connection
from cdp.errors import (
    CallRefused,
    CallTimedOut,
    CdpError,
    ConnectionClosed,
    EventsOverflowed,
    EventTimedOut,
    SessionDetached,
    TargetCrashed,
)
from tests.fakes.cdp_peer import CdpPeer, Close, Emit, Expect, Say, Sent

if TYPE_CHECKING:
    from cdp.messages import Event

DETACHED = Emit("Target.detachedFromTarget", {"sessionId": "S"})


async def test_a_call_carries_its_parameters_verbatim(
    autojump_clock: trio.testing.MockClock,
) -> None:
    peer = CdpPeer(Expect("Page.navigate", reply={"frameId": "F"}))
    async with open_connection(peer) as browser:
        page = browser.session("S")
        reply = await page.call("Page.navigate", url="http://a/", method="GET", self=1, timeout_s=3)
    assert reply == {"frameId": "F"}
    params = {"url": "http://a/", "method": "GET", "self": 1}
    assert peer.sent == [Sent(1, "Page.navigate", params, "S")]


async def test_attach_gives_the_flat_session() -> None:
    peer = CdpPeer(
        Expect(
            "Target.attachToTarget", {"targetId": "T", "flatten": True}, reply={"sessionId": "S"}
        )
    )
    async with open_connection(peer) as browser:
        assert (await browser.attach("T")).session_id == "S"


async def test_a_refused_call_raises_what_the_browser_said() -> None:
    peer = CdpPeer(Expect("Page.navigate", refuse=(-32000, "Cannot navigate")))
    async with open_connection(peer) as browser:
        with pytest.raises(CallRefused, match="Cannot navigate") as caught:
            await browser.call("Page.navigate")
    assert caught.value.code == -32000


async def test_an_error_of_the_block_leaves_as_it_is() -> None:
    with pytest.raises(CallRefused):
        async with open_connection(CdpPeer(Expect("A.b", refuse=(1, "no")))) as browser:
            await browser.call("A.b")


async def test_a_call_without_reply_ends_at_its_deadline(
    autojump_clock: trio.testing.MockClock,
) -> None:
    peer = CdpPeer(Expect("A.slow"), Expect("A.b", reply={"n": 1}))
    async with open_connection(peer) as browser:
        begin = trio.current_time()
        with pytest.raises(CallTimedOut, match=r"A\.slow had no reply within 2 s"):
            await browser.call("A.slow", timeout_s=2)
        assert trio.current_time() - begin == pytest.approx(2)
        peer.answer(peer.sent[0], {"late": True})
        assert await browser.call("A.b") == {"n": 1}


async def test_the_default_deadline_is_fifteen_seconds(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_connection(CdpPeer(Expect("A.slow"))) as browser:
        begin = trio.current_time()
        with pytest.raises(CallTimedOut):
            await browser.call("A.slow")
        assert trio.current_time() - begin == pytest.approx(15)


async def test_a_task_that_is_cancelled_already_sends_nothing() -> None:
    peer = CdpPeer()
    async with open_connection(peer) as browser:
        with trio.CancelScope() as scope:
            scope.cancel()
            await browser.call("Input.dispatchMouseEvent")
    assert scope.cancelled_caught
    assert peer.sent == []


async def test_a_cancelled_call_leaves_no_waiter(autojump_clock: trio.testing.MockClock) -> None:
    peer = CdpPeer(Expect("A.slow"), Expect("A.b", reply={}))
    async with open_connection(peer) as browser:
        with trio.move_on_after(1):
            await browser.call("A.slow")
        peer.answer(peer.sent[0], {})
        await browser.call("A.b")


async def test_a_pipeline_is_sent_whole_before_any_reply() -> None:
    peer = CdpPeer(Expect("A.a"), Expect("A.b"), Expect("A.c"))
    async with open_connection(peer) as browser, trio.open_nursery() as nursery:

        async def run() -> None:
            calls = [("A.a", {"n": 1}), ("A.b", {}), ("A.c", {})]
            assert await browser.pipeline(calls) == [{"r": 1}, {"r": 2}, {"r": 3}]

        nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        assert [command.method for command in peer.sent] == ["A.a", "A.b", "A.c"]
        for place in (2, 0, 1):
            peer.answer(peer.sent[place], {"r": place + 1})


async def test_an_empty_pipeline_is_done() -> None:
    async with open_connection(CdpPeer()) as browser:
        assert await browser.pipeline([]) == []


async def test_a_pipeline_raises_its_first_error_after_all_are_settled() -> None:
    peer = CdpPeer(Expect("A.a", reply={}), Expect("A.b", refuse=(2, "b")), Expect("A.c", reply={}))
    async with open_connection(peer) as browser:
        with pytest.raises(CallRefused, match=r"A\.b"):
            await browser.pipeline([("A.a", {}), ("A.b", {}), ("A.c", {})])
    peer.verify_played()


async def test_outcomes_keep_the_place_of_each_error(
    autojump_clock: trio.testing.MockClock,
) -> None:
    peer = CdpPeer(Expect("A.a", refuse=(1, "a")), Expect("A.b"), Expect("A.c", reply={"c": 1}))
    async with open_connection(peer) as browser:
        refused, late, good = await browser.pipeline_outcomes(
            [("A.a", {}), ("A.b", {}), ("A.c", {})], timeout_s=1
        )
    assert isinstance(refused, CallRefused)
    assert isinstance(late, CallTimedOut)
    assert good == {"c": 1}


async def test_a_call_that_has_no_json_form_stops_those_after_it() -> None:
    peer = CdpPeer(Expect("A.a", reply={}))
    async with open_connection(peer) as browser:
        outcomes = await browser.pipeline_outcomes(
            [("A.a", {}), ("A.b", {"x": "\ud800"}), ("A.c", {})]
        )
    assert outcomes[0] == {}
    assert [str(o) for o in outcomes[1:]] == 2 * [
        "the parameters of A.b have no JSON form: UnicodeEncodeError"
    ]
    assert len(peer.sent) == 1


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (Close("the browser closed the pipe"), ConnectionClosed),
        (Say(b"no json"), ConnectionClosed),
        (DETACHED, SessionDetached),
        (Emit("Inspector.targetCrashed", session_id="S"), TargetCrashed),
    ],
)
async def test_an_end_reaches_every_waiter_at_once(
    ending: Any, error: type[CdpError], autojump_clock: trio.testing.MockClock
) -> None:
    peer = CdpPeer(Expect("A.a"), Expect("A.b"), ending)
    async with open_connection(peer) as browser:
        begin = trio.current_time()
        outcomes = await browser.session("S").pipeline_outcomes([("A.a", {}), ("A.b", {})])
        assert [type(outcome) for outcome in outcomes] == [error, error]
        assert trio.current_time() == begin


async def test_nothing_is_sent_over_a_closed_connection() -> None:
    peer = CdpPeer(Expect("A.a"), Close("gone"))
    async with open_connection(peer) as browser:
        for _ in range(2):
            with pytest.raises(ConnectionClosed, match="gone"):
                await browser.call("A.a")
        assert browser.closed.is_set()
        assert browser.closed_reason == "gone"
        with pytest.raises(ConnectionClosed), browser.events("A.event"):
            pass
    assert len(peer.sent) == 1


async def test_leaving_the_block_ends_who_still_waits() -> None:
    peer = CdpPeer(Expect("A.a"))
    async with trio.open_nursery() as nursery, open_connection(peer) as browser:

        async def wait() -> None:
            with pytest.raises(ConnectionClosed, match="closed by us"):
                await browser.call("A.a")

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()


async def test_a_cancelled_block_can_still_clean_up() -> None:
    peer = CdpPeer(Expect("Input.release", reply={"released": True}))
    with trio.CancelScope() as scope:
        async with open_connection(peer) as browser:
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    assert await browser.call("Input.release") == {"released": True}
    peer.verify_played()


async def test_events_come_in_order_and_only_those_of_the_session() -> None:
    peer = CdpPeer(
        Expect("A.go", reply={}),
        Emit("A.one", {"n": 1}, session_id="S"),
        Emit("A.one", {"n": 2}),
        Emit("A.other", {"n": 3}, session_id="S"),
        Emit("A.two", {"n": 4}, session_id="S"),
    )
    async with open_connection(peer) as browser:
        page = browser.session("S")
        with page.events("A.one", "A.two") as stream:
            await page.call("A.go")
            got = [await stream.next(timeout_s=5) for _ in range(2)]
    assert [(event.method, event.params["n"]) for event in got] == [("A.one", 1), ("A.two", 4)]


async def test_an_awaited_event_has_a_deadline(autojump_clock: trio.testing.MockClock) -> None:
    async with open_connection(CdpPeer()) as browser:
        with (
            browser.events("A.one", "A.two") as stream,
            pytest.raises(EventTimedOut, match=r"no A\.one or A\.two within 3 s"),
        ):
            await stream.next(timeout_s=3)


async def test_a_subscription_is_over_with_its_block() -> None:
    peer = CdpPeer(Expect("A.go", reply={}), Emit("A.one"))
    async with open_connection(peer) as browser:
        with browser.events("A.one") as stream:
            pass
        await browser.call("A.go")
        with trio.move_on_after(0.05) as scope:
            await stream.__anext__()
    assert scope.cancelled_caught


async def test_a_full_subscription_says_so_after_what_it_kept() -> None:
    events = [Emit("A.one", {"n": n}) for n in range(4)]
    async with open_connection(
        CdpPeer(Expect("A.go"), *events, Expect("A.b", reply={}))
    ) as browser:
        with browser.events("A.one", limit=2) as stream:
            browser.post("A.go", {}, lambda _: None)
            await browser.call("A.b")
            assert [(await stream.next(timeout_s=5)).params["n"] for _ in range(2)] == [0, 1]
            for _ in range(2):
                with pytest.raises(EventsOverflowed):
                    await stream.next(timeout_s=5)


@pytest.mark.parametrize(
    ("ending", "error"), [(Close(), ConnectionClosed), (DETACHED, SessionDetached)]
)
async def test_an_end_reaches_a_subscription_after_what_came_before(
    ending: Any, error: type[CdpError]
) -> None:
    peer = CdpPeer(Expect("A.go"), Emit("A.one", session_id="S"), ending)
    async with open_connection(peer) as browser:
        page = browser.session("S")
        with page.events("A.one") as stream:
            page.post("A.go", {}, lambda _: None)
            assert (await stream.next(timeout_s=5)).method == "A.one"
            with pytest.raises(error):
                await stream.next(timeout_s=5)


async def test_a_handler_answers_before_anything_later_is_seen() -> None:
    order: list[str] = []
    peer = CdpPeer(
        Expect("A.go"),
        Emit("Fetch.requestPaused", {"requestId": "R"}),
        Emit("A.later"),
        Expect("Fetch.failRequest", {"requestId": "R"}, reply={}),
    )
    async with open_connection(peer) as browser:

        def refuse(event: Event) -> None:
            order.append("paused")
            browser.post("Fetch.failRequest", event.params, lambda outcome: order.append("failed"))

        with (
            browser.handler("Fetch.requestPaused", refuse),
            browser.handler("A.later", lambda _: order.append("later")),
        ):
            browser.post("A.go", {}, lambda _: None)
            await trio.testing.wait_all_tasks_blocked()
    assert order == ["paused", "later", "failed"]
    peer.verify_played()


async def test_a_posted_call_learns_of_the_end() -> None:
    outcomes: list[object] = []
    async with open_connection(CdpPeer(Expect("A.a"), Close("gone"))) as browser:
        browser.post("A.a", {}, outcomes.append)
        await browser.closed.wait()
    assert [str(outcome) for outcome in outcomes] == [
        "the connection to the browser is closed: gone"
    ]


async def test_a_connection_is_the_browsers_own_session() -> None:
    async with open_connection(CdpPeer()) as browser:
        assert isinstance(browser, Connection)
        assert browser.session_id == ""
