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
    from daemon.clock import Clock
    from daemon.paths import Layout


PROBE_S = 0.5
LOOK_S = 10.0
"""Time between two looks at whether the lock file is still in its place."""


def take_lock(run: int) -> int:
    """Hold the lock until this process ends; return the lock file's descriptor.

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
    return lock


async def wait_displaced(layout: Layout, lock: int, clock: Clock) -> None:
    """Return once the lock that is held is not the one in its place any more.

    Then the state directory was removed or moved: no command reaches this daemon, and
    another one may begin in its place.
    """
    while _is_in_place(layout.run / paths.DAEMON_LOCK, lock):
        await clock.sleep_until(clock.boot_s() + LOOK_S)


def _is_in_place(path: Path, lock: int) -> bool:
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # it cannot be told now
        return True
    return os.path.samestat(found, os.fstat(lock))


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
