"""Commands that need no daemon, run in the client's own process.

Help, the version, receipts and completions are answered here, by the same tree and
the same options as in the daemon. Nothing offline waits or writes a file, so no
event loop is started.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.app import parse
from understudy_cli.exits import INTERNAL
from understudy_cli.host import Text
from understudy_cli.render import encode_text

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    LocalMethod = Callable[[Mapping[str, object]], dict[str, object]]

CHUNK_BYTES = 1 << 20
DEFAULT_COLUMNS = 80
STDIN, STDOUT, STDERR = 0, 1, 2
_CODES = {
    errno.ENOENT: "no_such_file",
    errno.ENOTDIR: "no_such_file",
    errno.EISDIR: "is_directory",
}


class OutputLost(Exception):
    """What we print cannot be written; ``error`` says why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass
class OfflineHost:
    """The client's own process as a host: its files and streams, and no daemon.

    ``methods`` are the few that the client can serve itself, such as starting the daemon.
    """

    environment: Mapping[str, str]
    width: int
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
        try:
            if path == "-":
                return _read_all(STDIN, limit, path)
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                _verify_file(descriptor, limit, path)
                return _read_all(descriptor, limit, path)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise _unreadable(path, error) from error

    async def read_line(self, limit: int) -> bytes | None:
        """Refuse: lines are read for sessions only, which need the daemon."""
        raise _needs_daemon(f"a line of at most {limit} bytes")

    async def prepare(self, path: str) -> None:
        """Refuse: nothing offline writes a file."""
        raise _needs_daemon(f"writing {path}")

    async def write(self, path: str, data: bytes, mode: int) -> None:
        """Refuse: nothing offline writes a file."""
        raise _needs_daemon(f"writing {path} ({len(data)} bytes, mode {mode:o})")

    async def out(self, data: bytes) -> None:
        """See Host. Raises OutputLost."""
        _write_all(STDOUT, data)

    async def err(self, data: bytes) -> None:
        """See Host. Raises OutputLost."""
        _write_all(STDERR, data)


def run(argv: Sequence[str], methods: Mapping[str, LocalMethod] | None = None) -> int:
    """Parse and run a command line here; return its exit code."""
    host = OfflineHost(
        environment=os.environ,
        width=find_width(os.environ),
        methods=methods or {},
        stdin_tty=os.isatty(STDIN),
        stdout_tty=os.isatty(STDOUT),
        stderr_tty=os.isatty(STDERR),
    )
    try:
        return _answer(argv, host)
    except OutputLost as lost:
        return _explain(lost)


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
    _write_all(STDOUT, encode_text(parsed.out))
    _write_all(STDERR, encode_text(parsed.err))
    return parsed.exit


def _drive(command: Coroutine[object, None, int]) -> int:
    """Run a coroutine that never waits, because nothing of an offline host does."""
    try:
        command.send(None)
    except StopIteration as finished:
        exit_code: int = finished.value
        return exit_code
    raise RuntimeError("an offline command waited for something")


def _explain(lost: OutputLost) -> int:
    """Say what was lost, unless the reader just went away; never exit with 0."""
    if lost.error.errno != errno.EPIPE:
        message = f"understudy: the answer cannot be written: {lost.error.strerror}\n"
        try:
            os.write(STDERR, message.encode())
        except OSError:
            return INTERNAL  # there is nobody left to tell
    return INTERNAL


def _verify_file(descriptor: int, limit: int, path: str) -> None:
    facts = os.fstat(descriptor)
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(facts.st_mode) and facts.st_size > limit:
        raise _too_large(path, limit)


def _read_all(descriptor: int, limit: int, path: str) -> bytes:
    chunks = bytearray()
    while chunk := os.read(descriptor, CHUNK_BYTES):
        chunks += chunk
        if len(chunks) > limit:
            raise _too_large(path, limit)
    return bytes(chunks)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise OutputLost(error) from error


def _unreadable(path: str, error: OSError) -> Failure:
    code = _CODES.get(error.errno or 0, "unreadable_file")
    name = "stdin" if path == "-" else path
    return Failure(
        code, f"{name} cannot be read: {error.strerror}", "check the path and its rights"
    )


def _too_large(path: str, limit: int) -> Failure:
    name = "stdin" if path == "-" else path
    return Failure("input_too_large", f"{name} is larger than {limit} bytes", "name another file")


def _needs_daemon(what: str) -> Failure:
    return Failure(
        "daemon_unavailable", f"{what} needs the daemon", 'start it: "understudy daemon start"'
    )
