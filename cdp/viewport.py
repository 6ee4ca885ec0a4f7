"""The exact viewport: CSS pixels of the page's content, at scale 1."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdp.errors import CallTimedOut, ViewportRefused

if TYPE_CHECKING:
    from cdp.connection import CdpSession, Connection

VIEWPORT_TIMEOUT_S = 10.0
_LOOK_TIMEOUT_S = 2.0

_SEEN = "`${innerWidth}x${innerHeight}@${devicePixelRatio}`"

# resolves when the window has the size; the browser acknowledges a resize before the page sees it
_AWAIT_SIZE = """new Promise(done => {
  const look = () => {
    if (%s !== %s) return;
    removeEventListener('resize', look);
    done(true);
  };
  addEventListener('resize', look);
  look();
})"""


@dataclass(frozen=True, slots=True)
class Viewport:
    """A size in CSS pixels; one CSS pixel is one device pixel."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


async def set_viewport(
    browser: Connection,
    page: CdpSession,
    target_id: str,
    viewport: Viewport,
    *,
    timeout_s: float = VIEWPORT_TIMEOUT_S,
) -> None:
    """Give the window of ``page`` the size; ViewportRefused unless the page itself reports it."""
    window = await browser.call(
        "Browser.getWindowForTarget", targetId=target_id, timeout_s=timeout_s
    )
    await browser.call(
        "Browser.setContentsSize",
        windowId=window["windowId"],
        width=viewport.width,
        height=viewport.height,
        timeout_s=timeout_s,
    )
    try:
        await page.call(
            "Runtime.evaluate",
            expression=_AWAIT_SIZE % (_SEEN, json.dumps(f"{viewport}@1")),
            awaitPromise=True,
            timeout_s=timeout_s,
        )
    except CallTimedOut:
        raise ViewportRefused(f"{viewport}@1", await _look(page)) from None


async def _look(page: CdpSession) -> str:
    reply = await page.call("Runtime.evaluate", expression=_SEEN, timeout_s=_LOOK_TIMEOUT_S)
    return str(reply.get("result", {}).get("value", "unknown"))
