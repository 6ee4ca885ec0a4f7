"""One call through the daemon's second door, as any program would make it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    import _socket

REPLY_LIMIT = 1024 * 1024


def call(line: _socket.socket, method: str, timeout_s: float) -> dict[str, object]:
    """Return the result of one call without params, and close the line.

    Raises Failure ``daemon_unavailable`` when no proper answer comes in time.
    """
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
    try:
        line.settimeout(timeout_s)
        line.sendall(json.dumps(request).encode() + b"\n")
        reply = json.loads(_receive_line(line))
    except (OSError, ValueError):
        raise _no_answer() from None
    finally:
        line.close()
    result = reply.get("result") if isinstance(reply, dict) else None
    if not isinstance(result, dict):
        raise _no_answer()
    return result


def _receive_line(line: _socket.socket) -> bytes:
    held = bytearray()
    while not held.endswith(b"\n") and len(held) <= REPLY_LIMIT:
        piece = line.recv(64 * 1024)
        if not piece:
            raise ValueError("the line ended")
        held += piece
    return bytes(held)


def _no_answer() -> Failure:
    return Failure(
        "daemon_unavailable",
        "the daemon does not answer",
        'see "understudy daemon logs"; "understudy daemon restart" starts it anew',
    )
