"""Whose database this is: private files, the installation's row, the key that goes with it.

Whatever does not fit together fails closed, as Failure ``state_untrusted``: another
owner, a loose mode, a symbolic link, a missing or foreign key, a row that is not ours.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from protocol.errors import Failure

if TYPE_CHECKING:
    import sqlite3

KEY_BYTES: Final = 32
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_PRIVATE: Final = os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Installation:
    """The one row that says whose state this is.

    ``rebooted``: the machine may have gone down since the row was last opened, so that
    what was not synced may be missing.
    """

    installation_id: str
    owner_uid: int
    created_ms: int
    rebooted: bool


def create_private(path: Path) -> bool:
    """Make an empty file that is 0600 from birth; return False when there is one already."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _PRIVATE, 0o600))
    except FileExistsError:
        return False
    _sync_directory(path.parent)
    return True


def verify_private(path: Path, uid: int) -> None:
    """Raise Failure ``state_untrusted`` unless this is a plain file of ours that is 0600."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise _untrusted(f"{path} is not a plain file")
    if found.st_uid != uid:
        raise _untrusted(f"{path} belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise _untrusted(f"{path} can be reached by other users")


def read_key(path: Path, uid: int, *, recorded: bool) -> bytes:
    """Return the installation's key; a draft of one while its first start is not done.

    The draft gets its name by `keep_key`, once the database was made with it: so a key says
    that there was a database, and a draft that nothing was ever recorded. ``recorded``:
    whether the database holds anything. Raises Failure ``state_untrusted`` when the one is
    there without the other.
    """
    draft = _draft_of(path)
    if os.path.lexists(path):
        if not recorded:
            raise _database_missing(path)
        return _read_private(path, uid)
    if recorded and not os.path.lexists(draft):
        raise _untrusted(f"{path} is missing, and the database was made with it")
    if not recorded:
        draft.unlink(missing_ok=True)  # a power cut may have left half of it
        create_private(draft)
        _write_synced(draft, secrets.token_bytes(KEY_BYTES))
    return _read_private(draft, uid)


def keep_key(path: Path) -> None:
    """Give the draft of a key its name, if there is one: the first start is done."""
    draft = _draft_of(path)
    if not os.path.lexists(path):
        draft.rename(path)
        _sync_directory(path.parent)


def register(connection: sqlite3.Connection, key: bytes, uid: int, now_ms: int) -> Installation:
    """Return the installation's row, made if there is none. Raises ``state_untrusted``."""
    row = connection.execute(
        "SELECT installation_id, owner_uid, created_ms, schema_version, key_check, boot_id"
        " FROM installation"
    ).fetchone()
    boot_id = read_boot_id()
    if row is None:
        row = _insert(connection, key, uid, now_ms, boot_id)
    identity, owner, created_ms, schema_version, key_check, seen_boot_id = row
    if owner != uid:
        raise _untrusted(f"The database belongs to uid {owner}, not to {uid}")
    if schema_version != connection.execute("PRAGMA user_version").fetchone()[0]:
        raise _untrusted("The database says two different versions of itself")
    if not hmac.compare_digest(key_check, _key_check(key, identity)):
        raise _untrusted("The key beside the database is not the one it was made with")
    connection.execute("UPDATE installation SET boot_id = ?", (boot_id,))
    return Installation(identity, owner, created_ms, not boot_id or boot_id != seen_boot_id)


def read_boot_id() -> str:
    """Return what changes whenever the machine starts, empty where nothing says so."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except FileNotFoundError:
        return ""


def _insert(
    connection: sqlite3.Connection, key: bytes, uid: int, now_ms: int, boot_id: str
) -> tuple[str, int, int, int, str, str]:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    identity = secrets.token_hex(16)
    row = (identity, uid, now_ms, version, _key_check(key, identity), boot_id)
    connection.execute(
        "INSERT INTO installation (one, installation_id, owner_uid, created_ms,"
        " schema_version, key_check, boot_id) VALUES (1, ?, ?, ?, ?, ?, ?)",
        row,
    )
    return row


def _key_check(key: bytes, identity: str) -> str:
    return hmac.digest(key, b"installation\0" + identity.encode(), "sha256").hex()


def _draft_of(key: Path) -> Path:
    return key.with_name(key.name + ".part")


def _read_private(path: Path, uid: int) -> bytes:
    verify_private(path, uid)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise _untrusted(f"{path} is not a key of ours")
    return key


def _write_synced(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | _PRIVATE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _database_missing(key: Path) -> Failure:
    return Failure(
        "state_untrusted",
        f"The database in {key.parent} is missing or empty, though {key.name} beside it says that"
        " there was one; what was started before cannot be told",
        f"Restore the database. To start afresh without it, move {key} away as well.",
    )


def _untrusted(message: str) -> Failure:
    return Failure(
        "state_untrusted",
        message,
        "Restore the state directory as it was, or move it away and start afresh.",
    )
