"""``daemon.status`` and ``daemon.stop``."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.dispatch import verify_fields
from protocol import paths
from protocol.framing import WIRE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from daemon.activity import Activity
    from daemon.clock import Clock
    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.paths import Layout


@dataclass(frozen=True)
class Daemon:
    """What the running daemon knows about itself; ``stop`` begins its orderly end."""

    version: str
    layout: Layout
    clock: Clock
    activity: Activity
    started_s: float
    stop: Callable[[], None]


def routes(daemon: Daemon) -> Mapping[str, Handler]:
    """Return the methods over one running daemon."""

    async def status(params: Params, _: Caller) -> Reply:
        verify_fields(params, {}, {})
        return {"ok": True, "daemon": _describe(daemon)}

    async def stop(params: Params, _: Caller) -> Reply:
        verify_fields(params, {}, {})
        daemon.stop()
        return {"ok": True, "stopping": True}

    return {"daemon.status": status, "daemon.stop": stop}


def _describe(daemon: Daemon) -> dict[str, object]:
    run = daemon.layout.run
    return {
        "version": daemon.version,
        "wireVersion": WIRE_VERSION,
        "pid": os.getpid(),
        "uptimeS": int(daemon.clock.boot_s() - daemon.started_s),
        "stateDirectory": str(daemon.layout.state),
        "sockets": [str(run / paths.CLI_SOCKET), str(run / paths.RPC_SOCKET)],
        "counts": daemon.activity.counts(),
        "residentBytes": resident_bytes(),
    }


def resident_bytes() -> int:
    """Return how much memory this process occupies (where /proc is missing: its peak)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
