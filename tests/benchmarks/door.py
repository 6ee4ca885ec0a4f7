"""A program's door to the daemon: JSON-RPC, one object a line, from the standard library."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class Door:
    """One connection to an installation's daemon."""

    def __init__(self, state: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(state / "run" / "rpc.sock"))
        self._lines = self._socket.makefile("rb")
        self._last_id = 0

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Return a method's result; an error is an exception."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        reply = json.loads(self._lines.readline())
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return dict(reply["result"])

    def close(self) -> None:
        """End the connection."""
        self._lines.close()
        self._socket.close()
