"""Commands that need no daemon, run in the client's own process.

Help, the version, receipts and completions are answered here, by the same tree and
the same options as in the daemon. Nothing offline waits or writes a file, so no
event loop is started.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.commandline import Text
from protocol.errors import Failure
from understudy_cli import files
from understudy_cli.app import parse
from understudy_cli.conversation import READER_GONE
from understudy_cli.exits import DONE, INTERNAL
from understudy_cli.render import encode_text
from understudy_cli.streams import STDERR, STDIN, STDOUT, Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    LocalMethod = Callable[[Mapping[str, object]], dict[str, object]]

DEFAULT_COLUMNS = 80


@dataclass
class OfflineHost:
    """The client's own process as a host: its files and streams, and no daemon.

    ``methods`` are the few that the client can serve itself, such as starting the daemon.
    """

    environment: Mapping[str, str]
    width: int
    streams: Streams
    methods: Mapping[str, LocalMethod] = field(default_factory=dict)
    command_id: str = ""
    cwd: str = "."
    stdin_tty: bool = False
    stdout_tty: bool = False
    stderr_tty: bool = False
    terminal: str = ""

    async def call(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """Serve a local method; for any other the daemon would be needed."""
        local = self.methods.get(method)
        if local is None:
            raise _needs_daemon(method)
        return local(params)

    async def request(self, raw: bytes) -> dict[str, object]:
        """Refuse: an evidence session needs the daemon."""
        raise _needs_daemon(f"a request of {len(raw)} bytes")

    async def read(self, path: str, limit: int) -> bytes:
        """See Host."""
        if path != "-":
            return b"".join(files.read_pieces(path, limit))
        if self.streams.is_stdin_closed:
            raise _unreadable("it is closed")
        return _read_stdin(limit)

    async def read_line(self, limit: int) -> bytes | None:
        """Refuse: lines are read for sessions only, which need the daemon."""
        raise _needs_daemon(f"a line of at most {limit} bytes")

    async def variable(self, name: str, limit: int) -> bytes:
        """Refuse: variables are read for sessions only, which need the daemon."""
        raise _needs_daemon(f"the variable {name} (at most {limit} bytes)")

    async def resolve(self, path: str) -> str:
        """See Host."""
        return files.resolve(path)

    async def prepare(self, path: str) -> None:
        """Refuse: nothing offline writes a file."""
        raise _needs_daemon(f"writing {path}")

    async def write(self, path: str, data: bytes, mode: int) -> None:
        """Refuse: nothing offline writes a file."""
        raise _needs_daemon(f"writing {path} ({len(data)} bytes, mode {mode:o})")

    async def out(self, data: bytes) -> None:
        """See Host."""
        self._print(STDOUT, data)

    async def err(self, data: bytes) -> None:
        """See Host."""
        self._print(STDERR, data)

    def _print(self, number: int, data: bytes) -> None:
        self.streams.put(number, data)
        self.streams.flush()


def run(argv: Sequence[str], methods: Mapping[str, LocalMethod] | None = None) -> int:
    """Parse and run a command line here; return its exit code."""
    streams = Streams()
    host = OfflineHost(
        environment=os.environ,
        width=find_width(os.environ),
        streams=streams,
        methods=methods or {},
        stdin_tty=os.isatty(STDIN),
        stdout_tty=os.isatty(STDOUT),
        stderr_tty=os.isatty(STDERR),
    )
    exit_code = _answer(argv, host)
    if streams.problem:
        streams.put(STDERR, f"understudy: {streams.problem}\n".encode())
        streams.flush()
        return exit_code or INTERNAL
    return exit_code or (READER_GONE if streams.is_reader_gone else DONE)


def find_width(environment: Mapping[str, str]) -> int:
    """Return the columns of the terminal: COLUMNS, else what the terminal says, else 80."""
    named = environment.get("COLUMNS", "")
    if named.isascii() and named.isdecimal() and 0 < len(named) <= 4 and int(named):
        return int(named)
    try:
        return os.get_terminal_size(STDOUT).columns or DEFAULT_COLUMNS
    except OSError:
        return DEFAULT_COLUMNS


def _answer(argv: Sequence[str], host: OfflineHost) -> int:
    parsed = parse(argv, width=host.width)
    if not isinstance(parsed, Text):
        return _drive(parsed.run(host))
    host.streams.put(STDOUT, encode_text(parsed.out))
    host.streams.put(STDERR, encode_text(parsed.err))
    host.streams.flush()
    return parsed.exit


def _drive(command: Coroutine[object, None, int]) -> int:
    """Run a coroutine that never waits, because nothing of an offline host does."""
    try:
        command.send(None)
    except StopIteration as finished:
        exit_code: int = finished.value
        return exit_code
    raise RuntimeError("an offline command waited for something")


def _read_stdin(limit: int) -> bytes:
    content = bytearray()
    try:
        while piece := os.read(STDIN, files.CHUNK):
            content += piece
            if len(content) > limit:
                message = f"standard input is longer than {limit} bytes"
                raise Failure("input_too_large", message, "pass less, or the right file")
    except OSError as error:
        raise _unreadable(error.strerror or str(error)) from None
    return bytes(content)


def _unreadable(reason: str) -> Failure:
    return Failure(
        "unreadable_file", f"standard input cannot be read: {reason}", "give it one, or a file"
    )


def _needs_daemon(what: str) -> Failure:
    return Failure(
        "daemon_unavailable", f"{what} needs the daemon", 'start it: "understudy daemon start"'
    )
