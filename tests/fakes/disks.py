"""Disks that remember, fill up, turn read-only or lose their power, behind `daemon.store.Disk`."""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

from daemon.store.database import DATABASE, SystemDisk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class CountingDisk(SystemDisk):
    """Remembers of every commit whether it was durable."""

    def __init__(self) -> None:
        self.commits: list[bool] = []

    @property
    def syncs(self) -> int:
        return sum(self.commits)

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        super().commit(connection, durable=durable)
        self.commits.append(durable)


class FailingDisk(CountingDisk):
    """Refuses every transaction while ``broken`` says how.

    With ``broken_after`` it is full once it has taken so many more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.broken = ""
        self.broken_after: int | None = None

    def begin(self, connection: sqlite3.Connection) -> None:
        read_only = self.broken == "read-only"
        connection.execute(f"PRAGMA query_only = {read_only:d}")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        most = pages if self.broken == "full" else 2**31
        connection.execute(f"PRAGMA max_page_count = {most:d}")
        super().begin(connection)
        if self.broken == "full":  # whatever free space its pages have left is used up first
            connection.execute(
                "INSERT INTO counters (name, value)"
                " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)"
                " SELECT 'filler' || i, i FROM n"
            )

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        if self.broken == "at commit":
            raise sqlite3.OperationalError("disk I/O error")
        super().commit(connection, durable=durable)
        if self.broken_after is not None:
            self.broken_after -= 1
            self.broken = self.broken if self.broken_after else "full"


class PowerCutDisk(CountingDisk):
    """Copies the files as they are at each sync, which is all that a power cut is sure to leave."""

    def __init__(self, directory: Path, copies: Path) -> None:
        super().__init__()
        self._directory = directory
        self._copies = copies
        self._made = 0
        self._synced: Path | None = None

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        super().commit(connection, durable=durable)
        if durable:
            self._synced = self._copy()

    def cuts(self) -> Iterator[Path]:
        """Directories as the power may leave them now.

        What was synced is whole; of what was written to the log since, there may be
        nothing, any part, or everything.
        """
        assert self._synced is not None
        log = f"{DATABASE}-wal"
        synced = (self._synced / log).stat().st_size
        now = (self._directory / log).read_bytes()
        for size in sorted({synced, (synced + len(now)) // 2, max(synced, len(now) - 1), len(now)}):
            cut = self._copy_of(self._synced)
            (cut / log).write_bytes((self._synced / log).read_bytes() + now[synced:size])
            yield cut

    def _copy(self) -> Path:
        return self._copy_of(self._directory)

    def _copy_of(self, directory: Path) -> Path:
        self._made += 1
        copy = self._copies / str(self._made)
        ignore = shutil.ignore_patterns("*-shm")
        shutil.copytree(directory, copy, ignore=ignore)
        return copy
