"""Counting what a process asks the kernel to put on disk."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TRACER = "strace"
CALLS = "fsync,fdatasync,sync_file_range,msync"


@dataclass
class Syncs:
    """How many syncs there were; known once the block is over."""

    count: int = 0


def can_count() -> bool:
    """Return whether the tracer is installed."""
    return shutil.which(TRACER) is not None


@contextmanager
def counting_syncs(pid: int) -> Iterator[Syncs]:
    """Count the syncs of all of a process's threads for the length of the block."""
    syncs = Syncs()
    with tempfile.NamedTemporaryFile() as trace:
        argv = [TRACER, "-f", "-p", str(pid), "-e", f"trace={CALLS}", "-o", trace.name]
        with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as tracer:
            _await_attached(tracer)
            try:
                yield syncs
            finally:
                tracer.send_signal(signal.SIGINT)
                tracer.communicate(timeout=10)
        lines = Path(trace.name).read_text().splitlines()
    syncs.count = sum("sync" in line and "resumed" not in line for line in lines)


def _await_attached(tracer: subprocess.Popen[str]) -> None:
    assert tracer.stderr is not None
    line = tracer.stderr.readline()
    if "attached" not in line:
        tracer.kill()
        raise RuntimeError(f"{TRACER}: {line}")
