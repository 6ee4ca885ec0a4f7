"""The database: private from birth, one writer, and closed to whatever does not fit."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing

from daemon.store import database as module
from daemon.store.database import CHECKPOINT_BYTES, DATABASE, KEY, open_database
from daemon.store.migrations import MIGRATIONS, migrate
from protocol.errors import Failure

COUNT = "SELECT value FROM counters WHERE name = 'n'"


def put(value):
    return lambda c: c.execute("INSERT OR REPLACE INTO counters VALUES ('n', ?)", (value,))


async def get(database):
    row = await database.read(lambda c: c.execute(COUNT).fetchone())
    return row and row[0]


async def refusal(directory):
    with pytest.raises(Failure) as refused:
        async with open_database(directory, 2):
            raise AssertionError
    return refused.value


async def make(directory):
    async with open_database(directory, 1) as database:
        await database.write(put(1))
        return database.installation


async def test_every_file_is_private_whatever_the_umask(directory):
    before = os.umask(0)
    try:
        async with open_database(directory, 1) as database:
            await database.write(put(1))
            files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    finally:
        os.umask(before)
    names = {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", KEY}
    assert files == dict.fromkeys(names, 0o600)


async def test_an_installation_keeps_its_identity_and_its_key(directory):
    first = await make(directory)
    async with open_database(directory, 5) as database:
        assert database.installation == first
        assert first.created_ms == 1
        assert not first.rebooted
        assert await get(database) == 1
        assert database.key == (directory / KEY).read_bytes()
        assert len(database.key) == 32


async def test_a_machine_that_started_again_is_noticed(directory):
    await make(directory)
    with closing(sqlite3.connect(directory / DATABASE)) as connection, connection:
        connection.execute("UPDATE installation SET boot_id = 'an earlier one'")
    async with open_database(directory, 5) as database:
        assert database.installation.rebooted
    async with open_database(directory, 6) as database:
        assert not database.installation.rebooted


def sql(statement):
    def change(directory):
        with closing(sqlite3.connect(directory / DATABASE)) as connection, connection:
            connection.execute(statement)

    return change


def symlink(directory):
    (directory / DATABASE).rename(directory / "elsewhere")
    (directory / DATABASE).symlink_to(directory / "elsewhere")


def overwrite(directory):
    data = bytearray((directory / DATABASE).read_bytes())
    data[4096 : 4096 + 2000] = b"\x55" * 2000
    (directory / DATABASE).write_bytes(data)


UNFIT = {
    "loose database": (lambda d: (d / DATABASE).chmod(0o640), "state_untrusted"),
    "loose key": (lambda d: (d / KEY).chmod(0o604), "state_untrusted"),
    "a link": (symlink, "state_untrusted"),
    "no key": (lambda d: (d / KEY).unlink(), "state_untrusted"),
    "another key": (lambda d: (d / KEY).write_bytes(b"k" * 32), "state_untrusted"),
    "half a key": (lambda d: (d / KEY).write_bytes(b"k" * 16), "state_untrusted"),
    "another owner": (sql("UPDATE installation SET owner_uid = 12345"), "state_untrusted"),
    "two versions": (sql("UPDATE installation SET schema_version = 0"), "state_untrusted"),
    "a newer one": (sql("PRAGMA user_version = 999"), "store_newer"),
    "no database": (lambda d: (d / DATABASE).write_bytes(b"text" * 2000), "store_corrupt"),
    "a damaged page": (overwrite, "store_corrupt"),
}


@pytest.mark.parametrize(("spoil", "code"), UNFIT.values(), ids=UNFIT.keys())
async def test_what_does_not_fit_fails_closed_and_is_left_as_it_is(directory, spoil, code):
    await make(directory)
    spoil(directory)
    before = (directory / DATABASE).read_bytes()
    failure = await refusal(directory)
    assert failure.code == code
    assert failure.hint
    assert (directory / DATABASE).read_bytes() == before


@pytest.mark.parametrize("left", ["nothing", "an empty file", "its log alone"])
async def test_a_missing_database_is_no_fresh_one_while_its_key_is_there(directory, left):
    await make(directory)
    (directory / DATABASE).unlink()
    if left == "an empty file":
        (directory / DATABASE).touch(0o600)
    if left == "its log alone":
        (directory / f"{DATABASE}-wal").touch(0o600)
    before = {path: path.read_bytes() for path in directory.iterdir()}
    failure = await refusal(directory)
    assert failure.code == "state_untrusted"
    assert "missing or empty" in failure.message
    assert "Restore the database" in failure.hint
    assert str(directory / KEY) in failure.hint
    assert {path: path.read_bytes() for path in directory.iterdir()} == before
    (directory / KEY).rename(directory / "away")
    await make(directory)


STEPS = ("create_private", "verify_private", "verify_whole", "migrate", "register", "empty_log",
         "keep_key")  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
async def test_a_first_start_that_was_cut_short_locks_nobody_out(
    directory, monkeypatch, step, done
):
    right = getattr(module, step)

    def cut(*given):
        if done:
            right(*given)
        raise RuntimeError("the power is gone")

    monkeypatch.setattr(module, step, cut)
    with pytest.raises(RuntimeError):
        async with open_database(directory, 1):
            raise AssertionError
    monkeypatch.undo()
    await make(directory)
    assert (await make(directory)).created_ms == 1
    assert not list(directory.glob("*.part"))


async def test_half_a_key_of_a_first_start_is_made_again(directory):
    (directory / f"{KEY}.part").write_bytes(b"k" * 16)
    (directory / DATABASE).touch(0o600)
    await make(directory)
    assert len((directory / KEY).read_bytes()) == 32


async def test_a_directory_that_cannot_be_written_is_said(tmp_path):
    assert (await refusal(tmp_path / "nowhere")).code == "store_unwritable"


async def test_work_that_fails_leaves_nothing(directory):
    async with open_database(directory, 1) as database:

        def work(connection):
            put(5)(connection)
            raise ValueError("after the write")

        with pytest.raises(ValueError, match="after the write"):
            await database.write(work)
        assert await get(database) is None
        await database.write(put(6))
        assert await get(database) == 6


async def test_a_cancelled_caller_stops_no_transaction(directory):
    async with open_database(directory, 1) as database:
        with trio.CancelScope() as scope:
            scope.cancel()
            await database.write(put(7), durable=True)
        assert await get(database) == 7


async def test_what_is_written_after_its_directory_is_gone_ends_as_any_write_does(directory):
    async with open_database(directory, 1) as database:
        shutil.rmtree(directory)
        try:
            await database.write(put(1), durable=True)
        except Failure as failure:
            assert failure.code == "store_unwritable"  # noqa: PT017 - it may also be written
        else:
            assert await get(database) == 1


async def test_writers_take_turns(directory):
    async with open_database(directory, 1) as database:
        await database.write(put(0))
        inside = []

        def add(connection):
            inside.append(1)
            assert len(inside) == 1
            value = connection.execute(COUNT).fetchone()[0]
            put(value + 1)(connection)
            inside.clear()

        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(database.write, add)
        assert await get(database) == 50


async def test_a_lock_of_somebody_else_is_waited_for_and_then_said(directory):
    async with open_database(directory, 1) as database:
        with closing(sqlite3.connect(directory / DATABASE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Failure) as refused:
                await database.write(put(1))
            assert refused.value.code == "store_locked"
            other.execute("ROLLBACK")
        await database.write(put(2))
        assert await get(database) == 2


async def test_a_log_that_has_grown_is_moved_into_the_database(directory):
    log = directory / f"{DATABASE}-wal"
    async with open_database(directory, 1) as database:
        await database.write(
            lambda c: c.executemany(
                "INSERT INTO counters VALUES (?, 1)", [(f"{n:0200}",) for n in range(20_000)]
            )
        )
        await trio.testing.wait_all_tasks_blocked()  # it is in the writer's thread now, or done
        count = await database.read(
            lambda c: c.execute("SELECT sum(value) FROM counters WHERE name GLOB '0*'").fetchone()
        )
        assert count == (20_000,)
        assert 0 < log.stat().st_size < CHECKPOINT_BYTES / 10


async def test_a_killed_daemons_log_is_read_again(directory, tmp_path):
    async with open_database(directory, 1) as database:
        await database.write(put(8))
        killed = shutil.copytree(directory, tmp_path / "killed")
    async with open_database(killed, 2) as database:
        assert await get(database) == 8


def test_a_step_of_the_shape_copies_the_database_first(directory):
    path = directory / DATABASE
    newer = (*MIGRATIONS, ("ALTER TABLE counters ADD COLUMN note TEXT",))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert migrate(connection, path) == 0
        assert list(directory.glob("*.before-*")) == []
        put(3)(connection)
        assert migrate(connection, path, newer) == len(MIGRATIONS)
        assert connection.execute("SELECT value, note FROM counters").fetchall() == [(3, None)]
        assert migrate(connection, path, newer) == len(newer)
    (copy,) = directory.glob("*.before-*")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT * FROM counters").fetchall() == [("n", 3)]
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_a_step_that_fails_changes_nothing(directory):
    path = directory / DATABASE
    broken = (*MIGRATIONS, ("CREATE TABLE new (a)", "ALTER TABLE nowhere ADD COLUMN note TEXT"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path)
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            migrate(connection, path, broken)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        assert "commands" in tables
        assert "new" not in tables


def test_errors_of_sqlite_have_names():
    def failure(code):
        error = sqlite3.OperationalError("words")
        error.sqlite_errorcode = code
        return module.store_failure(error).code

    assert failure(sqlite3.SQLITE_FULL) == "store_full"
    assert failure(sqlite3.SQLITE_READONLY) == "store_unwritable"
    assert failure(sqlite3.SQLITE_IOERR_FSYNC) == "store_unwritable"
    assert failure(sqlite3.SQLITE_BUSY_SNAPSHOT) == "store_locked"
    assert failure(sqlite3.SQLITE_CORRUPT) == "store_corrupt"


def test_nothing_outside_of_the_store_speaks_sql():
    root = Path(module.__file__).parents[2]
    speakers = {
        file.parent.relative_to(root).as_posix()
        for layer in ("protocol", "cdp", "daemon", "understudy_cli")
        for file in (root / layer).rglob("*.py")
        if "sqlite3" in file.read_text()
    }
    assert speakers == {"daemon/store"}
