"""A private installation: its own state directory and HOME, driven by the real console script.

``check_leftovers`` is half of every test that uses one: after ``daemon stop``
no process of this installation lives and no browser profile lies about.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes import oracle

COMMAND_TIMEOUT_S = 60.0
GONE_TIMEOUT_S = 5.0
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "COVERAGE_PROCESS_START")


def script() -> str:
    """Return the path of the ``understudy`` command beside the running interpreter."""
    return str(Path(sysconfig.get_path("scripts")) / "understudy")


@dataclass(frozen=True)
class Finished:
    """One command that has ended."""

    exit: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        return json.loads(self.out)


class Installation:
    """One installation below a directory; ``environment`` may be changed by the test."""

    def __init__(self, root: Path) -> None:
        self.home = root / "state"
        user_home, self.cwd = root / "home", root / "cwd"
        for directory in (user_home, self.cwd):
            directory.mkdir(parents=True)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment |= {
            "HOME": str(user_home),
            "UNDERSTUDY_HOME": str(self.home),
            "UNDERSTUDY_BROWSER": oracle.real_browser(),
        }

    def watch(self, root: Path) -> None:
        """Launch browsers with a debugging port beside the pipe, for ``oracle``."""
        self.environment["UNDERSTUDY_BROWSER"] = str(oracle.write_watched_browser(root))

    def oracle(self) -> oracle.Oracle:
        """Connect to the newest running browser of a watched installation."""
        return oracle.connect(self.home / "profiles")

    def start(self, *argv: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a command; its streams are pipes unless the test says otherwise."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        settings: dict[str, Any] = {"env": self.environment, "cwd": self.cwd, **pipes, **options}
        return subprocess.Popen([script(), *argv], **settings)

    def run(
        self, *argv: str, stdin: str = "", timeout_s: float = COMMAND_TIMEOUT_S, **options: Any
    ) -> Finished:
        """Run a command to its end."""
        with self.start(*argv, **options) as process:
            try:
                out, err = process.communicate(stdin.encode(), timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Finished(process.returncode, _text(out), _text(err))

    def stop(self) -> Finished:
        """Stop the daemon in an orderly way."""
        return self.run("daemon", "stop")

    def wait_for_the_end(self) -> None:
        """Wait until a killed daemon's socket is dead, which may be after the kill returned."""
        deadline = time.monotonic() + GONE_TIMEOUT_S
        run = os.open(self.home / "run", os.O_RDONLY)
        try:
            while self._takes_calls(f"/proc/self/fd/{run}/cli.sock"):
                assert time.monotonic() < deadline, "the daemon is still there"
                time.sleep(0.01)
        finally:
            os.close(run)

    @staticmethod
    def _takes_calls(path: str) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(path) == 0

    def processes(self) -> dict[int, str]:
        """Return pid -> command line of every process that belongs to this installation."""
        return {pid: line for pid, line in _command_lines() if self._owns(pid, line)}

    def _owns(self, pid: int, command_line: str) -> bool:
        mark = str(self.home)
        return mark in command_line or f"UNDERSTUDY_HOME={mark}\0" in _proc(pid, "environ")

    def check_leftovers(self) -> list[str]:
        """Return what is left a while after the end: processes, profiles, sockets."""
        deadline = time.monotonic() + GONE_TIMEOUT_S
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def _left(self) -> list[str]:
        processes = [f"process {pid}: {line}" for pid, line in self.processes().items()]
        profiles = [f"profile {path.name}" for path in (self.home / "profiles").glob("*")]
        sockets = [f"socket {path.name}" for path in (self.home / "run").glob("*.sock")]
        return processes + profiles + sockets

    def kill(self) -> None:
        """Kill whatever is left, proven ours by its state directory."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _command_lines() -> list[tuple[int, str]]:
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    lines = [(pid, _proc(pid, "cmdline").replace("\0", " ").strip()) for pid in pids]
    return [(pid, line) for pid, line in lines if line]  # zombies have none


def _proc(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text("utf-8", "replace")
    except OSError:
        return ""  # it has ended, or is not ours
