"""How a process is told from a stranger that got its number: pid and start time.

Pure and light to import; whoever asks reads the process table itself.
"""

from __future__ import annotations

DAEMON_NAME = "understudyd"
"""A daemon's command line has an argument whose last path segment is this."""


def parse_start_time(stat: bytes) -> str:
    """Return when a process began, in clock ticks since boot, from its ``/proc/PID/stat``.

    "" when the text is no such thing. The command's name may hold anything, so
    fields are counted from behind its closing parenthesis.
    """
    fields = stat[stat.rfind(b")") + 1 :].split()
    return fields[19].decode("ascii", "replace") if b")" in stat and len(fields) > 19 else ""


def encode_holder(pid: int, started: str) -> bytes:
    """Return what the daemon writes into its lock file; the inverse of `parse_holder`."""
    return f"{pid} {started}\n".encode("ascii")


def parse_holder(data: bytes) -> tuple[int, str] | None:
    """Return (pid, start time) from a lock file, None when it holds anything else."""
    pid, _, started = data.strip().partition(b" ")
    if not (pid.isdigit() and started.isdigit() and len(data) < 64 and int(pid) > 1):
        return None
    return int(pid), started.decode("ascii")


def is_daemon(command_line: bytes) -> bool:
    """Return whether a ``/proc/PID/cmdline`` is that of a daemon of ours."""
    name = DAEMON_NAME.encode("ascii")
    return any(part.rpartition(b"/")[2] == name for part in command_line.split(b"\0"))
