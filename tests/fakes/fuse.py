"""The real daemon that kills itself (SIGKILL) at one chosen point of a write.

    python -m tests.fakes.fuse STATE REPORT POINT

It is composed as ``understudyd`` is, with the same command line, and stands at two of its
seams: behind each commit of the journal, and in the line to each browser. From the moment
that a write is admitted on, every commit and every message to the browser is a point, and
so is every answer to a message that may have acted on the page. Each is written to REPORT,
one a line, before anything else happens. POINT 0 kills at none of them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from daemon import main as daemon_main
from daemon.facility import Seams, open_facility
from daemon.store.database import SystemDisk
from understudy_cli import app

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import AsyncIterator

    from cdp.transport import Transport
    from daemon.runtime import Facility, Runtime

ACTS = ("Input.", "Page.navigate", "Runtime.callFunctionOn")
"""What may act on a page, once a write is granted."""
NEWEST = "SELECT number, state FROM commands WHERE kind = 'write' ORDER BY number DESC LIMIT 1"


class Fuse:
    """Counts points, and kills at one of them. Two threads pass them."""

    def __init__(self, report: int, point: int) -> None:
        self._report = report
        self._point = point
        self._lock = threading.Lock()
        self._passed = 0
        self._armed = False
        self.granted = False

    def arm(self) -> None:
        """Begin to count."""
        self._armed = True

    def passed(self, name: str) -> None:
        """Note a point; it may be the last thing that this process does."""
        with self._lock:
            self.granted = self.granted or name == "journal granted"
            if self._armed:
                self._passed += 1
                os.write(self._report, f"{name}\n".encode())
                if self._passed == self._point:
                    os.kill(os.getpid(), signal.SIGKILL)


class FuseDisk(SystemDisk):
    """The disk; each commit since a write was admitted is a point."""

    def __init__(self, fuse: Fuse) -> None:
        self._fuse = fuse
        self._before: tuple[int, str] | None = None

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        super().commit(connection, durable=durable)
        newest = connection.execute(NEWEST).fetchone()
        if newest is not None and newest[1] == "preparing":
            self._fuse.arm()
        changed = newest is not None and newest != self._before
        self._before = newest
        self._fuse.passed(f"journal {newest[1]}" if changed else "journal progress")


class FuseLine:
    """The line to one browser; each message is a point, and so is each answer to an act."""

    def __init__(self, transport: Transport, fuse: Fuse) -> None:
        self._transport = transport
        self._fuse = fuse
        self._methods: dict[int, str] = {}
        self.pump = transport.pump
        self.aclose = transport.aclose

    def post(self, message: bytes) -> None:
        self._transport.post(message)
        sent = json.loads(message)
        self._methods[sent["id"]] = sent["method"]
        self._fuse.passed(f"sent {sent['method']}")

    async def receive(self) -> bytes:
        message = await self._transport.receive()
        method = self._methods.pop(json.loads(message).get("id"), "")
        if self._fuse.granted and method.startswith(ACTS):
            self._fuse.passed(f"answered {method}")
        return message


def main() -> None:
    """Run the daemon until it is killed, by itself or by others."""
    state, report, point = sys.argv[1:]
    fuse = Fuse(os.open(report, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), int(point))
    seams = Seams(FuseDisk(fuse), lambda transport: FuseLine(transport, fuse))

    @asynccontextmanager
    async def open_with_fuse(runtime: Runtime) -> AsyncIterator[Facility]:
        async with open_facility(runtime, seams) as facility:
            yield facility

    ready = Path(state) / "ready"
    daemon_main.run(app, open_with_fuse, version="fuse", state=state, ready=ready.touch)


if __name__ == "__main__":
    main()
