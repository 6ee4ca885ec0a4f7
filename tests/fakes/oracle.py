"""An independent look at the browser under test: what really happened, by another connection.

Nothing here uses our own ``cdp`` package. ``write_watched_browser`` makes a
launcher for ``UNDERSTUDY_BROWSER`` that opens a debugging port beside the pipe;
``connect`` finds that port in the profile directory and speaks the protocol
over a small synchronous websocket.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import shutil
import socket
import struct
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CALL_TIMEOUT_S = 10.0


class OracleError(AssertionError):
    """The browser answered with an error, or not at all."""


def real_browser() -> str:
    """Return the path of the installed browser; a test machine must have one."""
    named = os.environ.get("UNDERSTUDY_BROWSER", "")
    for candidate in (named, *BROWSERS):
        found = shutil.which(candidate) if candidate else None
        if found:
            return found
    raise OracleError(f"no browser on PATH (looked for {', '.join(BROWSERS)})")


def write_watched_browser(directory: Path) -> Path:
    """Write a launcher that opens a debugging port in the real browser; return its path."""
    launcher = directory / "watched-browser"
    command = f'exec {shlex.quote(real_browser())} --remote-debugging-port=0 "$@"'
    launcher.write_text(f"#!/bin/sh\n{command}\n")
    launcher.chmod(0o700)
    return launcher


def find_endpoint(root: Path, timeout_s: float = CALL_TIMEOUT_S) -> tuple[int, str]:
    """Return (port, websocket path) of the newest browser whose profile lies under root."""
    deadline = time.monotonic() + timeout_s
    while True:
        for file in _active_ports(root):
            lines = file.read_text().splitlines()
            if len(lines) == 2:
                return int(lines[0]), lines[1]
        if time.monotonic() > deadline:
            raise OracleError(f"no DevToolsActivePort below {root}")
        time.sleep(0.02)


def _active_ports(root: Path) -> list[Path]:
    """Return the files that name ports, the newest first."""
    try:
        return sorted(root.rglob("DevToolsActivePort"), key=_written, reverse=True)
    except FileNotFoundError:
        return []  # the browser has taken something of its own away meanwhile


def _written(file: Path) -> float:
    return file.stat().st_mtime


def connect(root: Path, timeout_s: float = CALL_TIMEOUT_S) -> Oracle:
    """Connect to the browser whose profile lies under root."""
    port, path = find_endpoint(root, timeout_s)
    return Oracle(port, path)


class Oracle:
    """A synchronous connection to a browser; a context manager."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = _Websocket(port, path)
        self._last_id = 0
        self._sessions: dict[str, str] = {}  # target id -> CDP session id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the browser goes on."""
        self._socket.close()

    def call(
        self,
        method: str,
        *,
        session: str | None = None,
        timeout_s: float = CALL_TIMEOUT_S,
        **params: object,
    ) -> dict[str, Any]:
        """Send one command and return its result, skipping events."""
        sent = self.send(method, session=session, **params)
        deadline = time.monotonic() + timeout_s
        while True:
            message = json.loads(self._socket.receive(deadline - time.monotonic()))
            if message.get("id") == sent:
                break
        if "error" in message:
            raise OracleError(f"{method}: {message['error']}")
        return dict(message["result"])

    def send(self, method: str, *, session: str | None = None, **params: object) -> int:
        """Send one command without waiting for its reply; return its id."""
        self._last_id += 1
        message: dict[str, object] = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._socket.send(json.dumps(message))
        return self._last_id

    def targets(self, kind: str = "page") -> list[dict[str, Any]]:
        """Return the browser's targets of a kind."""
        found = self.call("Target.getTargets")["targetInfos"]
        return [target for target in found if target["type"] == kind]

    def page(self, url_part: str = "") -> str:
        """Return the id of the one page whose URL holds ``url_part``."""
        pages = [page for page in self.targets() if url_part in page["url"]]
        if len(pages) != 1:
            raise OracleError(f"{len(pages)} pages hold {url_part!r}: {[p['url'] for p in pages]}")
        return str(pages[0]["targetId"])

    def attach(self, target: str) -> str:
        """Return the id of this connection's CDP session on a target."""
        if target not in self._sessions:
            result = self.call("Target.attachToTarget", targetId=target, flatten=True)
            self._sessions[target] = result["sessionId"]
        return self._sessions[target]

    def evaluate(self, expression: str, url_part: str = "", target: str | None = None) -> Any:
        """Return the value of an expression in a page (a promise is awaited)."""
        session = self.attach(target or self.page(url_part))
        result = self.call(
            "Runtime.evaluate",
            session=session,
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        if "exceptionDetails" in result:
            raise OracleError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def text(self, element_id: str = "out", url_part: str = "") -> str:
        """Return an element's text: what the page says happened."""
        expression = f"document.getElementById({json.dumps(element_id)}).textContent"
        return str(self.evaluate(expression, url_part))

    def wait_for(self, expression: str, wanted: object, timeout_s: float = CALL_TIMEOUT_S) -> None:
        """Wait until an expression has a value in the only page."""
        deadline = time.monotonic() + timeout_s
        while (seen := self.evaluate(expression)) != wanted:
            if time.monotonic() > deadline:
                raise OracleError(f"{expression} is {seen!r}, not {wanted!r}")
            time.sleep(0.02)

    def center(self, selector: str, url_part: str = "") -> tuple[int, int]:
        """Return the middle of the first element that a selector matches, in CSS pixels."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})", url_part)
        return int(x), int(y)

    def crash(self, url_part: str = "") -> None:
        """Crash a page's renderer; it never answers this."""
        self.send("Page.crash", session=self.attach(self.page(url_part)))


class _Websocket:
    """The client's half of RFC 6455, text messages only."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), CALL_TIMEOUT_S)
        self._buffer = bytearray()
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self._socket.sendall(request.encode())
        while b"\r\n\r\n" not in self._buffer:
            self._fill(CALL_TIMEOUT_S)
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        self._buffer[:] = rest
        if b" 101 " not in head.splitlines()[0]:
            raise OracleError(f"no websocket: {head!r}")

    def close(self) -> None:
        self._socket.close()

    def send(self, text: str) -> None:
        data = text.encode()
        if len(data) < 126:
            head = struct.pack(">BB", 0x81, 0x80 | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack(">BBH", 0x81, 0xFE, len(data))
        else:
            head = struct.pack(">BBQ", 0x81, 0xFF, len(data))
        self._socket.sendall(head + b"\0\0\0\0" + data)  # a mask of zeros is a mask

    def receive(self, timeout_s: float) -> bytes:
        """Return the next whole message."""
        deadline = time.monotonic() + timeout_s
        message = bytearray()
        while True:
            final, opcode, data = self._frame(deadline)
            if opcode == 8:
                raise OracleError("the browser closed the connection")
            if opcode in (0, 1):
                message += data
                if final:
                    return bytes(message)

    def _frame(self, deadline: float) -> tuple[bool, int, bytes]:
        first, second = self._take(2, deadline)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", self._take(2, deadline))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._take(8, deadline))
        return bool(first & 0x80), first & 0x0F, self._take(length, deadline)

    def _take(self, count: int, deadline: float) -> bytes:
        while len(self._buffer) < count:
            self._fill(deadline - time.monotonic())
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _fill(self, timeout_s: float) -> None:
        if timeout_s <= 0:
            raise OracleError("the browser did not answer in time")
        self._socket.settimeout(timeout_s)
        try:
            data = self._socket.recv(1 << 18)
        except TimeoutError as error:
            raise OracleError("the browser did not answer in time") from error
        if not data:
            raise OracleError("the browser closed the connection")
        self._buffer += data
