"""The thin client: one command's argv to the daemon, its output and file work back here.

Light to import (see ``main``). What only a failure, a file or a start needs is
imported when it is needed.

Losing the line: before the daemon accepted nothing was started (exit 9). After
that a read may be repeated (9), and a write has an unknown outcome (4), with
what to ask; but while the daemon waits for standard input it does nothing (9).
argv is never sent twice.
"""

from __future__ import annotations

import os

from protocol import framing, paths
from protocol.processes import parse_start_time
from understudy_cli import connection
from understudy_cli.conversation import Conversation, LineLost
from understudy_cli.streams import STDERR, STDIN, STDOUT, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Mapping, Sequence

    from protocol.errors import Failure

TOKEN_VARIABLE = "UNDERSTUDY_CLIENT_TOKEN_FILE"  # noqa: S105 - the variable's name, no token
TOKEN_LIMIT = 4096
VARIABLES = (
    "UNDERSTUDY_SESSION",
    "UNDERSTUDY_OUTPUT",
    "UNDERSTUDY_BROWSER",
    "COLUMNS",
    "NO_COLOR",
    "TERM",
    "DISPLAY",
)
"""All that a command sees of its caller's environment."""
DEFAULT_WIDTH = 80
INTERRUPTED = 130


def run(argv: Sequence[str]) -> int:
    """Run one command in the daemon, starting that when none answers; return the exit code."""
    streams = Streams()
    try:
        return _settle(_run(argv, streams), streams)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        from understudy_cli.reporting import report  # noqa: PLC0415

        return report(error, argv, streams)


def _run(argv: Sequence[str], streams: Streams) -> int:
    state = connection.find_state_directory(os.environ)
    command = _describe(argv)
    frame = framing.encode_command(command)
    line = _connect(state)
    if line is None:
        from understudy_cli import starting  # noqa: PLC0415

        answered = starting.answer_or_start(state, command, streams)
        if answered is not None:
            return answered
        line = _connect(state)
    if line is None:
        raise LineLost
    return _hold(Conversation(line, streams), frame, streams)


def _connect(state: str) -> _socket.socket | None:
    run_directory = connection.open_run(state)
    if run_directory is None:
        return None
    try:
        return connection.connect(state, run_directory, paths.CLI_SOCKET)
    finally:
        os.close(run_directory)


def _hold(conversation: Conversation, frame: bytes, streams: Streams) -> int:
    try:
        return conversation.hold(frame)
    except KeyboardInterrupt:
        conversation.interrupt()
        streams.put(STDERR, _interrupted(conversation).encode("utf-8", "surrogateescape"))
        streams.flush(STDERR)
        return INTERRUPTED


def _interrupted(conversation: Conversation) -> str:
    """Return what became of a command that its caller left, and what to ask about it."""
    if not conversation.is_accepted:
        hint = "if it was to change something, look before you send it again"
        return f"understudy: interrupted before the daemon answered\nhint: {hint}\n"
    if conversation.idle:
        what = f"interrupted while it waited for standard input; {conversation.idle}"
        return f"understudy: {what}\nhint: what was not sent can be sent again\n"
    if not conversation.writes:
        hint = f"run it again, or ask what became of it: {conversation.ask}"
        return f"understudy: interrupted; the command only reads\nhint: {hint}\n"
    hint = f'"{conversation.ask}" tells what became of it'
    return f"understudy: interrupted; the command goes on in the daemon, to its end\nhint: {hint}\n"


def _settle(code: int, streams: Streams) -> int:
    """Return the exit code; a result that could not be printed is never a success."""
    if not streams.problem:
        return code
    text = f"understudy: {streams.problem}\nhint: the command itself ended with exit code {code}\n"
    streams.put(STDERR, text.encode())
    streams.flush()
    return code or 1


def _describe(argv: Sequence[str]) -> framing.Command:
    environ = os.environ
    return framing.Command(
        command_id=os.urandom(16).hex(),
        argv=argv,
        cwd=_working_directory(),
        variables={name: environ[name] for name in VARIABLES if name in environ},
        token=_read_token(environ.get(TOKEN_VARIABLE, "")),
        terminal=_terminal_session(),
        width=_width(environ),
        ttys=(os.isatty(STDIN), os.isatty(STDOUT), os.isatty(STDERR)),
    )


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib is heavy
    except FileNotFoundError:
        return ""  # it was removed under us; only what needs it will fail


def _width(environ: Mapping[str, str]) -> int:
    named = environ.get("COLUMNS", "")
    if named.isascii() and named.isdecimal() and 0 < len(named) <= 4 and int(named):
        return int(named)
    try:
        return os.get_terminal_size(STDOUT).columns or DEFAULT_WIDTH
    except OSError:
        return DEFAULT_WIDTH


def _terminal_session() -> str:
    """Return what tells this terminal session from any other, "" without a terminal.

    A session id is a pid, so its leader's start time is added where it is known.
    """
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return ""
    session = os.getsid(0)
    return f"{session}:{read_start_time(session)}"


def read_start_time(pid: int) -> str:
    """Return when a process began (see `parse_start_time`), "" when it cannot be told."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return ""
    try:
        return parse_start_time(os.read(descriptor, 4096))
    finally:
        os.close(descriptor)


def _read_token(path: str) -> str:
    """Return the client token that this caller shows; raises Failure ``actor``."""
    if not path:
        return ""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOCTTY)
        try:
            wrong = paths.check_secret(os.fstat(descriptor).st_mode)
            token = os.read(descriptor, TOKEN_LIMIT).strip()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _token_failure(f"cannot be read: {error.strerror}") from None
    if wrong:
        raise _token_failure(wrong, "make it private (chmod 600)")
    if not token:
        raise _token_failure("is empty")
    return token.decode("utf-8", "surrogateescape")


def _token_failure(reason: str, hint: str = "") -> Failure:
    from protocol.errors import Failure  # noqa: PLC0415

    hint = hint or f'unset {TOKEN_VARIABLE}, or name the file that "understudy client add" wrote'
    return Failure("actor", f"the file that {TOKEN_VARIABLE} names {reason}", hint)
