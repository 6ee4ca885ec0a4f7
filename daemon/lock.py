"""One daemon per installation: whoever holds the lock file is it.

The lock is the kernel's (flock), so a killed daemon never leaves it behind, and
no pid in a file is ever believed by itself. What the holder writes into the lock
file (pid and its start time) only helps to find it again; see
``understudy_cli.lifecycle``.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from protocol import paths
from protocol.errors import Failure
from protocol.processes import encode_holder, parse_start_time

if TYPE_CHECKING:
    from daemon.paths import Layout


PROBE_S = 0.5


def take_lock(run: int) -> None:
    """Hold the lock until this process ends.

    ``run`` is a descriptor of the runtime directory. Raises Failure
    ``daemon_running`` when another daemon holds it.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(paths.DAEMON_LOCK, flags, 0o600, dir_fd=run)
    if not _lock(lock):
        os.close(lock)
        raise Failure(
            "daemon_running",
            "a daemon of this installation is running already",
            'use it, or end it with "understudy daemon stop"',
        )
    os.ftruncate(lock, 0)
    os.pwrite(lock, encode_holder(os.getpid(), _own_start_time()), 0)


def _own_start_time() -> str:
    stat = Path("/proc/self/stat")
    return parse_start_time(stat.read_bytes()) if stat.exists() else ""


def _lock(lock: int) -> bool:
    """Try for a moment: whoever asks whether a daemon runs holds the lock that long."""
    deadline_s = time.monotonic() + PROBE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline_s:
                return False
            time.sleep(PROBE_S / 20)
        else:
            return True


def write_pid_file(layout: Layout) -> None:
    """Leave our pid for people to read; nothing of ours ever acts on it."""
    path = layout.run / paths.PID_FILE
    path.unlink(missing_ok=True)
    path.write_text(f"{os.getpid()}\n")
