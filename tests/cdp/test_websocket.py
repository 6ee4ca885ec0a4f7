"""The websocket: which addresses are used, and what ends it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
import trio_websocket

from cdp.connection import open_connection
from cdp.errors import CallRefused, ConnectionClosed, EndpointRefused, EndpointUnreachable
from cdp.transport import TransportEnded
from cdp.websocket import open_websocket, verify_endpoint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Serve = Callable[[trio_websocket.WebSocketConnection], Awaitable[None]]


@asynccontextmanager
async def websocket_server(serve: Serve) -> AsyncIterator[str]:
    """Run a websocket server on loopback; give its address."""

    async def accept(request: trio_websocket.WebSocketRequest) -> None:
        try:
            await serve(await request.accept())
        except trio_websocket.ConnectionClosed:
            return

    async with trio.open_nursery() as nursery:
        serving = partial(trio_websocket.serve_websocket, max_message_size=2**24)
        server = await nursery.start(serving, accept, "127.0.0.1", 0, None)
        yield f"ws://127.0.0.1:{server.port}/devtools/browser/x"
        nursery.cancel_scope.cancel()


async def echo(websocket: trio_websocket.WebSocketConnection) -> None:
    while True:
        await websocket.send_message(await websocket.get_message())


@pytest.mark.parametrize(
    "url", ["ws://127.0.0.1:9222/devtools/browser/x", "ws://[::1]:9222/", "ws://127.0.0.1:1"]
)
def test_literal_loopback_is_used(url: str) -> None:
    verify_endpoint(url)


@pytest.mark.parametrize(
    "url",
    [
        "ws://localhost:9222/x",
        "ws://192.168.0.1:9222/x",
        "ws://0.0.0.0:9222/x",
        "ws://127.0.0.2:9222/x",
        "ws://127.1:9222/x",
        "ws://2130706433:9222/x",
        "ws://127.0.0.1.example.com:9222/x",
        "ws://127.0.0.1@example.com:9222/x",
        "ws://user@127.0.0.1:9222/x",
        "ws://:9222/x",
        "ws://127.0.0.1/x",
        "ws://127.0.0.1:99999/x",
        "ws://[::1/x",
        "wss://127.0.0.1:9222/x",
        "http://127.0.0.1:9222/x",
        "127.0.0.1:9222",
        "",
    ],
)
async def test_any_other_address_is_refused_before_any_io(
    url: str, autojump_clock: trio.testing.MockClock
) -> None:
    begin = trio.current_time()
    with pytest.raises(EndpointRefused):
        async with open_websocket(url):
            pass
    assert trio.current_time() == begin


async def test_messages_pass_in_order_and_of_any_size() -> None:
    messages = [b"1", b"2" * 5_000_000, b"3"]
    async with (
        websocket_server(echo) as url,
        open_websocket(url) as transport,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(transport.pump)
        for message in messages:
            transport.post(message)
        with trio.fail_after(30):
            assert [await transport.receive() for _ in messages] == messages
        nursery.cancel_scope.cancel()


async def test_the_far_end_closing_ends_every_waiter() -> None:
    async def close(websocket: trio_websocket.WebSocketConnection) -> None:
        await websocket.get_message()
        await websocket.aclose(1001, "bye")

    async with websocket_server(close) as url, open_websocket(url) as transport:
        async with open_connection(transport) as browser:
            with pytest.raises(ConnectionClosed, match=r"closed the websocket \(1001 bye\)"):
                await browser.call("A.b", timeout_s=10)
            with pytest.raises(ConnectionClosed):
                await browser.call("A.b", timeout_s=10)
        with pytest.raises(TransportEnded):
            transport.post(b"more")


async def test_an_error_of_the_block_leaves_as_it_is() -> None:
    async def refuse(websocket: trio_websocket.WebSocketConnection) -> None:
        await websocket.get_message()
        await websocket.send_message('{"id":1,"error":{"code":1,"message":"no"}}')
        await websocket.get_message()

    async with websocket_server(refuse) as url:
        with pytest.raises(CallRefused):
            async with open_websocket(url) as transport, open_connection(transport) as browser:
                await browser.call("A.b", timeout_s=10)


async def test_a_handshake_that_never_ends_has_a_deadline() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    async with listeners[0]:
        with pytest.raises(EndpointUnreachable, match=r"no handshake within 0\.2 s"):
            async with open_websocket(f"ws://127.0.0.1:{port}/x", timeout_s=0.2):
                pass


async def test_a_closed_port_is_unreachable() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    await listeners[0].aclose()
    with pytest.raises(EndpointUnreachable):
        async with open_websocket(f"ws://127.0.0.1:{port}/x"):
            pass


async def test_a_server_that_is_no_websocket_is_unreachable(nursery: trio.Nursery) -> None:
    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, answer, [listener])
    port = listener.socket.getsockname()[1]
    with pytest.raises(EndpointUnreachable):
        async with open_websocket(f"ws://127.0.0.1:{port}/x"):
            pass
    nursery.cancel_scope.cancel()
