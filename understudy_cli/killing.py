"""Ending a daemon that hangs, and nothing else: what to signal is proven first."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from protocol import paths
from protocol.errors import Failure
from protocol.processes import is_daemon, parse_holder, parse_start_time

if TYPE_CHECKING:
    from collections.abc import Callable


def kill_proven(run: int, is_gone: Callable[[], bool]) -> None:
    """Terminate, then kill, the daemon that holds the lock; ``is_gone`` waits for its end.

    Raises Failure ``daemon_unavailable`` when the lock's holder is not proven to
    be the process that the lock file names, and when it survives.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal_proven(run, number)
        if is_gone():
            return
    raise Failure("daemon_unavailable", "the daemon does not end", "look at its process")


def _signal_proven(run: int, number: signal.Signals) -> None:
    """Send a signal to the lock's holder through a descriptor of that very process."""
    pid = _holder_pid(run)
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        _verify_holder(run, pid)  # with the descriptor open its number cannot be reused
        signal.pidfd_send_signal(process, number)
    except ProcessLookupError:
        return
    finally:
        os.close(process)


def _holder_pid(run: int) -> int:
    holder = _read_holder(run)
    if holder is None or not hasattr(os, "pidfd_open"):
        raise _unproven()
    return holder[0]


def _read_holder(run: int) -> tuple[int, str] | None:
    lock = os.open(paths.DAEMON_LOCK, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=run)
    try:
        return parse_holder(os.read(lock, 64))
    finally:
        os.close(lock)


def _verify_holder(run: int, pid: int) -> None:
    process = Path(f"/proc/{pid}")
    try:
        started = parse_start_time((process / "stat").read_bytes())
        is_ours = process.stat().st_uid == os.geteuid()
        command_line = (process / "cmdline").read_bytes()
    except OSError:
        raise _unproven() from None
    if not (_read_holder(run) == (pid, started) and is_ours and is_daemon(command_line)):
        raise _unproven()


def _unproven() -> Failure:
    return Failure(
        "daemon_unavailable",
        "the daemon hangs, and which process it is cannot be proven; nothing was signalled",
        "find the process that holds run/daemon.lock in the state directory, and end it",
    )
