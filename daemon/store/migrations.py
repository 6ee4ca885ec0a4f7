"""The shapes the database has had, in order; ``user_version`` counts them.

A shape is never changed once it was released: a change is a new entry. The tables hold
nothing typed, and no page text but for ``dialogs.message``, ``dialogs.default_prompt`` and
``dialogs.url``.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """CREATE TABLE installation (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            schema_version INTEGER NOT NULL,
            installation_id TEXT NOT NULL,
            owner_uid INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            key_check TEXT NOT NULL,
            boot_id TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE counters (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE sessions (
            session_id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            principal TEXT NOT NULL,
            state TEXT NOT NULL,
            origins TEXT NOT NULL,
            profile TEXT,
            profile_state TEXT,
            begin_key TEXT,
            begin_fingerprint TEXT,
            created_ms INTEGER NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            ended_ms INTEGER,
            released INTEGER NOT NULL DEFAULT 0,
            epoch_changed INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID""",
        """CREATE UNIQUE INDEX sessions_by_key ON sessions (principal, begin_key)
            WHERE begin_key IS NOT NULL""",
        "CREATE INDEX sessions_by_principal ON sessions (principal, created_ms)",
        "CREATE INDEX sessions_held ON sessions (profile) WHERE released = 0",
        "CREATE INDEX sessions_ended ON sessions (ended_ms) WHERE ended_ms IS NOT NULL",
        """CREATE TABLE commands (
            number INTEGER PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            command_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            type TEXT NOT NULL,
            size INTEGER NOT NULL,
            fingerprint TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            state TEXT NOT NULL,
            status TEXT,
            code TEXT NOT NULL DEFAULT '',
            simulated INTEGER NOT NULL DEFAULT 0,
            resolution TEXT,
            admitted_ms INTEGER NOT NULL,
            ended_ms INTEGER,
            UNIQUE (command_id, session_id)
        ) STRICT""",
        "CREATE INDEX commands_in_order ON commands (session_id, number)",
        """CREATE INDEX commands_unfinished ON commands (state)
            WHERE state IN ('preparing', 'granted')""",
        """CREATE INDEX commands_unresolved ON commands (session_id)
            WHERE state = 'unknown' AND resolution IS NULL""",
        """CREATE TABLE steps (
            command INTEGER NOT NULL REFERENCES commands ON DELETE CASCADE,
            place INTEGER NOT NULL,
            type TEXT NOT NULL,
            outcome TEXT NOT NULL,
            status TEXT,
            code TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (command, place)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE dialogs (
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            number INTEGER NOT NULL,
            dialog_id TEXT NOT NULL,
            type TEXT NOT NULL,
            message TEXT NOT NULL,
            default_prompt TEXT NOT NULL,
            url TEXT NOT NULL,
            disposition TEXT NOT NULL,
            occurred_ms INTEGER NOT NULL,
            answered_ms INTEGER,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (session_id, number),
            UNIQUE (session_id, dialog_id)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE places (
            principal TEXT NOT NULL,
            place TEXT NOT NULL,
            session_id TEXT NOT NULL,
            begun_ms INTEGER NOT NULL,
            PRIMARY KEY (principal, place)
        ) STRICT, WITHOUT ROWID""",
    ),
)


def migrate(
    connection: sqlite3.Connection, path: Path, shapes: Sequence[Sequence[str]] = MIGRATIONS
) -> int:
    """Bring the database to the newest shape; return the one it had before, 0 for none.

    A database that holds something is copied first, beside it, as ``<name>.before-N``.
    Each step is one transaction. Raises Failure ``store_newer``, changing nothing, when
    a newer daemon has written it.
    """
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > len(shapes):
        raise Failure(
            "store_newer",
            f"The database has version {found}; this daemon knows {len(shapes)}",
            "A newer understudy has used this state directory: use that one, or another"
            " directory by UNDERSTUDY_HOME.",
        )
    if 0 < found < len(shapes):
        _back_up(connection, path.with_name(f"{path.name}.before-{len(shapes)}"))
    for version, statements in enumerate(shapes[found:], found + 1):
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements:
            connection.execute(statement)
        connection.execute("UPDATE installation SET schema_version = ?", (version,))
        connection.execute(f"PRAGMA user_version = {version:d}")
        connection.execute("COMMIT")
    return found


def _back_up(connection: sqlite3.Connection, copy: Path) -> None:
    """Copy the whole database into a private file; an older copy of that name goes."""
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600, exist_ok=False)
    with closing(sqlite3.connect(copy)) as backup:
        connection.backup(backup)
    descriptor = os.open(copy, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
