"""CDP over two pipes: JSON messages that each end in a NUL byte.

Chromium's ``--remote-debugging-pipe`` reads file descriptor 3 and writes 4. The
end of either pipe ends the browser, so nothing outlives the process that holds
our ends.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

import trio

from cdp.errors import MessageTooLarge
from cdp.transport import MESSAGE_LIMIT, TransportEnded, verify_room

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 64 * 1024  # what a pipe holds
_WRITE_SLICE = 256 * 1024  # bounds what one os.write copies into a full pipe

BROWSER_ENDED = "the browser closed the pipe"
CLOSED_BY_US = "closed by us"


class Splitter:
    """Cuts a stream of bytes into NUL-terminated messages; each byte is looked at once."""

    def __init__(self, limit: int = MESSAGE_LIMIT) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the messages that ``data`` completes; MessageTooLarge once one passes the limit."""
        *ends, rest = data.split(b"\0")
        for end in ends:
            self._append(end)
            message = b"".join(self._chunks)
            self._chunks.clear()
            self._size = 0
            yield message
        self._append(rest)

    def _append(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            raise MessageTooLarge(self._size, self._limit)
        if part:
            self._chunks.append(part)


class PipeTransport:
    """Owns both descriptors: ``read_fd`` from the browser, ``write_fd`` to it."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._splitter = Splitter()
        self._messages: deque[bytes] = deque()
        self._backlog: deque[memoryview] = deque()
        self._backlog_size = 0
        self._wanted = trio.Event()
        self._end: str | None = None

    def post(self, message: bytes) -> None:
        """Write what the pipe takes now; the pump writes the rest."""
        if self._end is not None:
            raise TransportEnded(self._end)
        verify_room(len(message), self._backlog_size)
        self._backlog.append(memoryview(message + b"\0"))
        self._backlog_size += len(message) + 1
        if len(self._backlog) == 1:
            self._write()
        if self._backlog:
            self._wanted.set()

    async def pump(self) -> None:
        """Write the backlog whenever there is one; returns when the pipe is over."""
        while self._end is None:
            await self._wanted.wait()
            self._wanted = trio.Event()
            while self._backlog and self._end is None:
                await self._await_room()
                self._write()

    async def receive(self) -> bytes:
        """Return the next message."""
        while not self._messages:
            data = await self._read()
            if not data:
                self._finish(BROWSER_ENDED)
                raise TransportEnded(BROWSER_ENDED)
            self._messages.extend(self._splitter.feed(data))
        return self._messages.popleft()

    async def aclose(self) -> None:
        """Close both ends; the browser exits."""
        self._finish(CLOSED_BY_US)
        for descriptor in (self._write_fd, self._read_fd):
            if descriptor >= 0:
                trio.lowlevel.notify_closing(descriptor)
                os.close(descriptor)
        self._write_fd = self._read_fd = -1
        await trio.lowlevel.checkpoint()

    async def _read(self) -> bytes:
        """Return what comes next, b"" at the end."""
        # straight from the descriptor: a stream of trio's would go round its scheduler and
        # try in vain before each wait, and this is the way of every reply
        while True:
            try:
                if self._read_fd < 0:
                    raise TransportEnded(CLOSED_BY_US)
                await trio.lowlevel.wait_readable(self._read_fd)
                return os.read(self._read_fd, _CHUNK)
            except BlockingIOError:
                continue
            except trio.ClosedResourceError:
                raise TransportEnded(CLOSED_BY_US) from None
            except OSError as error:
                self._finish(f"the pipe broke: {error}")
                raise TransportEnded(BROWSER_ENDED) from None

    def _write(self) -> None:
        """Write as much of the backlog as fits, without blocking."""
        try:
            while self._backlog:
                written = os.write(self._write_fd, self._backlog[0][:_WRITE_SLICE])
                self._take(written)
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._finish(BROWSER_ENDED)

    def _take(self, written: int) -> None:
        self._backlog_size -= written
        rest = self._backlog[0][written:]
        if rest:
            self._backlog[0] = rest
        else:
            self._backlog.popleft()

    async def _await_room(self) -> None:
        try:
            await trio.lowlevel.wait_writable(self._write_fd)
        except trio.ClosedResourceError:
            self._finish(CLOSED_BY_US)

    def _finish(self, reason: str) -> None:
        """Note the first reason; nothing more is written, and the pump leaves."""
        if self._end is None:
            self._end = reason
        self._backlog.clear()
        self._backlog_size = 0
        self._wanted.set()
