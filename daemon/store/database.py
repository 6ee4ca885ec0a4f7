"""The one database: opened and checked, its one writer, and what its errors mean.

SQLite in WAL mode. One thread at a time is in it, and a transaction, once begun, is
carried through whatever happens to the task that waits for it. A durable transaction is
synced before its commit returns (``synchronous=FULL``); any other commit costs no sync
and is synced with the next durable one, in order. So after a power cut the end of the
journal may be missing, never a piece before something durable.

SQLite's own checkpoints, which sync too, are off: one runs by itself between
transactions when the log has grown, so that no write pays for it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import trio

from cdp.background import running
from daemon.logs import LOGGER
from daemon.store.installation import (
    create_private,
    keep_key,
    read_key,
    register,
    verify_private,
)
from daemon.store.migrations import migrate
from daemon.store.writer import Writer
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from daemon.store.installation import Installation

BUSY_TIMEOUT_S: Final = 2.0
"""How long a transaction waits for a lock that somebody else's tool holds."""
CHECKPOINT_BYTES: Final = 4 * 1024 * 1024
"""The log is moved into the database once it is longer."""
DATABASE: Final = "understudy.db"
KEY: Final = "fingerprint.key"

_Found = TypeVar("_Found")


class Disk(Protocol):
    """The edge between a transaction and the disk, where a test may stand."""

    def begin(self, connection: sqlite3.Connection) -> None:
        """Begin a transaction that will write. Raises sqlite3.Error."""

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        """Commit it; once this returns, a durable one outlives the power. Raises sqlite3.Error."""


class SystemDisk:
    """The disk itself, by way of SQLite."""

    def begin(self, connection: sqlite3.Connection) -> None:
        """See Disk."""
        connection.execute("BEGIN IMMEDIATE")

    def commit(self, connection: sqlite3.Connection, *, durable: bool) -> None:  # noqa: ARG002
        """See Disk; how far it syncs was set before the transaction began."""
        connection.execute("COMMIT")


@dataclass(frozen=True)
class Opened:
    """A checked connection with what belongs to it; ``log`` is the path of the WAL."""

    connection: sqlite3.Connection
    installation: Installation
    key: bytes
    log: Path


class Database:
    """The open database. `open_database` makes it."""

    def __init__(self, opened: Opened, disk: Disk) -> None:
        self.installation = opened.installation
        self.key = opened.key
        """The installation's key for fingerprints and digests of what must not be guessed."""
        self._connection = opened.connection
        self._log = opened.log
        self._disk = disk
        self._syncing: bool | None = None
        self._writer = Writer()
        self._grown = trio.Event()

    async def write(
        self, work: Callable[[sqlite3.Connection], _Found], *, durable: bool = False
    ) -> _Found:
        """Run ``work`` as one transaction in the writer's thread and return what it returns.

        It is finished even when the caller is cancelled, so it must be short. When
        ``work`` raises, nothing of it stays. Raises Failure ``store_full``,
        ``store_unwritable``, ``store_locked`` or ``store_corrupt``.
        """
        found = await self._run(lambda: self._transact(work, durable=durable), brief=not durable)
        with suppress(FileNotFoundError):  # removed by somebody: what was written was written
            if self._log.stat().st_size > CHECKPOINT_BYTES:
                self._grown.set()
        return found

    async def read(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found:
        """Run ``work``, which only reads, and return what it returns. Raises as `write` does."""
        return await self._run(lambda: work(self._connection))

    async def keep_small(self) -> None:
        """Move the log into the database whenever it has grown; runs until cancelled."""
        while True:
            await self._grown.wait()
            self._grown = trio.Event()
            try:
                await self._run(lambda: empty_log(self._connection), brief=False)
            except Failure as failure:
                LOGGER.warning("the journal's log stays long: %s", failure.message)

    async def close(self) -> None:
        """Wait for the transaction in hand, if there is one, then close."""
        try:
            await self._run(self._connection.close, brief=False)
        finally:
            self._writer.close()

    async def _run(self, work: Callable[[], _Found], *, brief: bool = True) -> _Found:
        try:
            return await self._writer.run(work, brief=brief)
        except sqlite3.Error as error:
            raise store_failure(error) from error

    def _transact(self, work: Callable[[sqlite3.Connection], _Found], *, durable: bool) -> _Found:
        connection = self._connection
        if durable is not self._syncing:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._syncing = durable
        try:
            self._disk.begin(connection)
            found = work(connection)
            self._disk.commit(connection, durable=durable)
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return found


@asynccontextmanager
async def open_database(
    directory: Path, now_ms: int, disk: Disk | None = None
) -> AsyncIterator[Database]:
    """Open the database of a private directory for the length of the block.

    What is missing is made. Raises Failure ``state_untrusted``, ``store_newer`` or what
    `Database.write` raises; then nothing was changed.
    """
    try:
        opened = await trio.to_thread.run_sync(_open, directory, now_ms)
    except sqlite3.Error as error:
        raise store_failure(error) from error
    except OSError as error:
        raise _unwritten("store_unwritable", f"{error.filename}: {error.strerror}") from error
    database = Database(opened, disk or SystemDisk())
    try:
        async with running(database.keep_small):
            yield database
    finally:
        await database.close()


def _open(directory: Path, now_ms: int) -> Opened:
    path, uid = directory / DATABASE, os.geteuid()
    key = read_key(directory / KEY, uid, recorded=_holds_anything(path))
    create_private(path)
    verify_private(path, uid)
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        verify_whole(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, path)
        installation = register(connection, key, uid, now_ms)
        empty_log(connection)
        keep_key(directory / KEY)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, installation, key, path.with_name(f"{DATABASE}-wal"))


def _holds_anything(path: Path) -> bool:
    try:
        return path.lstat().st_size > 0
    except FileNotFoundError:
        return False


def empty_log(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the database and begin it again.

    The first commit in an empty log syncs its header, whatever it is: it is ours, so that
    no write pays for it.
    """
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(
        "INSERT INTO counters (name, value) VALUES ('logs', 1)"
        " ON CONFLICT (name) DO UPDATE SET value = value + 1"
    )


def verify_whole(connection: sqlite3.Connection) -> None:
    """Raise Failure ``store_corrupt`` unless the database is in order."""
    if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise _corrupt(str(found))


def store_failure(error: sqlite3.Error) -> Failure:
    """Return what an error of SQLite means to a caller. Its text names no value of a row."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return _corrupt(str(error))
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return _unwritten("store_locked", "Another program holds the database's lock")
    if code == sqlite3.SQLITE_FULL:
        return _unwritten("store_full", "The disk of the state directory is full")
    return _unwritten("store_unwritable", f"The database cannot be written: {error}")


def _unwritten(code: str, message: str) -> Failure:
    return Failure(
        code,
        f"{message}; what cannot be recorded is not done",
        "Free the state directory's disk, or what holds it, and try again.",
    )


def _corrupt(detail: str) -> Failure:
    return Failure(
        "store_corrupt",
        f"The database is damaged: {detail}",
        "Restore the directory store of the state directory, or move it away to start afresh.",
    )
