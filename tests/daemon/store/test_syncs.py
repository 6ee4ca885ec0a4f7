"""The kernel's own count of syncs, besides that of the commits in test_journal."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PROGRAM = """
import os, sys
from pathlib import Path
import trio
from daemon.store.database import open_database, empty_log
from daemon.store.journal import Admission, Journal
from daemon.store.rows import BatchStep, StepOutcome
from daemon.store.sessions import SessionRow, Sessions
from protocol.leases import SessionKind
from protocol.writes import Kind, Result, Status

OK = Result(Status.OK)

def mark(text):
    os.write(2, f"@@{text}@@".encode())

async def command(journal, name, kind, steps=0):
    mark(name)
    entry = await journal.admit(Admission("us-1", name, kind, "click", "f" * 64, size=steps))
    if kind is Kind.WRITE:
        await journal.grant(entry)
    for place in range(steps):
        await journal.progress(entry, [BatchStep(place, "click", StepOutcome.STARTED)])
    await journal.complete(entry, OK)

async def main():
    async with open_database(Path(sys.argv[1]), 1) as database:
        await Sessions(database).begin(SessionRow("us-1", SessionKind.UNATTENDED, "uid:1", (), 1))
        journal = Journal(database, lambda: 5)
        await command(journal, "first", Kind.WRITE)
        await command(journal, "second", Kind.WRITE)
        await command(journal, "batch", Kind.WRITE, 50)
        await command(journal, "read", Kind.READ)
        mark("shortening")
        await database.write(empty_log_now)
        await command(journal, "after", Kind.WRITE)
        mark("end")

def empty_log_now(connection):
    connection.execute("COMMIT")
    empty_log(connection)
    connection.execute("BEGIN")

trio.run(main)
"""


def can_trace():
    strace = shutil.which("strace")
    if strace is None:
        return False
    tried = subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.skipif(not can_trace(), reason="strace is not installed, or not allowed")
def test_the_kernel_counts_two_syncs_a_write_and_two_a_batch(directory, tmp_path):
    trace = tmp_path / "trace"
    subprocess.run(
        ["strace", "-f", "-e", "trace=fsync,fdatasync,sync_file_range,write", "-o", trace,
         sys.executable, "-c", PROGRAM, directory],
        cwd=ROOT, check=True, timeout=60, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    counts: dict[str, int] = {}
    name = "opening"
    for line in trace.read_text().splitlines():
        if found := re.search(r'"@@(\w+)@@"', line):
            name = found[1]
        elif re.search(r"\b(fsync|fdatasync|sync_file_range)\(", line):
            counts[name] = counts.get(name, 0) + 1
    assert counts.pop("opening") > 0
    assert counts.pop("shortening") > 0
    counts.pop("end")
    assert counts == {"first": 2, "second": 2, "batch": 2, "after": 2}
