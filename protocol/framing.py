"""The frames between the thin client and the daemon: bytes to frames and back.

A frame is a big-endian u32 (the length of what follows), one byte of kind, and
the payload. A structured payload is a run of fields, each a big-endian u32
length and that many bytes, so that the client needs no JSON. Text is UTF-8 with
surrogate escapes: what a shell passed comes out byte for byte.

Pure and light to import: the thin client pays for every module named here.
`ARGV`'s first field and `REFUSED` (code, message, hint; nothing was started) keep
their form in every wire version, so that two versions can always say that they
differ.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIRE_VERSION = 2
FRAME_LIMIT = 4 * 1024 * 1024
"""Longest kind and payload of one frame, in bytes; an argv may fill it."""
CHUNK = 256 * 1024
"""How much of a stream or a file one frame carries, in bytes."""

# client -> daemon
ARGV = 1
DATA = 2
EOF = 3
INTERRUPT = 4
FAILED = 5

# daemon -> client
ACCEPTED = 17
OUT = 18
ERR = 19
READ = 20
WRITE = 21
BYTES = 22
DONE = 23
PREPARE = 24
EXIT = 25
REFUSED = 26
VARIABLE = 27
RESOLVE = 28

STDIN = "-"
"""The path by which `READ` asks for one piece of standard input."""


class FrameInvalid(Exception):
    """The other side sent bytes that are no frame of ours; the line is of no more use."""


class Decoder:
    """Frames out of pieces of any size; holds at most one frame and one piece."""

    __slots__ = ("_held", "_limit")

    def __init__(self, limit: int = FRAME_LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Take a piece in and return each frame it completes, as (kind, payload).

        Raises `FrameInvalid` for a length of 0 or over the limit, as soon as
        the length is known.
        """
        self._held += data
        frames = []
        while (length := self._next_length()) and len(self._held) >= 4 + length:
            frames.append((self._held[4], bytes(self._held[5 : 4 + length])))
            del self._held[: 4 + length]
        return frames

    def _next_length(self) -> int:
        """Return the length of the frame that begins here, 0 while it is not known."""
        if len(self._held) < 4:
            return 0
        length = int.from_bytes(self._held[:4], "big")
        if not 0 < length <= self._limit:
            raise FrameInvalid(f"a frame of {length} bytes; 1 to {self._limit} are allowed")
        return length


def encode_frame(kind: int, payload: bytes = b"") -> bytes:
    """Return one frame; raises `FrameInvalid` when it is over `FRAME_LIMIT`."""
    length = 1 + len(payload)
    if length > FRAME_LIMIT:
        raise FrameInvalid(f"a frame of {length} bytes; 1 to {FRAME_LIMIT} are allowed")
    return length.to_bytes(4, "big") + bytes((kind,)) + payload


def encode_fields(fields: Iterable[bytes]) -> bytes:
    """Return a structured payload; the inverse of `parse_fields`."""
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def parse_fields(payload: bytes) -> list[bytes]:
    """Return the fields of a structured payload; raises `FrameInvalid` when one is cut."""
    fields = []
    at, end = 0, len(payload)
    while at < end:
        start = at + 4
        at = start + int.from_bytes(payload[at:start], "big")
        if start > end or at > end:
            raise FrameInvalid("a field ends after its frame")
        fields.append(payload[start:at])
    return fields


def encode_text(text: str) -> bytes:
    """Return the bytes of a text that a shell or a file system gave us."""
    return text.encode("utf-8", "surrogateescape")


def parse_text(data: bytes) -> str:
    """Return the text of such bytes; the inverse of `encode_text`."""
    return data.decode("utf-8", "surrogateescape")


def parse_number(data: bytes) -> int:
    """Return a decimal number of at most 10 digits; raises `FrameInvalid` for all else."""
    if not (data.isdigit() and len(data) <= 10):
        raise FrameInvalid("a field that should be a number is none")
    return int(data)


class Command:
    """What the thin client knows about one command; the content of `ARGV`.

    ``terminal`` names the caller's terminal session, "" without one; ``token``
    is the client token, "" without one; ``width`` is in columns.
    """

    __slots__ = (
        "argv",
        "command_id",
        "cwd",
        "stderr_tty",
        "stdin_tty",
        "stdout_tty",
        "terminal",
        "token",
        "variables",
        "width",
        "wire_version",
    )

    def __init__(  # noqa: PLR0913 - one record; dataclasses cost the client 20 ms
        self,
        *,
        command_id: str,
        argv: Sequence[str],
        cwd: str,
        variables: Mapping[str, str],
        token: str = "",
        terminal: str = "",
        width: int = 80,
        ttys: tuple[bool, bool, bool] = (False, False, False),
        wire_version: int = WIRE_VERSION,
    ) -> None:
        self.command_id = command_id
        self.argv = tuple(argv)
        self.cwd = cwd
        self.variables = dict(variables)
        self.token = token
        self.terminal = terminal
        self.width = width
        self.stdin_tty, self.stdout_tty, self.stderr_tty = ttys
        self.wire_version = wire_version


def encode_command(command: Command) -> bytes:
    """Return the `ARGV` frame; raises `FrameInvalid` when argv is longer than a frame."""
    ttys = (command.stdin_tty, command.stdout_tty, command.stderr_tty)
    fields = [
        str(command.wire_version),
        command.command_id,
        command.token,
        command.cwd,
        command.terminal,
        str(command.width),
        "".join("1" if tty else "0" for tty in ttys),
        str(len(command.variables)),
    ]
    for name, value in command.variables.items():
        fields += (name, value)
    fields += command.argv
    return encode_frame(ARGV, encode_fields(encode_text(field) for field in fields))


def parse_wire_version(payload: bytes) -> int:
    """Return the wire version of an `ARGV` payload of any version."""
    fields = parse_fields(payload)
    return parse_number(fields[0] if fields else b"")


def parse_command(payload: bytes) -> Command:
    """Return the command of an `ARGV` payload of our version, or raise `FrameInvalid`."""
    fields = parse_fields(payload)
    if len(fields) < 8:
        raise FrameInvalid("argv lacks a field")
    version, command_id, token, cwd, terminal, width, ttys, count = fields[:8]
    first = 8 + 2 * parse_number(count)
    if first > len(fields) or len(ttys) != 3:
        raise FrameInvalid("argv lacks a field")
    texts = [parse_text(field) for field in fields[8:]]
    return Command(
        wire_version=parse_number(version),
        command_id=_parse_command_id(command_id),
        token=parse_text(token),
        cwd=parse_text(cwd),
        terminal=parse_text(terminal),
        width=parse_number(width),
        ttys=(ttys[0] == 0x31, ttys[1] == 0x31, ttys[2] == 0x31),
        variables=dict(zip(texts[: first - 8 : 2], texts[1 : first - 8 : 2], strict=True)),
        argv=texts[first - 8 :],
    )


def _parse_command_id(data: bytes) -> str:
    """Return a command id (32 lower-case hex characters); it is printed and logged."""
    if len(data) != 32 or data.strip(b"0123456789abcdef"):
        raise FrameInvalid("a command id is 32 lower-case hex characters")
    return data.decode("ascii")
