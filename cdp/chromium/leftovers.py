"""Ending a browser that an earlier process of ours left behind, and no other."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import trio

from cdp.chromium.identity import ProcessIdentity, read_command_line, read_identity
from cdp.errors import ProcessSurvived

if TYPE_CHECKING:
    from pathlib import Path

KILL_TIMEOUT_S = 5.0
_LOOK_AGAIN_S = 0.02


async def terminate_leftover(
    recorded: ProcessIdentity, user_data_dir: Path, *, timeout_s: float = KILL_TIMEOUT_S
) -> bool:
    """Kill the group of a recorded browser if it still runs; whether there was one to kill.

    Only a process with the recorded pid, start time and boot whose command line names
    ``user_data_dir`` is ours; anything else is left alone. ProcessSurvived if it outlives
    SIGKILL by ``timeout_s`` seconds.
    """
    if not is_ours(recorded, user_data_dir):
        return False
    os.killpg(recorded.pid, signal.SIGKILL)
    with trio.move_on_after(timeout_s):
        # another process's child: no event tells its end on every system
        while is_ours(recorded, user_data_dir):  # noqa: ASYNC110
            await trio.sleep(_LOOK_AGAIN_S)
        return True
    raise ProcessSurvived(recorded.pid, timeout_s)


def is_ours(recorded: ProcessIdentity, user_data_dir: Path) -> bool:
    """Tell whether the recorded process runs now and is a browser with that profile.

    A zombie has no command line, so it does not count.
    """
    return (
        read_identity(recorded.pid) == recorded
        and names_profile(read_command_line(recorded.pid), user_data_dir)
        and leads_group(recorded.pid)
    )


def leads_group(pid: int) -> bool:
    """Tell whether the process leads a group of its own, as every browser of ours does."""
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


def names_profile(command_line: tuple[str, ...], user_data_dir: Path) -> bool:
    """Tell whether argv, or a title with blanks in its place, names the profile directory."""
    flag = f"--user-data-dir={user_data_dir}"
    return f" {flag} " in f" {' '.join(command_line)} "
