"""Pictures of the viewport: whole PNGs at scale 1, of exactly the wanted size, or an error.

Chromium gives a capture as soon as the page has drawn a frame; it never gives an old
one. What it gives is checked here before anybody calls it a picture.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import trio

from cdp.background import running
from cdp.errors import CallRefused
from cdp.guarded import bounded
from cdp.page_errors import CaptureUnusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.target import PageTarget

CAPTURE_TIMEOUT_S = 15.0

PIXEL_LIMIT = 64_000_000
"""Pixels of a picture of more than the viewport; larger ones Chromium does not draw reliably."""

_RETRY_S = 0.05
"""How long a page that showed nothing may take until it is asked again."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">8sI4sII")
_END = b"\0\0\0\0IEND\xaeB`\x82"

_PARAMETERS = {
    "format": "png",
    # a third less time for a larger file (chromium.md §15)
    "optimizeForSpeed": True,
    "captureBeyondViewport": False,
}


@dataclass(frozen=True, slots=True)
class Capture:
    """One picture; ``width`` and ``height`` are its pixels, which are CSS pixels at scale 1."""

    png: bytes
    width: int
    height: int


async def capture_viewport(
    target: PageTarget, width: int, height: int, *, timeout_s: float = CAPTURE_TIMEOUT_S
) -> Capture:
    """Capture the whole viewport, which must be ``width`` by ``height`` pixels.

    Raises CaptureUnusable when what came is no whole PNG of that size.
    """
    capture = await _take(target, _PARAMETERS, timeout_s)
    if (capture.width, capture.height) != (width, height):
        size = f"{capture.width}x{capture.height} instead of {width}x{height}"
        raise CaptureUnusable(f"it is {size} pixels")
    return capture


async def capture_area(
    target: PageTarget,
    area: Mapping[str, float] | None,
    *,
    timeout_s: float = CAPTURE_TIMEOUT_S,
) -> Capture:
    """Capture an area (``x``, ``y`` from the viewport's corner, ``width``, ``height``).

    None is the whole page. Raises CaptureUnusable for an area without pixels, or with more
    than PIXEL_LIMIT.
    """
    metrics = await target.guarded.call("Page.getLayoutMetrics", timeout_s=timeout_s)
    size, shown = metrics["cssContentSize"], metrics["cssVisualViewport"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
    if area is not None:
        clip = {**area, "x": area["x"] + shown["pageX"], "y": area["y"] + shown["pageY"]}
    if min(clip["width"], clip["height"]) < 1:
        raise CaptureUnusable("it would have no pixels")
    if clip["width"] * clip["height"] > PIXEL_LIMIT:
        raise CaptureUnusable(f"it would have more than {PIXEL_LIMIT} pixels")
    beyond = {**_PARAMETERS, "captureBeyondViewport": True, "clip": {**clip, "scale": 1}}
    return await _take(target, beyond, timeout_s)


async def _take(target: PageTarget, parameters: Mapping[str, object], timeout_s: float) -> Capture:
    with bounded("Page.captureScreenshot", timeout_s):
        reply = await _capture(target, parameters, timeout_s)
    try:
        png = base64.b64decode(reply.get("data", ""), validate=True)
    except (binascii.Error, TypeError):
        raise CaptureUnusable("it is not base64") from None
    return parse_capture(png)


async def _capture(
    target: PageTarget, parameters: Mapping[str, object], timeout_s: float
) -> dict[str, Any]:
    """Ask until there is a picture: between two documents Chromium has none to give."""
    while True:
        try:
            reply = await _capture_document(target, parameters, timeout_s)
        except CallRefused:
            reply = None
            with trio.move_on_after(_RETRY_S), target.interrupts.guard():
                await target.main.wait_change()
        if reply is not None:
            return reply


async def _capture_document(
    target: PageTarget, parameters: Mapping[str, object], timeout_s: float
) -> dict[str, Any] | None:
    """Ask once; None when another document took the place of the one that was asked.

    The reply of the one that went away may never come.
    """
    reply, main = None, target.main
    asked = main.document.loader_id
    with trio.CancelScope() as scope:

        async def give_up() -> None:
            while main.document.loader_id == asked:
                await main.wait_change()
            scope.cancel()

        async with running(give_up):
            reply = await target.guarded.call(
                "Page.captureScreenshot", timeout_s=timeout_s, **parameters
            )
    return reply


def parse_capture(png: bytes) -> Capture:
    """Read a PNG's size from its header; CaptureUnusable unless it begins and ends as one."""
    if len(png) < _HEADER.size + len(_END):
        raise CaptureUnusable(f"it has only {len(png)} bytes")
    signature, length, chunk, width, height = _HEADER.unpack_from(png)
    if (signature, length, chunk) != (_SIGNATURE, 13, b"IHDR"):
        raise CaptureUnusable("it is no PNG")
    if not png.endswith(_END):
        raise CaptureUnusable("it is cut short")
    return Capture(png, width, height)
