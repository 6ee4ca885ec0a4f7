"""Both transports against a real Chromium: large messages, many calls, the browser's end."""

from __future__ import annotations

import os
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.chromium.browser import Browser, launch
from cdp.chromium.profile import create_profile
from cdp.connection import CdpSession, open_connection
from cdp.errors import CallTimedOut, ConnectionClosed
from cdp.viewport import Viewport
from cdp.websocket import open_websocket
from tests.fakes import oracle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.chromium

LARGE = 64 * 1024 * 1024
LARGE_TIMEOUT_S = 90.0


@asynccontextmanager
async def page_by(
    transport: str, binary: Path, tmp_path: Path
) -> AsyncIterator[tuple[Browser, CdpSession]]:
    """Launch a browser and give its page, reached by the pipe or by a second, websocket line."""
    profile = tmp_path / "profile"
    create_profile(profile)
    async with launch(binary, profile, Viewport(640, 480)) as browser:
        if transport == "pipe":
            yield browser, browser.page
            return
        port, path = await trio.to_thread.run_sync(oracle.find_endpoint, profile)
        async with (
            open_websocket(f"ws://127.0.0.1:{port}{path}") as line,
            open_connection(line) as connection,
        ):
            yield browser, await connection.attach(browser.target_id)


@pytest.fixture(params=["pipe", "websocket"])
async def driven(
    request: pytest.FixtureRequest, watched_browser: Path, tmp_path: Path
) -> AsyncIterator[tuple[Browser, CdpSession]]:
    async with page_by(request.param, watched_browser, tmp_path) as both:
        yield both


async def evaluate(page: CdpSession, expression: str, timeout_s: float = 15) -> object:
    reply = await page.call(
        "Runtime.evaluate", expression=expression, returnByValue=True, timeout_s=timeout_s
    )
    return reply["result"]["value"]


async def test_messages_of_64_mib_pass_both_ways(driven: tuple[Browser, CdpSession]) -> None:
    _, page = driven
    value = await evaluate(page, f"'x'.repeat({LARGE})", LARGE_TIMEOUT_S)
    assert value == "x" * LARGE
    assert await evaluate(page, f"'{'x' * LARGE}'.length", LARGE_TIMEOUT_S) == LARGE
    assert await evaluate(page, "'after'") == "after"


async def test_a_large_call_that_is_cancelled_leaves_the_line_in_step(
    driven: tuple[Browser, CdpSession],
) -> None:
    _, page = driven
    with pytest.raises(CallTimedOut):
        await evaluate(page, f"'{'x' * (LARGE // 8)}'.length", 0.001)
    assert await evaluate(page, "'after'") == "after"


async def test_many_calls_at_once_get_their_own_replies(driven: tuple[Browser, CdpSession]) -> None:
    _, page = driven

    async def ask(number: int) -> None:
        assert await evaluate(page, f"{number} * 2") == number * 2
        answered.append(number)

    answered: list[int] = []
    async with trio.open_nursery() as nursery:
        for number in range(200):
            nursery.start_soon(ask, number)
    assert sorted(answered) == list(range(200))


async def test_a_pipeline_is_run_in_its_order(driven: tuple[Browser, CdpSession]) -> None:
    _, page = driven
    calls = [
        ("Runtime.evaluate", {"expression": f"(globalThis.n = (globalThis.n ?? '') + '{n},')"})
        for n in range(50)
    ]
    *_, last = await page.pipeline(calls)
    assert last["result"]["value"] == "".join(f"{n}," for n in range(50))


async def test_halves_of_characters_in_a_page_do_not_end_the_connection(
    driven: tuple[Browser, CdpSession],
) -> None:
    _, page = driven
    assert await evaluate(page, r"'a\ud800b\udc00\ud83d\ude00\0'") == "a\ufffdb\ufffd\U0001f600\0"
    assert await evaluate(page, "document.title = '\\ud83d'; document.title") == "\ufffd"
    assert await evaluate(page, "1") == 1


async def test_the_end_of_the_browser_reaches_every_waiter(
    driven: tuple[Browser, CdpSession],
) -> None:
    browser, page = driven

    async def wait() -> None:
        with pytest.raises(ConnectionClosed):
            await page.call(
                "Runtime.evaluate", expression="new Promise(() => 0)", awaitPromise=True
            )

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(wait)
            await trio.sleep(0.1)
            os.kill(browser.pid, signal.SIGKILL)
    with pytest.raises(ConnectionClosed):
        await evaluate(page, "1")
