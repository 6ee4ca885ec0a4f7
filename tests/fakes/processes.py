"""What the system says about processes, read from /proc: nothing of our own code is asked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

GONE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Process:
    """A live process; zombies do not count."""

    pid: int
    group: int
    command_line: str


def live_processes() -> list[Process]:
    """Return every process that can still run code."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, _, group, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state not in "ZX":
            found.append(Process(int(entry.name), int(group), line))
    return found


def members(group: int) -> list[Process]:
    """Return the live processes of a group."""
    return [process for process in live_processes() if process.group == group]


def naming(text: str) -> list[Process]:
    """Return the live processes whose command line holds a text."""
    return [process for process in live_processes() if text in process.command_line]


def await_end_of(group: int, timeout_s: float = GONE_TIMEOUT_S) -> list[Process]:
    """Wait until a group has no live member; return those left when time is up."""
    deadline = time.monotonic() + timeout_s
    while (left := members(group)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def listening_inodes() -> set[str]:
    """Return the socket inodes that listen on TCP in this network namespace."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                inodes.add(fields[9])
    return inodes


def socket_inodes(pid: int) -> set[str]:
    """Return the inodes of the sockets that a process holds."""
    files = held_files(pid).values()
    return {file[8:-1] for file in files if file.startswith("socket:[")}


def variables(pid: int) -> bytes:
    """Return the environment that a process was started with; empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def held_files(pid: int) -> dict[int, str]:
    """Return what each descriptor of a process leads to."""
    files = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            files[int(link.name)] = str(link.readlink())
        except FileNotFoundError:
            continue
    return files
