"""What an evidence session leaves on disk, behind an interface that can fail.

One directory per session, ``<state>/evidence/<proofId>/`` (0700):

- ``frames/<sha256>.png`` (0600), each whole PNG once;
- ``attempt.jsonl``: one event a line, with what the receipt leaves out. Never
  typed text, never keys;
- ``receipt.json``, once the session has finished.

Frames and events are private to the owner of the installation. Writing is
bounded by the session's own limits (64 actions, 12 MiB a frame). What cannot be
written raises `EvidenceUnwritable`, and the operation that needed it fails.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Event = Mapping[str, object]
DAY_S = 86400.0
KILLED: Event = {"event": "ended", "phase": "failed", "reason": "the daemon was killed"}
"""The end of a record of which the journal knows nothing."""
TAIL = 16 * 1024
"""Bytes at the end of a record that hold its last event for sure."""


class EvidenceUnwritable(Exception):
    """The disk refused a piece of evidence; says which and why, in one line."""

    def __init__(self, what: str, cause: OSError) -> None:
        super().__init__(f"{what} could not be kept: {os.strerror(cause.errno or 0)}")
        self.what = what


class EvidenceStore(Protocol):
    """Where evidence is kept; sha256 and proof ids are checked by the caller."""

    async def begin(self, proof_id: str) -> None:
        """Make the session's directory."""

    async def keep_frame(self, proof_id: str, sha256: str, png: bytes) -> None:
        """Keep one frame; a frame that is kept already is left alone."""

    async def append(self, proof_id: str, event: Event) -> None:
        """Add one line to the attempt's record and sync it to disk."""

    async def keep_receipt(self, proof_id: str, receipt: bytes) -> None:
        """Keep the receipt, whole and synced, or not at all."""

    async def read_frame(self, proof_id: str, sha256: str) -> bytes | None:
        """Return a kept frame, or None."""


def _write_new(path: Path, data: bytes) -> None:
    """Write a private file whole and synced, under its final name only then."""
    draft = path.with_name(path.name + ".part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)


def _append_line(path: Path, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _encode_line(event: Event) -> bytes:
    text = json.dumps(event, ensure_ascii=True, separators=(",", ":"), sort_keys=False)
    return text.encode("ascii") + b"\n"


class EvidenceDirectory:
    """The evidence of this installation under one directory.

    Every write runs in a worker thread and, once begun, to its end.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def begin(self, proof_id: str) -> None:
        """Make the session's directory and its frames' one, both 0700."""

        def make() -> None:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            home = self._root / proof_id
            home.mkdir(mode=0o700)
            (home / "frames").mkdir(mode=0o700)

        await self._run("the evidence directory", make)

    async def keep_frame(self, proof_id: str, sha256: str, png: bytes) -> None:
        """Keep one frame under its digest."""
        path = self._frame_path(proof_id, sha256)

        def keep() -> None:
            if not path.exists():
                _write_new(path, png)

        await self._run("a frame", keep)

    async def append(self, proof_id: str, event: Event) -> None:
        """Add one event to ``attempt.jsonl``."""
        line = _encode_line(event)
        path = self._root / proof_id / "attempt.jsonl"
        await self._run("an event", lambda: _append_line(path, line))

    async def keep_receipt(self, proof_id: str, receipt: bytes) -> None:
        """Keep ``receipt.json``."""
        path = self._root / proof_id / "receipt.json"
        await self._run("the receipt", lambda: _write_new(path, receipt))

    async def read_frame(self, proof_id: str, sha256: str) -> bytes | None:
        """Return a kept frame, or None where there is none (any longer)."""
        path = self._frame_path(proof_id, sha256)

        def read() -> bytes | None:
            return path.read_bytes() if path.is_file() else None

        return await trio.to_thread.run_sync(read)

    def _frame_path(self, proof_id: str, sha256: str) -> Path:
        return self._root / proof_id / "frames" / f"{sha256}.png"

    async def _run(self, what: str, write: Callable[[], None]) -> None:
        try:
            await trio.to_thread.run_sync(write)
        except OSError as error:
            raise EvidenceUnwritable(what, error) from error


def read_record(home: Path) -> list[Event]:
    """Return the events of a session's record, as far as they are whole; [] without one."""
    record = home / "attempt.jsonl"
    if not record.is_file() or record.is_symlink():
        return []
    return [event for line in record.read_bytes().split(b"\n") for event in _parse_line(line)]


def _parse_line(line: bytes) -> list[Event]:
    try:
        event = json.loads(line)
    except ValueError:
        return []  # torn by the end of its daemon
    return [event] if isinstance(event, dict) else []


def unwritable(error: EvidenceUnwritable) -> Failure:
    """Return the failure a caller sees when evidence could not be kept."""
    return Failure(
        "external-proof-frame",
        str(error),
        "make room on the disk of the state directory and begin a new attempt",
    )


# --- the sweep at start ------------------------------------------------------


@dataclass
class Swept:
    """Proof ids whose evidence is removed, and what could not be looked after and why."""

    removed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def sweep_evidence(root: Path, *, now_s: float, retention_days: int | None) -> Swept:
    """Close the records of sessions that died, remove those past retention.

    A session whose record has no end was cut off with its daemon: it gets one
    that says so. ``retention_days`` None keeps everything. Runs once at start,
    before the first session.
    """
    swept = Swept()
    for home in list(_sessions(root)):
        try:
            if retention_days is not None and _age_s(home, now_s) > retention_days * DAY_S:
                shutil.rmtree(home)
                swept.removed.append(home.name)
            else:
                close_record(home, KILLED)
        except OSError as error:
            swept.problems.append(f"{home.name}: {error.strerror}")
    return swept


def _age_s(home: Path, now_s: float) -> float:
    """Return the seconds since the session's last new file, its receipt if it has one."""
    return now_s - home.stat().st_mtime


def _sessions(root: Path) -> Iterator[Path]:
    if root.is_dir():
        for home in sorted(root.iterdir()):
            if home.name.startswith("ecup-") and home.is_dir() and not home.is_symlink():
                yield home


def close_record(home: Path, ended: Event) -> None:
    """Give a session's record this end unless it has one. Raises OSError."""
    record = home / "attempt.jsonl"
    *lines, torn = _read_tail(record).split(b"\n")
    if lines and not torn and b'"event":"ended"' in lines[-1]:
        return
    cut = b"\n" if torn else b""
    _append_line(record, cut + _encode_line(ended))


def _read_tail(record: Path) -> bytes:
    if not record.is_file():
        return b""
    with record.open("rb") as file:
        file.seek(max(0, record.stat().st_size - TAIL))
        return file.read()
