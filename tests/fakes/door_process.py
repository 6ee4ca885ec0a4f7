"""The daemon of ``tests.fakes.doors`` as a process of a test, and clients of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes.installation import KEPT, Finished, script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20.0


class DoorProcess:
    """One fake daemon; ``run`` and ``start`` are the real thin client."""

    def __init__(self, root: Path) -> None:
        self.state = root / "state"
        self.state.mkdir(mode=0o700)
        self.cwd = root / "cwd"
        self.cwd.mkdir()
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment |= {"HOME": str(root), "UNDERSTUDY_HOME": str(self.state)}
        self.daemon = self._start_daemon()

    def _start_daemon(self) -> subprocess.Popen[bytes]:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.doors", str(self.state)],
            cwd=ROOT,
            env=self.environment,
        )
        wait_for(lambda: (self.state / "ready").exists() or daemon.poll() is not None)
        (self.state / "ready").unlink()
        return daemon

    def kill(self) -> None:
        """kill -9 the daemon."""
        self.daemon.kill()
        self.daemon.wait()

    def close(self) -> None:
        """End the daemon in an orderly way; it must go within its patience."""
        if self.daemon.poll() is None:
            self.daemon.send_signal(signal.SIGCONT)
            self.daemon.terminate()
            assert self.daemon.wait(PATIENCE_S) == 0

    def start(self, *words: str | bytes, **options: Any) -> subprocess.Popen[bytes]:
        """Start ``understudy try WORDS``."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        settings = {"env": self.environment, "cwd": self.cwd, **pipes, **options}
        return subprocess.Popen([script(), "try", *words], **settings)

    def run(self, *words: str | bytes, stdin: bytes = b"", **options: Any) -> Finished:
        """Run ``understudy try WORDS`` to its end."""
        with self.start(*words, **options) as process:
            out, err = process.communicate(stdin, PATIENCE_S)
        return Finished(process.returncode, text(out), text(err))

    def shell(self, line: str) -> Finished:
        """Run a line of bash, where ``u`` is ``understudy try``."""
        done = subprocess.run(
            ["bash", "-c", f'u() {{ "{script()}" try "$@"; }}; {line}'],
            env=self.environment, cwd=self.cwd, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        return Finished(done.returncode, text(done.stdout), text(done.stderr))

    def connect(self, name: str) -> socket.socket:
        """Connect to one of the two sockets."""
        line = socket.socket(socket.AF_UNIX)
        descriptor = os.open(self.state / "run", os.O_RDONLY)
        try:
            line.connect(f"/proc/self/fd/{descriptor}/{name}")
        finally:
            os.close(descriptor)
        line.settimeout(PATIENCE_S)
        return line

    @contextmanager
    def dying(self) -> Iterator[Callable[[], None]]:
        """Put a daemon in this one's place that dies when it has been sent a command.

        Gives what waits for the command and dies.
        """
        self.kill()
        with socket.socket(socket.AF_UNIX) as listener:
            directory = os.open(self.state / "run", os.O_RDONLY)
            name = f"/proc/self/fd/{directory}/cli.sock"
            try:
                Path(name).unlink()
                listener.bind(name)
                Path(name).chmod(0o600)
            finally:
                os.close(directory)
            listener.listen()
            listener.settimeout(PATIENCE_S)
            yield lambda: _take_and_die(listener)

    def log(self) -> str:
        """Return the daemon's log so far."""
        return (self.state / "log" / "daemon.log").read_text()


def _take_and_die(listener: socket.socket) -> None:
    line, _ = listener.accept()
    with line:
        line.settimeout(PATIENCE_S)
        assert line.recv(65536)
    listener.close()


def opens_in_vain(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process waits for somebody to open the other end of its named pipe."""
    return "wait_for_partner" in Path(f"/proc/{process.pid}/wchan").read_text()


def listens(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process waits for what is to come over one of its lines."""
    return "poll" in Path(f"/proc/{process.pid}/wchan").read_text()


def awaits_stdin(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process waits for its line and for a second thing, its standard input."""
    polling = Path(f"/proc/{process.pid}/syscall").read_text().split()
    return listens(process) and polling[2:3] == ["0x2"]


def text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def wait_for(condition: Any) -> None:
    """Return once a condition holds; fail after a long while."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        time.sleep(0.01)
