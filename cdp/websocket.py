"""CDP over a websocket, for a browser that a person started. Loopback only.

Any program of the machine can attach at such an address, so the browsers that we
launch use a pipe instead.
"""

from __future__ import annotations

import ipaddress
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio
import trio_websocket

from cdp.background import running
from cdp.errors import EndpointRefused, EndpointUnreachable
from cdp.transport import MESSAGE_LIMIT, TransportEnded, verify_room

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HANDSHAKE_TIMEOUT_S = 10.0
_CLOSE_TIMEOUT_S = 2.0
CLOSED_BY_US = "closed by us"


class WebsocketTransport:
    """Carries messages over one open websocket, which it owns."""

    def __init__(self, websocket: trio_websocket.WebSocketConnection) -> None:
        self._websocket = websocket
        self._backlog: deque[bytes] = deque()
        self._backlog_size = 0
        self._wanted = trio.Event()
        self._end: str | None = None

    def post(self, message: bytes) -> None:
        """Append to the backlog, which the pump writes out in order."""
        if self._end is not None:
            raise TransportEnded(self._end)
        verify_room(len(message), self._backlog_size)
        self._backlog.append(message)
        self._backlog_size += len(message)
        self._wanted.set()

    async def pump(self) -> None:
        """Write the backlog whenever there is one; returns when the websocket is over."""
        while self._end is None:
            await self._wanted.wait()
            self._wanted = trio.Event()
            while self._backlog:
                message = self._backlog.popleft()
                try:
                    await self._websocket.send_message(message.decode())
                except trio_websocket.ConnectionClosed as closed:
                    self._finish(_reason(closed))
                    return
                self._backlog_size -= len(message)

    async def receive(self) -> bytes:
        """Return the next message."""
        try:
            message = await self._websocket.get_message()
        except trio_websocket.ConnectionClosed as closed:
            self._finish(_reason(closed))
            raise TransportEnded(self._end or "") from None
        return message.encode() if isinstance(message, str) else message

    async def aclose(self) -> None:
        """Close the websocket; a browser that does not answer in time is left alone."""
        self._finish(CLOSED_BY_US)
        with trio.move_on_after(_CLOSE_TIMEOUT_S):
            await self._websocket.aclose()

    def _finish(self, reason: str) -> None:
        if self._end is None:
            self._end = reason
        self._backlog.clear()
        self._wanted.set()


@asynccontextmanager
async def open_websocket(
    url: str, *, timeout_s: float = HANDSHAKE_TIMEOUT_S
) -> AsyncIterator[WebsocketTransport]:
    """Connect to a DevTools websocket for the length of the block.

    The handshake may wait for a person to press Allow: ``timeout_s`` bounds it. Raises
    EndpointRefused (before any I/O) or EndpointUnreachable.
    """
    verify_endpoint(url)
    line = _Line(url)
    async with running(line.keep):
        transport = WebsocketTransport(await line.opened(timeout_s))
        try:
            yield transport
        finally:
            with trio.CancelScope(shield=True):
                await transport.aclose()


def verify_endpoint(url: str) -> None:
    """Raise EndpointRefused unless ``url`` is ``ws://`` at a literal loopback address.

    A name, even localhost, may mean another program: a second browser on a taken port
    binds the other address family.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise EndpointRefused(url, str(error)) from None
    if parts.scheme != "ws":
        raise EndpointRefused(url, "only ws:// is used")
    if parts.username is not None or parts.password is not None:
        raise EndpointRefused(url, "it names a user")
    if port is None:
        raise EndpointRefused(url, "it names no port")
    if not _is_loopback(host):
        raise EndpointRefused(url, "only 127.0.0.1 and [::1] are used")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host) in _LOOPBACK
    except ValueError:
        return False


_LOOPBACK = (ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1"))


class _Line:
    """The socket and the library's reading task, kept in one task of their own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._settled = trio.Event()
        self._websocket: trio_websocket.WebSocketConnection | None = None
        self._problem = ""

    async def keep(self) -> None:
        """Connect, shake hands and hold the line; a failure leaves no socket behind."""
        try:
            await self._hold()
        except* (OSError, trio_websocket.HandshakeError) as group:
            first = group.exceptions[0]
            self._problem = str(first) or type(first).__name__
        self._settled.set()

    async def opened(self, timeout_s: float) -> trio_websocket.WebSocketConnection:
        """Return the open websocket; EndpointUnreachable if there is none in time."""
        with trio.move_on_after(timeout_s):
            await self._settled.wait()
        if self._websocket is None:
            raise EndpointUnreachable(
                self._url, self._problem or f"no handshake within {timeout_s:g} s"
            )
        return self._websocket

    async def _hold(self) -> None:
        parts = urlsplit(self._url)
        stream = await trio.open_tcp_stream(parts.hostname or "", parts.port or 0)
        async with stream, trio.open_nursery() as nursery:
            self._websocket = await trio_websocket.wrap_client_stream(
                nursery,
                stream,
                parts.netloc,
                parts.path or "/",
                max_message_size=MESSAGE_LIMIT,
                receive_buffer_size=None,
            )
            self._settled.set()
            await trio.sleep_forever()


def _reason(closed: trio_websocket.ConnectionClosed) -> str:
    if closed.reason is None:
        return "the browser ended the websocket"
    return f"the browser closed the websocket ({closed.reason.code} {closed.reason.reason or ''})"
