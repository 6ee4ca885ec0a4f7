"""Which process a pid means: a pid is used again, pid with start time and boot is not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_PS_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process of this machine. The times are opaque: compare, never compute."""

    pid: int
    start_time: str
    boot_id: str

    def __str__(self) -> str:
        return f"{self.boot_id}/{self.pid}/{self.start_time}"


def read_identity(pid: int) -> ProcessIdentity | None:
    """Return the identity of the process that has ``pid`` now; None if there is none.

    A zombie still has its identity.
    """
    start_time = _start_time(pid)
    return None if start_time is None else ProcessIdentity(pid, start_time, _boot_id())


def read_command_line(pid: int) -> tuple[str, ...]:
    """Return the argv of a process as the system shows it now; empty if it has none.

    Chromium writes its title over its argv with blanks in place of the separators,
    so on Linux the result often is one string that holds everything.
    """
    if sys.platform != "linux":
        line = _ps(pid, "args=")
        return (line,) if line else ()
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return ()
    text = raw.rstrip(b"\0").decode("utf-8", "backslashreplace")
    return tuple(text.split("\0")) if text else ()


def _start_time(pid: int) -> str | None:
    if sys.platform != "linux":
        return _ps(pid, "lstart=") or None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # field 22; the name, field 2, stands in brackets and may hold anything
    return stat.rpartition(")")[2].split()[19]


def _boot_id() -> str:
    if sys.platform != "linux":
        return _run("/usr/sbin/sysctl", "-n", "kern.boottime")
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _ps(pid: int, column: str) -> str:
    return _run("/bin/ps", "-ww", "-o", column, "-p", str(pid))


def _run(*argv: str) -> str:
    done = subprocess.run(  # noqa: S603 (absolute paths and a number)
        argv, capture_output=True, text=True, timeout=_PS_TIMEOUT_S, check=False
    )
    return done.stdout.strip()
