"""The raw peer: Chromium over a pipe, one synchronous call after the other, nothing checked.

Independent of ``cdp/``: what this costs is what the browser itself costs.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
import time
from typing import TYPE_CHECKING, Any, Self

from tests.fakes.oracle import real_browser

if TYPE_CHECKING:
    from types import TracebackType

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,720",
    "--remote-debugging-pipe",
)

REMOVE_TIMEOUT_S = 5.0


class RawBrowser:
    """A launched browser and one page of it; a context manager."""

    def __init__(self) -> None:
        self._profile = tempfile.mkdtemp(prefix="raw-")
        theirs_in, self._commands = os.pipe()
        self._replies, theirs_out = os.pipe()
        # out of the way of 3 and 4, which the browser reads and writes
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]
        argv = [real_browser(), *FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        quiet = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        places = [
            (os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(ends, (3, 4), strict=True)
        ]
        self._pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[quiet, *places])
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._buffer = bytearray()
        self._last_id = 0
        self._session: str | None = None

    def __enter__(self) -> Self:
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        while not pages:
            pages = [
                t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"
            ]
        target = pages[0]["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")
        metrics = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._commands)
        os.close(self._replies)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)
        _remove(self._profile)

    def send(self, method: str, **params: object) -> int:
        """Write one command; return its id."""
        self._last_id += 1
        message: dict[str, object] = {"id": self._last_id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        return self._last_id

    def wait(self, sent: int) -> dict[str, Any]:
        """Return a command's result, skipping events."""
        while True:
            message = self._next()
            if message.get("id") == sent:
                return dict(message["result"])

    def wait_event(self, method: str) -> None:
        """Return after an event."""
        while self._next().get("method") != method:
            pass

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Send one command and return its result."""
        return self.wait(self.send(method, **params))

    def open(self, url: str) -> None:
        """Load a page."""
        self.call("Page.navigate", url=url)
        self.wait_event("Page.loadEventFired")

    def capture(self) -> bytes:
        """Return a PNG of the viewport."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def click(self, x: int, y: int) -> None:
        """Move, press and release, pipelined as cheaply as the browser allows."""
        button = {"button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **button)
        self.wait(self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **button))

    def evaluate(self, expression: str) -> Any:
        """Return an expression's value."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    def _next(self) -> dict[str, Any]:
        while (end := self._buffer.find(b"\0")) < 0:
            data = os.read(self._replies, 1 << 20)
            if not data:
                raise ConnectionError("the browser is gone")
            self._buffer += data
        message = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        return dict(message)


def _remove(profile: str) -> None:
    """Remove a profile; the ended browser's children may write to it a little longer."""
    deadline = time.monotonic() + REMOVE_TIMEOUT_S
    while True:
        try:
            shutil.rmtree(profile)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
