"""The two doors: who may come in, how many, and for how long they may say nothing.

A peer of another uid is dropped before a byte of its is read, and so are bytes
that look like HTTP: no web page can be made to speak to us. What is dropped so
gets no answer.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from daemon.hosting import Line, LineHost, host_command
from daemon.logs import LOGGER, log_mistake
from daemon.rpc import LINE_LIMIT, Conversation, encode_line_too_long, looks_like_http
from daemon.sockets import peer_uid
from protocol import framing
from protocol.commandline import Text
from protocol.errors import Failure
from protocol.framing import FrameInvalid

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from daemon.activity import Activity
    from daemon.clients import Clients
    from daemon.dispatch import Dispatcher
    from protocol.commandline import CommandLine
    from protocol.framing import Command

MOST_CONNECTIONS = 256
FIRST_FRAME_S = 10.0
FIRST_LINE_S = 60.0
REST_OF_LINE_S = 30.0
"""How long a started line may take to end."""
SEND_S = 60.0
RECEIVE = 64 * 1024
OUT_OF_DESCRIPTORS_S = 0.1


class Server:
    """Both doors over one dispatcher; ``connections`` counts who is in."""

    def __init__(
        self,
        commandline: CommandLine,
        dispatcher: Dispatcher,
        clients: Clients,
        activity: Activity,
        *,
        owner: int,
    ) -> None:
        """``owner`` is the one uid that may come in."""
        self._commandline = commandline
        self._dispatcher = dispatcher
        self._clients = clients
        self._activity = activity
        self._owner = owner
        self.connections = 0

    async def accept_commands(self, listener: trio.SocketListener, nursery: trio.Nursery) -> None:
        """Serve the thin client for as long as the listener lives."""
        await self._accept(listener, nursery, self._serve_command)

    async def accept_programs(self, listener: trio.SocketListener, nursery: trio.Nursery) -> None:
        """Serve JSON-RPC for as long as the listener lives."""
        await self._accept(listener, nursery, self._serve_program)

    async def _accept(
        self,
        listener: trio.SocketListener,
        nursery: trio.Nursery,
        serve: Callable[[trio.SocketStream, int], Awaitable[None]],
    ) -> None:
        while True:
            try:
                stream = await listener.accept()
            except trio.ClosedResourceError:
                return
            except OSError as error:
                log_mistake("no connection could be accepted", error)
                await trio.sleep(OUT_OF_DESCRIPTORS_S)
                continue
            nursery.start_soon(self._admit, stream, serve)

    async def _admit(
        self,
        stream: trio.SocketStream,
        serve: Callable[[trio.SocketStream, int], Awaitable[None]],
    ) -> None:
        self.connections += 1
        try:
            uid = peer_uid(stream.socket)  # type: ignore[arg-type]  # trio's has getsockopt too
            if uid != self._owner:
                LOGGER.warning("a peer of uid %d was refused", uid)
            elif self.connections > MOST_CONNECTIONS:
                LOGGER.warning("more than %d connections", MOST_CONNECTIONS)
            else:
                await serve(stream, uid)
        except Exception as error:
            log_mistake("a connection ended by an error of ours", error)
        finally:
            self.connections -= 1
            self._activity.touch()
            await trio.aclose_forcefully(stream)

    async def _serve_command(self, stream: trio.SocketStream, uid: int) -> None:
        line = Line(stream, framing.Decoder())
        frames: list[tuple[int, bytes]] = []
        with trio.move_on_after(FIRST_FRAME_S):
            frames = await line.receive()
        if len(frames) != 1 or frames[0][0] != framing.ARGV:
            return
        try:
            await self._run_command(line, _parse_command(frames[0][1]), uid)
        except FrameInvalid:
            return
        except Failure as refused:
            fields = (refused.code, refused.message, refused.hint)
            payload = framing.encode_fields(framing.encode_text(field) for field in fields)
            await line.send(framing.REFUSED, payload)

    async def _run_command(self, line: Line, command: Command, uid: int) -> None:
        actor = self._clients.actor(uid, command.token)
        parsed = self._commandline.parse(command.argv, width=command.width)
        if isinstance(parsed, Text):
            await line.print(parsed.out, parsed.err, parsed.exit)
        else:
            await host_command(line, LineHost(line, command, self._dispatcher, actor), parsed)

    async def _serve_program(self, stream: trio.SocketStream, uid: int) -> None:
        conversation = Conversation(self._dispatcher, self._clients, uid)
        reader = LineReader(stream)
        try:
            line = await reader.next(FIRST_LINE_S)
            if line is not None and looks_like_http(line):
                return
            while line is not None:
                reply = await conversation.answer(line) if line.strip() else None
                await _send(stream, reply or b"")
                line = await reader.next(float("inf"))
        except LineTooLong:
            await _send(stream, encode_line_too_long())


class LineTooLong(Exception):
    """A program sent more than a line may hold."""


class LineReader:
    """Lines from one program; holds at most one of them and one piece."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._held = bytearray()

    async def next(self, first_s: float) -> bytes | None:
        """Return the next line without its end, None at the end of the stream.

        It must begin within ``first_s`` and end `REST_OF_LINE_S` later, or the
        stream counts as ended. Raises `LineTooLong`.
        """
        searched, timeout_s = 0, REST_OF_LINE_S if self._held else first_s
        while (end := self._held.find(b"\n", searched)) < 0:
            searched = len(self._held)
            if searched > LINE_LIMIT:
                raise LineTooLong
            piece = await self._receive(timeout_s)
            if not piece:
                return None
            self._held += piece
            timeout_s = REST_OF_LINE_S
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    async def _receive(self, timeout_s: float) -> bytes:
        try:
            with trio.fail_after(timeout_s):
                return bytes(await self._stream.receive_some(RECEIVE))
        except (trio.BrokenResourceError, trio.TooSlowError):
            return b""


def _parse_command(payload: bytes) -> Command:
    """Return a command of our wire version; raises `FrameInvalid` and Failure."""
    version = framing.parse_wire_version(payload)
    if version != framing.WIRE_VERSION:
        raise Failure(
            "wire_mismatch",
            f"the command speaks wire version {version}, the daemon {framing.WIRE_VERSION}",
            'run "understudy daemon restart" (it ends the live sessions)',
        )
    return framing.parse_command(payload)


async def _send(stream: trio.SocketStream, data: bytes) -> None:
    """Send a reply; one that cannot be delivered ends the connection, not the daemon."""
    with suppress(trio.BrokenResourceError), trio.move_on_after(SEND_S):
        await stream.send_all(data)
