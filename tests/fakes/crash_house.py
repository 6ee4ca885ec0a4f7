"""An installation whose daemon is killed and started again, and programs that talk to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes import oracle, processes
from tests.fakes.installation import KEPT

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0
GONE_S = 10.0


class LineLost(Exception):
    """The daemon went away before it answered."""


class Refused(Exception):
    """The daemon answered with a failure; ``body`` is its error body."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(f"{body['code']}: {body['message']}")
        self.body = body
        self.code: str = body["code"]


class CrashHouse:
    """One installation; at most one daemon of it runs at a time."""

    def __init__(self, root: Path) -> None:
        self.state = root / "state"
        self.state.mkdir(mode=0o700)
        self._root = root
        self._ready = self.state / "ready"
        self._reports = 0
        self._daemon: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment |= {
            "HOME": str(root),
            "UNDERSTUDY_HOME": str(self.state),
            "UNDERSTUDY_BROWSER": oracle.real_browser(),
        }

    # --- the daemon --------------------------------------------------------------

    def start(self, point: int = 0) -> None:
        """Start the daemon; it will kill itself at this point of the first write."""
        self._reports += 1
        self._ready.unlink(missing_ok=True)
        argv = ["-m", "tests.fakes.fuse", str(self.state), str(self._report), str(point)]
        daemon = subprocess.Popen([sys.executable, *argv], cwd=ROOT, env=self.environment)
        self._daemon = daemon
        await_that(lambda: self._ready.exists() or daemon.poll() is not None)
        assert daemon.poll() is None, "the daemon did not start"

    def await_end(self) -> None:
        """Wait until the daemon has died, and forget its line."""
        assert self._daemon is not None
        assert self._daemon.wait(PATIENCE_S) == -signal.SIGKILL
        self._hang_up()

    def kill(self) -> None:
        """kill -9 the daemon."""
        if self._daemon is not None:
            self._daemon.kill()
            self.await_end()

    def close(self) -> None:
        """End the daemon in an orderly way if it runs."""
        self._hang_up()
        if self._daemon is not None and self._daemon.poll() is None:
            self._daemon.terminate()
            assert self._daemon.wait(PATIENCE_S) == 0

    @property
    def points(self) -> list[str]:
        """The points that this start of the daemon has passed."""
        return self._report.read_text().splitlines()

    @property
    def _report(self) -> Path:
        return self._root / f"report-{self._reports}"

    # --- calls -------------------------------------------------------------------

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Call a method of the running daemon. Raises Refused, LineLost."""
        if self._line is None:
            self._line = self._connect()
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            self._line.sendall(json.dumps(request).encode() + b"\n")
            reply = json.loads(self._read_line())
        except OSError as error:
            raise LineLost from error
        if "error" in reply:
            raise Refused(reply["error"]["data"])
        result: dict[str, Any] = reply["result"]
        return result

    def _read_line(self) -> bytes:
        assert self._line is not None
        data = b""
        while not data.endswith(b"\n"):
            more = self._line.recv(1 << 20)
            if not more:
                raise LineLost
            data += more
        return data

    def _connect(self) -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        directory = os.open(self.state / "run", os.O_RDONLY)
        try:
            line.connect(f"/proc/self/fd/{directory}/rpc.sock")
        finally:
            os.close(directory)
        line.settimeout(PATIENCE_S)
        return line

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    # --- what the system says ------------------------------------------------------

    def browsers(self) -> list[str]:
        """The command lines of browsers on profiles of this installation."""
        return [one.command_line for one in processes.naming(str(self.state / "profiles"))]

    def left(self) -> list[str]:
        """Browsers and profiles that are there now."""
        profiles = self.state / "profiles"
        return self.browsers() + [path.name for path in profiles.iterdir()]


def await_that(condition: Callable[[], object], timeout_s: float = PATIENCE_S) -> None:
    """Return once a condition holds; fail when it does not in time."""
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        time.sleep(0.02)
