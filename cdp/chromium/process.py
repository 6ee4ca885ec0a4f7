"""The browser's process: spawned with its pipe, watched, ended with its whole group.

The browser leads a session and process group of its own. While it is dead but
not yet reaped its pid, and so the group's id, cannot mean anything else; that is
when the rest of the group is killed.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import trio

from cdp.chromium.identity import ProcessIdentity, read_identity
from cdp.errors import LaunchFailed, ProcessSurvived
from cdp.pipe import PipeTransport

if TYPE_CHECKING:
    from collections.abc import Mapping

TERM_TIMEOUT_S = 3.0
KILL_TIMEOUT_S = 5.0
OUTPUT_LIMIT = 64 * 1024
_CHILD_READS, _CHILD_WRITES = 3, 4  # what --remote-debugging-pipe expects
_CLEAR_OF_CHILD = 10
# Python ignores SIGPIPE, and a shell may have us ignore others: a browser expects the defaults
_DEFAULT_SIGNALS = (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class BrowserProcess:
    """A child of ours. ``watch`` and ``drain`` must run as long as it may live."""

    def __init__(self, pid: int, identity: ProcessIdentity, output_fd: int) -> None:
        self.pid = pid
        self.identity = identity
        self.exited = trio.Event()
        self.returncode: int | None = None
        self._output = trio.lowlevel.FdStream(output_fd)
        self._drained = trio.Event()
        self._tail = bytearray()

    @property
    def output(self) -> str:
        """The last 64 KiB of what the browser printed."""
        return self._tail.decode("utf-8", "replace")

    async def watch(self) -> None:
        """Wait for the end, kill what is left of the group, reap."""
        await _await_exit(self.pid)
        self._signal_group(signal.SIGKILL)
        self._reap()

    async def drain(self) -> None:
        """Read what the browser prints, so that it never blocks on it."""
        async with self._output:
            async for data in self._output:
                self._tail += data
                del self._tail[:-OUTPUT_LIMIT]
        self._drained.set()

    async def await_exit(self, timeout_s: float) -> bool:
        """Wait until the process has ended; tell whether it has in time."""
        with trio.move_on_after(timeout_s):
            await self.exited.wait()
        return self.exited.is_set()

    async def await_output(self, timeout_s: float) -> str:
        """Return what was printed last, once nobody prints any more or time is up."""
        with trio.move_on_after(timeout_s):
            await self._drained.wait()
        return self.output

    async def end(self) -> None:
        """End the process by SIGTERM, else by SIGKILL; ProcessSurvived if neither helps."""
        if self.exited.is_set():
            return
        os.kill(self.pid, signal.SIGTERM)
        if await self.await_exit(TERM_TIMEOUT_S):
            return
        self._signal_group(signal.SIGKILL)
        if not await self.await_exit(KILL_TIMEOUT_S):
            raise ProcessSurvived(self.pid, KILL_TIMEOUT_S)

    def _reap(self) -> None:
        _, status = os.waitpid(self.pid, 0)  # returns at once: it has ended
        self.returncode = os.waitstatus_to_exitcode(status)
        self.exited.set()

    def _signal_group(self, number: signal.Signals) -> None:
        """Signal the group; the leader is a child that is not reaped, so the id is ours."""
        os.killpg(self.pid, number)


def spawn(
    argv: tuple[str, ...], environment: Mapping[str, str]
) -> tuple[BrowserProcess, PipeTransport]:
    """Start a browser that is driven by a pipe; LaunchFailed if the system refuses."""
    with ExitStack() as child_ends, ExitStack() as our_ends:
        child_reads, we_write = _pipe(child_ends, our_ends, child_reads=True)
        child_writes, we_read = _pipe(child_ends, our_ends, child_reads=False)
        child_prints, output = _pipe(child_ends, our_ends, child_reads=False)
        try:
            pid = os.posix_spawn(
                argv[0],
                argv,
                environment,
                file_actions=_file_actions(child_reads, child_writes, child_prints),
                setsid=True,
                setsigmask=(),
                setsigdef=_DEFAULT_SIGNALS,
            )
        except OSError as error:
            raise LaunchFailed(f"{argv[0]}: {error.strerror}") from error
        identity = read_identity(pid)
        if identity is None:  # impossible for a child that nobody reaped
            raise LaunchFailed(f"process {pid} cannot be seen")
        our_ends.pop_all()
    return BrowserProcess(pid, identity, output), PipeTransport(we_read, we_write)


def _pipe(child_ends: ExitStack, our_ends: ExitStack, *, child_reads: bool) -> tuple[int, int]:
    """Return (the child's end, ours) of a new pipe, none inheritable, all clear of 0 to 9."""
    read_end, write_end = (_moved_up(fd) for fd in os.pipe())
    child, ours = (read_end, write_end) if child_reads else (write_end, read_end)
    child_ends.callback(os.close, child)
    our_ends.callback(os.close, ours)
    return child, ours


def _moved_up(fd: int) -> int:
    """Move a descriptor out of the way of those that the child's are copied to."""
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _CLEAR_OF_CHILD)
    finally:
        os.close(fd)


def _file_actions(reads: int, writes: int, prints: int) -> list[tuple[int | str, ...]]:
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, prints, 1),
        (os.POSIX_SPAWN_DUP2, prints, 2),
        (os.POSIX_SPAWN_DUP2, reads, _CHILD_READS),
        (os.POSIX_SPAWN_DUP2, writes, _CHILD_WRITES),
    ]


async def _await_exit(pid: int) -> None:
    """Return when a child has ended, without reaping it."""
    if sys.platform != "linux":
        await trio.to_thread.run_sync(_wait_for_exit, pid, abandon_on_cancel=True)
        return
    pidfd = os.pidfd_open(pid)
    try:
        await trio.lowlevel.wait_readable(pidfd)
    finally:
        os.close(pidfd)


def _wait_for_exit(pid: int) -> None:
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
