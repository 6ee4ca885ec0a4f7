"""One command's conversation with the daemon, as the thin client holds it.

Light to import. One loop waits for the daemon, for room in our output and, when
the daemon asked for it, for standard input; so a dead daemon, a slow reader and
a stdin that never comes are all noticed.
"""

from __future__ import annotations

import _socket
import os
import select

from protocol import framing
from understudy_cli.streams import STDERR, STDIN, STDOUT, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from understudy_cli.files import Writing

ANSWER_S = 30.0
"""How long the daemon may take to answer at all, and to take in a piece of a file."""
ANSWER_MS = int(ANSWER_S * 1000)
INTERRUPT_S = 1.0
RECEIVE = 256 * 1024
READER_GONE = 141
"""What a shell sees of a command that SIGPIPE ended."""


class LineLost(Exception):
    """The daemon went away, or never answered; with what it said on accepting.

    ``idle``: it waited for standard input, and what that means; "" when it did not.
    """

    def __init__(
        self,
        *,
        is_accepted: bool = False,
        writes: bool = False,
        ask: str = "",
        idle: str = "",
    ) -> None:
        super().__init__()
        self.is_accepted, self.writes, self.ask = is_accepted, writes, ask
        self.idle = idle


class Refused(Exception):
    """The daemon started nothing; carries code, message and hint."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class Conversation:
    """From argv to the exit code.

    ``is_accepted``, ``writes`` and ``ask`` are what the daemon said on accepting:
    they decide what a lost line means.
    """

    def __init__(self, line: _socket.socket, streams: Streams) -> None:
        self._line = line
        self._streams = streams
        self._decoder = framing.Decoder()
        self._stdin_wanted = 0
        self._is_told = False
        self._writing: Writing | None = None
        self._has_heard = False
        self._code: int | None = None
        self.is_accepted = False
        self.writes = False
        self.ask = ""
        line.settimeout(ANSWER_S)

    @property
    def idle(self) -> str:
        """What was done, if the daemon waits for standard input; "" if it does not.

        It does nothing before that comes.
        """
        if not self._stdin_wanted:
            return ""
        return "nothing was sent but what was answered" if self._is_told else "nothing was sent"

    def hold(self, argv_frame: bytes) -> int:
        """Send the command, serve it to its end, and return its exit code.

        Raises `LineLost` and `Refused`.
        """
        self._send(argv_frame)
        try:
            while self._code is None:
                self._step()
        finally:
            if self._writing is not None:
                self._writing.discard()
        self._streams.flush()
        return self._code

    def interrupt(self) -> None:
        """Tell the daemon that the caller leaves; a write runs on to its end there."""
        self._line.settimeout(INTERRUPT_S)
        self._send(framing.encode_frame(framing.INTERRUPT))

    def _step(self) -> None:
        """Wait for whatever can go on, and do one piece of it."""
        line, target = self._line.fileno(), self._streams.next_target
        waiting = select.poll()
        if target is not None:
            waiting.register(target, select.POLLOUT)
        if not self._streams.is_full:
            waiting.register(line, select.POLLIN)
        if self._stdin_wanted:
            waiting.register(STDIN, select.POLLIN)
        ready = [number for number, _ in waiting.poll(None if self._has_heard else ANSWER_MS)]
        if not ready:
            self._stop_listening()
        if target in ready:
            self._write_output()
        if line in ready:  # first: what is read for a daemon that is gone would be lost
            self._receive()
        if STDIN in ready and self._stdin_wanted and self._code is None:
            self._pass_stdin()

    def _stop_listening(self) -> None:
        """Give a daemon up that says nothing; what it said just now still counts."""
        self._line.shutdown(_socket.SHUT_RDWR)
        self._has_heard = True

    def _receive(self) -> None:
        try:
            data = self._line.recv(RECEIVE)
            frames = self._decoder.feed(data) if data else []
        except (OSError, framing.FrameInvalid) as error:
            raise self._lost() from error
        if not data:
            self._streams.flush()
            raise self._lost()
        self._has_heard = True
        for kind, payload in frames:
            self._take(kind, payload)

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == framing.OUT:
            self._is_told = True
            self._streams.put(STDOUT, payload)
        elif kind == framing.ERR:
            self._streams.put(STDERR, payload)
        elif kind == framing.EXIT:
            self._code = framing.parse_number(payload)
        elif kind == framing.BYTES:
            if self._writing is not None:
                self._writing.add(payload)
        else:
            self._take_request(kind, self._parse(payload))

    def _take_request(self, kind: int, fields: list[str]) -> None:
        if kind == framing.ACCEPTED:
            _, effect, self.ask = fields
            self.is_accepted, self.writes = True, effect == "write"
        elif kind == framing.REFUSED:
            raise Refused(*fields)
        elif kind == framing.READ:
            self._read(fields[0], int(fields[1]))
        elif kind == framing.WRITE:
            self._writing = _files().Writing(fields[0], int(fields[1]))
        elif kind == framing.DONE and self._writing is not None:
            self._answer(self._writing.keep())
            self._writing = None
        elif kind == framing.PREPARE:
            self._answer(_files().try_prepare(fields[0]))
        elif kind == framing.VARIABLE:
            self._answer(_files().send_variable(fields[0], int(fields[1]), self._send_data))
        elif kind == framing.RESOLVE:
            self._answer(_files().send_real_path(fields[0], self._send_data))

    def _read(self, path: str, limit: int) -> None:
        if path != framing.STDIN:
            self._answer(_files().send(path, limit, self._send_data))
        elif self._streams.is_stdin_closed:
            self._answer(("unreadable_file", "standard input is closed", "give it one, or a file"))
        elif self._streams.is_reader_gone:
            self._answer(None)
        else:
            self._stdin_wanted = limit

    def _pass_stdin(self) -> None:
        """Make one read of standard input, as it was asked for."""
        try:
            data = os.read(STDIN, self._stdin_wanted)
        except BlockingIOError:
            return  # somebody else made it non-blocking and was faster
        except OSError as error:
            message = f"standard input cannot be read: {error.strerror}"
            self._answer(("unreadable_file", message, "give it a stream or a file"))
        else:
            if data:
                self._send_data(data)
            else:
                self._answer(None)
        self._stdin_wanted = 0

    def _write_output(self) -> None:
        self._streams.write_some()
        if not self._streams.is_reader_gone:
            return
        if self._stdin_wanted:
            self._stdin_wanted = 0
            self._answer(None)
        if not self.writes:
            self._code = READER_GONE

    def _answer(self, failure: Sequence[str] | None) -> None:
        """End what the daemon asked for: well, or by (code, message, hint)."""
        if failure is None:
            self._send(framing.encode_frame(framing.EOF))
        else:
            payload = framing.encode_fields(framing.encode_text(text) for text in failure)
            self._send(framing.encode_frame(framing.FAILED, payload))

    def _parse(self, payload: bytes) -> list[str]:
        try:
            return [framing.parse_text(field) for field in framing.parse_fields(payload)]
        except framing.FrameInvalid as error:
            raise self._lost() from error

    def _lost(self) -> LineLost:
        return LineLost(
            is_accepted=self.is_accepted,
            writes=self.writes,
            ask=self.ask,
            idle=self.idle,
        )

    def _send_data(self, data: bytes) -> None:
        self._send(framing.encode_frame(framing.DATA, data))

    def _send(self, frame: bytes) -> None:
        """Send a frame; a daemon that is gone shows when we next listen to it."""
        try:
            self._line.sendall(frame)
        except OSError:
            self._has_heard = True


def _files() -> ModuleType:
    """Return the module of file work, which most commands never need."""
    from understudy_cli import files  # noqa: PLC0415

    return files
