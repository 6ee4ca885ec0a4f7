"""What the fence answers to the browser's events, over a scripted peer."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
import trio.testing

from cdp.connection import open_connection
from cdp.interception import (
    NAMING_S,
    RECORD_LIMIT,
    STRANGER_TIMEOUT_S,
    URL_LIMIT,
    Interception,
    Popup,
    RefusedNavigation,
    open_interception,
)
from tests.fakes.cdp_peer import CdpPeer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OURS, IN, OUT = "OURS", "http://in/", "http://out/"


class Fenced:
    def __init__(self, peer: CdpPeer, fence: Interception) -> None:
        self.peer, self.fence = peer, fence
        self._requests = 0

    async def request(self, frame: str, url: str, **more: object) -> str:
        """Pause a document request of a frame; return its id."""
        self._requests += 1
        request_id = f"R{self._requests}"
        params = {"requestId": request_id, "frameId": frame, "request": {"url": url}, **more}
        if "method" in params:
            params["request"] = {"url": url, "method": params.pop("method")}
        self.peer.emit("Fetch.requestPaused", params)
        await trio.testing.wait_all_tasks_blocked()
        return request_id

    async def page(self, target: str, url: str = "", kind: str = "page", **more: object) -> None:
        """Tell of a new target."""
        info = {"targetId": target, "type": kind, "url": url, **more}
        self.peer.emit("Target.targetCreated", {"targetInfo": info})
        await trio.testing.wait_all_tasks_blocked()

    async def end(self, target: str) -> None:
        """Tell of a target's end."""
        self.peer.emit("Target.targetDestroyed", {"targetId": target})
        await trio.testing.wait_all_tasks_blocked()

    def answer(self, request_id: str) -> str | None:
        """Return how a request was answered: continue, Aborted, or None so far."""
        for sent in self.peer.sent:
            if sent.params.get("requestId") == request_id:
                return str(sent.params.get("errorReason", "continue"))
        return None

    @property
    def closed(self) -> list[str]:
        return [s.params["targetId"] for s in self.peer.sent if s.method == "Target.closeTarget"]


@asynccontextmanager
async def fenced(targets: tuple[dict[str, Any], ...] = ()) -> AsyncIterator[Fenced]:
    peer = CdpPeer(
        always={
            "Fetch.enable": {},
            "Target.setDiscoverTargets": {},
            "Target.getTargets": {"targetInfos": [{"targetId": OURS, "type": "page"}, *targets]},
            "Target.getTargetInfo": lambda s: {
                "targetInfo": {"type": "page" if s.params["targetId"] == "PAGE" else "iframe"}
            },
            "Fetch.continueRequest": {},
            "Fetch.failRequest": {},
            "Target.closeTarget": {"success": True},
        }
    )
    async with (
        open_connection(peer) as browser,
        open_interception(browser, OURS, lambda url: url.startswith(IN)) as fence,
    ):
        yield Fenced(peer, fence)


async def test_the_main_frame_is_judged_by_url() -> None:
    async with fenced() as at:
        assert at.answer(await at.request(OURS, IN)) == "continue"
        assert at.answer(await at.request(OURS, OUT, method="POST")) == "Aborted"
        assert at.answer(await at.request(OURS, OUT, redirectedRequestId="R1")) == "Aborted"
        assert at.fence.refused == [
            RefusedNavigation(OUT, "POST", hop=False),
            RefusedNavigation(OUT, "", hop=True),
        ]
        assert at.fence.refused_count == 2


async def test_frames_pass_but_a_page_that_we_were_not_told_of_does_not() -> None:
    async with fenced() as at:
        assert at.answer(await at.request("FRAME", OUT)) == "continue"
        assert at.answer(await at.request("PAGE", IN)) == "Aborted"
        assert at.fence.refused == []


async def test_pages_are_closed_when_they_are_named(autojump_clock: trio.testing.MockClock) -> None:
    async with fenced() as at:
        await at.page("P", openerId=OURS)
        assert at.answer(await at.request("P", IN)) == "Aborted"
        assert at.closed == ["P"]
        assert at.fence.popups == [Popup("P", IN, OURS)]
        await at.end("P")
        assert at.answer(await at.request("P", IN)) == "Aborted"  # told of after its end


async def test_a_page_without_an_address_is_closed_in_time(
    mock_clock: trio.testing.MockClock,
) -> None:
    async with fenced() as at:
        await at.page("P", "about:blank")
        assert at.closed == []
        mock_clock.jump(NAMING_S)
        await trio.testing.wait_all_tasks_blocked()
        assert at.closed == ["P"]
        assert at.fence.popups == [Popup("P", "about:blank", "")]


async def test_pages_that_were_there_before_are_closed_too() -> None:
    async with fenced(({"targetId": "OLD", "type": "page", "url": OUT},)) as at:
        await trio.testing.wait_all_tasks_blocked()
        assert at.closed == ["OLD"]


async def test_other_kinds_of_target_are_left_alone() -> None:
    async with fenced() as at:
        for kind in ("iframe", "worker", "service_worker", "browser_ui", "other"):
            await at.page(kind, IN, kind)
        await at.page(OURS, IN)
        assert at.closed == []
        assert at.fence.popup_count == 0


async def test_frames_wait_until_other_pages_are_gone() -> None:
    async with fenced() as at:
        await at.page("P", OUT)
        waiting = await at.request("FRAME", IN)
        assert at.answer(waiting) is None
        await at.end("P")
        assert at.answer(waiting) == "continue"


async def test_a_page_that_does_not_go_keeps_frames_from_loading(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with fenced() as at:
        await at.page("P", OUT)
        request = await at.request("FRAME", IN)
        await trio.sleep(STRANGER_TIMEOUT_S + 1)
        assert at.answer(request) == "Aborted"


async def test_the_newest_are_remembered_and_texts_are_bounded() -> None:
    async with fenced() as at:
        for number in range(RECORD_LIMIT + 3):
            await at.request(OURS, f"{OUT}{number}/" + "x" * URL_LIMIT)
        assert at.fence.refused_count == RECORD_LIMIT + 3
        assert len(at.fence.refused) == RECORD_LIMIT
        assert at.fence.refused[0].url.startswith(OUT + "3/")
        assert len(at.fence.refused[0].url) == URL_LIMIT


async def test_the_first_address_of_a_page_stays() -> None:
    async with fenced() as at:
        await at.page("P", "")
        for url in ("about:blank", OUT, IN):
            info = {"targetId": "P", "type": "page", "url": url}
            at.peer.emit("Target.targetInfoChanged", {"targetInfo": info})
        await trio.testing.wait_all_tasks_blocked()
        assert [popup.url for popup in at.fence.popups] == [OUT]


async def test_a_flood_of_frame_documents_is_refused_not_kept() -> None:
    async with fenced() as at:
        await at.page("P", OUT)
        requests = [await at.request("FRAME", IN) for _ in range(300)]
        assert at.answer(requests[-1]) == "Aborted"
        assert at.answer(requests[0]) is None


async def test_the_fence_is_up_before_the_block_begins() -> None:
    async with fenced() as at:
        methods = [sent.method for sent in at.peer.sent]
        assert methods == ["Fetch.enable", "Target.setDiscoverTargets", "Target.getTargets"]
        assert at.peer.sent[0].params == {
            "patterns": [{"urlPattern": "*", "resourceType": "Document"}]
        }
