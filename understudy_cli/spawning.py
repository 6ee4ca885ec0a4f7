"""A daemon as a process of its own: detached from every descriptor of its starter."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

from protocol import paths
from protocol.errors import Failure
from protocol.processes import DAEMON_NAME
from understudy_cli.readiness import LIMIT, parse_readiness

TAIL_LINES = 3
TAIL_BYTES = 1024 * 1024
STDERR_FILE = "log/daemon.stderr"
"""What the interpreter itself had to say at the last start."""
CALLER_VARIABLES = frozenset(
    {
        "UNDERSTUDY_SESSION",
        "UNDERSTUDY_OUTPUT",
        "UNDERSTUDY_CLIENT_TOKEN_FILE",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "TERM",
        "PYTHONSTARTUP",
    }
)
"""Facts about one caller, which the daemon of all callers must not inherit."""

_PROGRAM = (
    "import sys; root = sys.argv.pop(1); del sys.argv[0]; "
    "root in sys.path or sys.path.insert(0, root); "
    "from understudy_cli.serve import main; sys.exit(main())"
)


def spawn_daemon(state: str, deadline_s: float) -> Failure | None:
    """Start a daemon and wait for its word; return None when it can be reached.

    Otherwise return the cause: the daemon's own words, or the end of what it
    wrote before it died. ``deadline_s`` is on the monotonic clock.
    """
    Path(state, "log").mkdir(mode=0o700, exist_ok=True)
    ours, theirs = os.pipe()
    try:
        child = os.fork()
        if child == 0:
            _become_daemon(state, theirs)
        os.close(theirs)
        os.waitpid(child, 0)
        told = _listen(ours, deadline_s)
    finally:
        os.close(ours)
    failure = parse_readiness(told)
    if failure is None or failure.message:
        return failure
    return _silent_death(state)


def tail(path: Path, lines: int) -> list[str]:
    """Return the last lines of a file, of at most its last MiB; none when it is missing."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            content = file.read(TAIL_BYTES)
    except FileNotFoundError:
        return []
    return content.decode("utf-8", "replace").splitlines()[-lines:]


def _become_daemon(state: str, ready: int) -> None:
    """Leave the caller's process group, terminal and descriptors, and run the daemon.

    Runs in the forked child and never returns. The one that stays is its child,
    so it is nobody's to wait for and can get no terminal.
    """
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        _detach(state, ready)
        root = str(Path(__file__).resolve().parent.parent)
        argv = [sys.executable, "-P", "-c", _PROGRAM, root, DAEMON_NAME, "--ready-fd", "3"]
        os.execve(sys.executable, argv, _environment(state))  # noqa: S606 - our own interpreter
    finally:
        os._exit(127)


def _detach(state: str, ready: int) -> None:
    """Keep the pipe as descriptor 3, /dev/null and a file as the first three, nothing else."""
    os.umask(0o077)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    said = os.open(f"{state}/{STDERR_FILE}", flags, 0o600)
    kept = [os.open(os.devnull, os.O_RDWR), os.open(os.devnull, os.O_RDWR), said, ready]
    kept = [fcntl_above(number) for number in kept]
    for target, number in enumerate(kept):
        os.dup2(number, target, inheritable=True)
    os.closerange(len(kept), os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")


def fcntl_above(number: int) -> int:
    """Return a duplicate with a number of 10 or more, out of the way of 0 to 3."""
    import fcntl  # noqa: PLC0415

    return fcntl.fcntl(number, fcntl.F_DUPFD, 10)


def _environment(state: str) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if name not in CALLER_VARIABLES}
    return environ | {paths.HOME_VARIABLE: state}


def _listen(pipe: int, deadline_s: float) -> bytes:
    """Return what the daemon says before it closes the pipe, or until the deadline."""
    told = b""
    while len(told) < LIMIT:
        left_s = max(0.0, deadline_s - time.monotonic())
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        if not waiting.poll(left_s * 1000):
            return told
        piece = os.read(pipe, LIMIT)
        if not piece:
            return told
        told += piece
    return told


def _silent_death(state: str) -> Failure:
    said = tail(Path(state, STDERR_FILE), TAIL_LINES) or tail(Path(state, paths.LOG), TAIL_LINES)
    return Failure(
        "daemon_unavailable",
        "the daemon did not start" + (": " + " | ".join(said) if said else ""),
        f"its log is {state}/{paths.LOG}",
    )
