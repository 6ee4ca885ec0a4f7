"""A command of the command tree, run for a caller at the other end of the first door.

One task reads the line (answers to our `READ` and `WRITE`, an interrupt, the
end); the command runs beside it and talks through `LineHost`. When the line is
lost a read is cancelled and a write runs to its end: what it prints is dropped,
and only what it still wants from the caller (stdin, a file) fails.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from daemon.browsers import BROWSER_VARIABLE
from daemon.logs import LOGGER, log_mistake
from protocol import framing
from protocol.commandline import COMMAND_ID
from protocol.errors import Failure
from protocol.framing import STDIN, FrameInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daemon.dispatch import Dispatcher
    from protocol.actors import Actor
    from protocol.commandline import Invocation
    from protocol.framing import Command

SEND_S = 60.0
"""How long a caller may leave a piece of output unread before its line counts as lost."""
ANSWER_S = 300.0
"""How long a caller may take over one step of its own file work."""
RECEIVE = 64 * 1024
PATH_LIMIT = 4096
"""Longest real path of a caller's file, in bytes, as Linux has it."""


class CallerGone(Failure):
    """The caller's line is lost, so nothing can be had from it."""

    def __init__(self) -> None:
        super().__init__(
            "caller_gone", "the caller went away while the command ran", "run the command again"
        )


class Line:
    """Frames to and from one client; an end or a wait that is too long loses it for good."""

    def __init__(self, stream: trio.SocketStream, decoder: framing.Decoder) -> None:
        self._stream = stream
        self._decoder = decoder
        self._sending = trio.Lock()
        self._is_cut = False
        self._has_ended = False

    @property
    def is_lost(self) -> bool:
        """Whether nothing reaches the client any more, or it has gone."""
        return self._is_cut or self._has_ended

    def drop(self) -> None:
        """Give the line up: the client does not keep to the protocol."""
        self._is_cut = True

    async def send(self, kind: int, payload: bytes = b"") -> None:
        """Send one frame; when that fails the line is lost, which is no error here."""
        async with self._sending:
            if self.is_lost:
                return
            self._is_cut = True  # so it is after a cancellation within a frame
            with suppress(trio.BrokenResourceError), trio.move_on_after(SEND_S) as patience:
                await self._stream.send_all(framing.encode_frame(kind, payload))
                self._is_cut = False
            if patience.cancelled_caught:
                LOGGER.warning("a client left its output unread; its line is dropped")

    async def print(self, out: str, err: str, code: int) -> None:
        """Answer by text alone and end."""
        for kind, text in ((framing.OUT, out), (framing.ERR, err)):
            if text:
                await self.send(kind, framing.encode_text(text))
        await self.send(framing.EXIT, str(code).encode("ascii"))

    async def receive(self) -> list[tuple[int, bytes]]:
        """Return the next frames, none at the end of the line."""
        while True:
            try:
                data = await self._stream.receive_some(RECEIVE)
                frames = self._decoder.feed(data) if data else []
            except (trio.BrokenResourceError, FrameInvalid):
                data, frames = b"", []
            if not data:
                self._has_ended = True
                return []
            if frames:
                return frames


