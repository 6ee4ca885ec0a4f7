"""What counts as a picture."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
import trio

from cdp.capture import capture_viewport, parse_capture
from cdp.connection import open_connection
from cdp.page_errors import CaptureUnusable
from cdp.target import PageTarget
from tests.fakes.cdp_peer import CdpPeer, Expect


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"\0" * (height * (1 + 3 * width))))
    return b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")


async def capture(data: object) -> tuple[int, int]:
    peer = CdpPeer(Expect("Page.captureScreenshot", {"format": "png"}, reply={"data": data}))
    async with open_connection(peer) as browser:
        target = PageTarget(browser, browser.session("S"), "T", lambda _: None)
        taken = await capture_viewport(target, 3, 2)
    peer.verify_played()
    return taken.width, taken.height


async def test_a_whole_png_of_the_size_is_a_picture() -> None:
    assert await capture(base64.b64encode(png(3, 2)).decode()) == (3, 2)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("", "0 bytes"),
        (None, "base64"),
        ("%%%%", "base64"),
        (base64.b64encode(png(3, 2)[:-1]).decode(), "cut short"),
        (base64.b64encode(png(3, 2)[:40]).decode(), "40 bytes|cut short"),
        (base64.b64encode(b"GIF89a" + png(3, 2)).decode(), "no PNG"),
        (base64.b64encode(png(2, 3)).decode(), "2x3 instead of 3x2"),
    ],
)
async def test_anything_else_is_none(data: object, problem: str) -> None:
    with trio.fail_after(2), pytest.raises(CaptureUnusable, match=problem):
        await capture(data)


def test_every_cut_of_a_png_is_refused() -> None:
    whole = png(3, 2)
    assert parse_capture(whole).png == whole
    for length in range(len(whole)):
        with pytest.raises(CaptureUnusable):
            parse_capture(whole[:length])
