"""The viewport: set by one call, believed only when the page reports it."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from cdp.connection import open_connection
from cdp.errors import ViewportRefused
from cdp.viewport import Viewport, set_viewport
from tests.fakes.cdp_peer import CdpPeer, Expect

WINDOW = Expect("Browser.getWindowForTarget", {"targetId": "T"}, "", reply={"windowId": 9})
SIZE = Expect("Browser.setContentsSize", {"windowId": 9, "width": 800, "height": 600}, "", reply={})


async def set_800x600(peer: CdpPeer) -> None:
    async with open_connection(peer) as browser:
        await set_viewport(browser, browser.session("S"), "T", Viewport(800, 600), timeout_s=10)
    peer.verify_played()


async def test_the_page_confirms_the_size() -> None:
    confirmed = Expect(
        "Runtime.evaluate", {"awaitPromise": True}, "S", reply={"result": {"value": True}}
    )
    peer = CdpPeer(WINDOW, SIZE, confirmed)
    await set_800x600(peer)
    assert '"800x600@1"' in peer.sent[-1].params["expression"]


async def test_a_page_that_has_another_size_refuses_with_it(
    autojump_clock: trio.testing.MockClock,
) -> None:
    never = Expect("Runtime.evaluate", {"awaitPromise": True}, "S")
    look = Expect("Runtime.evaluate", {}, "S", reply={"result": {"value": "800x513@2"}})
    begin = trio.current_time()
    with pytest.raises(ViewportRefused, match="is 800x513@2, not 800x600@1"):
        await set_800x600(CdpPeer(WINDOW, SIZE, never, look))
    assert trio.current_time() - begin == pytest.approx(10)