class LineHost:
    """See ``commandline.Host``: the caller's side of one command over a line."""

    def __init__(self, line: Line, command: Command, dispatcher: Dispatcher, actor: Actor) -> None:
        self._line = line
        self._dispatcher = dispatcher
        self._actor = actor
        self._asking = trio.Lock()
        self._replies, self._incoming = trio.open_memory_channel[tuple[int, bytes]](16)
        self._stdin = bytearray()
        self._stdin_ended = False
        self.command_id = command.command_id
        self.cwd = command.cwd
        self.environment: Mapping[str, str] = command.variables
        self._browser = self.environment.get(BROWSER_VARIABLE, "")
        self.width = command.width
        self.stdin_tty = command.stdin_tty
        self.stdout_tty = command.stdout_tty
        self.stderr_tty = command.stderr_tty
        self.terminal = command.terminal

    async def call(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """See Host."""
        return await self._dispatcher.call(self._actor, method, params, browser=self._browser)

    async def request(self, raw: bytes) -> dict[str, object]:
        """See Host."""
        return await self._dispatcher.request(self._actor, raw, browser=self._browser)

    async def out(self, data: bytes) -> None:
        """See Host; a lost line swallows it."""
        await self._send_pieces(framing.OUT, data)

    async def err(self, data: bytes) -> None:
        """See Host; a lost line swallows it."""
        await self._send_pieces(framing.ERR, data)

    async def read(self, path: str, limit: int) -> bytes:
        """See Host."""
        async with self._asking:
            if path == STDIN:
                return await self._read_stdin(limit)
            return await self._fetch(framing.READ, (path, str(limit)), limit)

    async def read_line(self, limit: int) -> bytes | None:
        """See Host."""
        async with self._asking:
            searched = 0
            while (end := self._stdin.find(b"\n", searched)) < 0 and not self._stdin_ended:
                searched = len(self._stdin)
                _verify_size(searched, limit)
                await self._fill_stdin()
            if end < 0 and not self._stdin:
                return None
            length = len(self._stdin) if end < 0 else end
            _verify_size(length, limit)
            line = bytes(self._stdin[:length])
            del self._stdin[: length + 1]
            return line.removesuffix(b"\r")

    async def variable(self, name: str, limit: int) -> bytes:
        """See Host."""
        return await self._ask(framing.VARIABLE, (name, str(limit)), limit)

    async def resolve(self, path: str) -> str:
        """See Host."""
        found = await self._ask(framing.RESOLVE, (path,), PATH_LIMIT)
        return framing.parse_text(found)

    async def prepare(self, path: str) -> None:
        """See Host."""
        async with self._asking:
            await self._line.send(
                framing.PREPARE, framing.encode_fields((framing.encode_text(path),))
            )
            await self._next_piece()

    async def write(self, path: str, data: bytes, mode: int) -> None:
        """See Host."""
        async with self._asking:
            request = (framing.encode_text(path), str(mode).encode())
            await self._line.send(framing.WRITE, framing.encode_fields(request))
            await self._send_pieces(framing.BYTES, data)
            await self._line.send(framing.DONE)
            await self._next_piece()

    async def take(self, kind: int, payload: bytes) -> None:
        """Hand over a frame that answers what we asked for."""
        with suppress(trio.BrokenResourceError):
            await self._replies.send((kind, payload))

    def end(self) -> None:
        """Say that no answer will come any more: whoever waits gets `CallerGone`."""
        self._replies.close()

    async def _ask(self, kind: int, fields: Sequence[str], limit: int) -> bytes:
        async with self._asking:
            return await self._fetch(kind, fields, limit)

    async def _fetch(self, kind: int, fields: Sequence[str], limit: int) -> bytes:
        """Ask the client for something; return all the pieces of its answer."""
        await self._line.send(kind, framing.encode_fields(map(framing.encode_text, fields)))
        content = bytearray()
        while (piece := await self._next_piece()) is not None:
            content += piece
            self._verify_answer(len(content), limit)
        return bytes(content)

    async def _read_stdin(self, limit: int) -> bytes:
        while not self._stdin_ended:
            _verify_size(len(self._stdin), limit)
            await self._fill_stdin()
        _verify_size(len(self._stdin), limit)
        content = bytes(self._stdin)
        self._stdin.clear()
        return content

    async def _fill_stdin(self) -> None:
        """Ask for one piece of stdin, for as long as it takes to come."""
        request = (STDIN.encode(), str(framing.CHUNK).encode())
        await self._line.send(framing.READ, framing.encode_fields(request))
        piece = await self._next_piece(timeout_s=float("inf"))
        self._verify_answer(len(piece or b""), framing.CHUNK)
        self._stdin_ended = piece is None
        self._stdin += piece or b""

    async def _next_piece(self, timeout_s: float = ANSWER_S) -> bytes | None:
        """Return the next piece of what was asked for, None at its end; raise its Failure."""
        try:
            with trio.fail_after(timeout_s):
                kind, payload = await self._incoming.receive()
        except (trio.EndOfChannel, trio.TooSlowError):
            raise CallerGone from None
        if kind == framing.FAILED:
            raise _parse_failure(payload)
        return payload if kind == framing.DATA else None

    def _verify_answer(self, size: int, limit: int) -> None:
        """Drop a client that sends more than it was asked for: it keeps to the limit itself."""
        if size > limit:
            self._line.drop()
            raise CallerGone

    async def _send_pieces(self, kind: int, data: bytes) -> None:
        for start in range(0, len(data), framing.CHUNK):
            await self._line.send(kind, data[start : start + framing.CHUNK])


async def host_command(line: Line, host: LineHost, invocation: Invocation) -> None:
    """Run a parsed command to its end, and tell the caller the exit code."""
    kind = b"write" if invocation.writes else b"read"
    ask = framing.encode_text(invocation.ask.replace(COMMAND_ID, host.command_id))
    accepted = (host.command_id.encode("ascii"), kind, ask)
    await line.send(framing.ACCEPTED, framing.encode_fields(accepted))
    if line.is_lost:
        return  # nothing was started, as the client will say
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_listen, line, host, invocation.writes, nursery.cancel_scope)
        code = await _run(invocation, host)
        await line.send(framing.EXIT, str(code).encode("ascii"))
        nursery.cancel_scope.cancel()


async def _run(invocation: Invocation, host: LineHost) -> int:
    try:
        return await invocation.run(host)
    except Exception as error:
        log_mistake(f"command {host.command_id} ended by an error of ours", error)
        await host.err(b'understudy: internal error\nhint: see "understudy daemon logs"\n')
        return 1


async def _listen(line: Line, host: LineHost, writes: bool, command: trio.CancelScope) -> None:  # noqa: FBT001
    """Pass answers on until the line ends or is interrupted; a read ends with it."""
    is_open = True
    while is_open and (frames := await line.receive()):
        for kind, payload in frames:
            if kind in (framing.DATA, framing.EOF, framing.FAILED):
                await host.take(kind, payload)
            else:  # an interrupt, or what only another version knows
                is_open = False
    host.end()
    if not writes:
        command.cancel()


def _verify_size(size: int, limit: int) -> None:
    if size > limit:
        raise Failure(
            "input_too_large",
            f"the input is longer than {limit} bytes",
            "pass less, or the right file",
        )


def _parse_failure(payload: bytes) -> Failure:
    fields = [framing.parse_text(field) for field in framing.parse_fields(payload)]
    code, message, hint = (*fields, "", "", "")[:3]
    return Failure(code or "unreadable_file", message, hint)
