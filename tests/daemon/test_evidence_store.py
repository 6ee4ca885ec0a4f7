"""The evidence directory: modes, contents, a disk that fails, the sweep."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from daemon.evidence_store import (
    DAY_S,
    EvidenceDirectory,
    EvidenceUnwritable,
    Swept,
    sweep_evidence,
    unwritable,
)

if TYPE_CHECKING:
    from pathlib import Path

PROOF = "ecup-" + "a" * 32
PNG = b"\x89PNG..."
DIGEST = hashlib.sha256(PNG).hexdigest()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def begun(root: Path) -> EvidenceDirectory:
    store = EvidenceDirectory(root)
    await store.begin(PROOF)
    return store


async def test_all_is_private_whatever_the_umask(tmp_path: Path) -> None:
    root = tmp_path / "evidence"
    before = os.umask(0)
    try:
        store = await begun(root)
        await store.keep_frame(PROOF, DIGEST, PNG)
        await store.append(PROOF, {"event": "begun"})
        await store.keep_receipt(PROOF, b"{}")
    finally:
        os.umask(before)
    home = root / PROOF
    assert {p.relative_to(root).as_posix(): mode(p) for p in root.rglob("*")} == {
        PROOF: 0o700,
        f"{PROOF}/frames": 0o700,
        f"{PROOF}/frames/{DIGEST}.png": 0o600,
        f"{PROOF}/attempt.jsonl": 0o600,
        f"{PROOF}/receipt.json": 0o600,
    }
    assert (home / "receipt.json").read_bytes() == b"{}"


async def test_a_frame_is_read_back_and_kept_once(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    await store.keep_frame(PROOF, DIGEST, PNG)
    path = tmp_path / PROOF / "frames" / f"{DIGEST}.png"
    inode = path.stat().st_ino
    await store.keep_frame(PROOF, DIGEST, PNG)
    assert path.stat().st_ino == inode
    assert await store.read_frame(PROOF, DIGEST) == PNG
    assert await store.read_frame(PROOF, "0" * 64) is None
    assert await store.read_frame("ecup-" + "b" * 32, DIGEST) is None


async def test_events_are_lines_that_no_page_text_can_break(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    events = [{"event": "action", "name": "a\nb\u2028\ud800"}, {"event": "ended"}]
    for event in events:
        await store.append(PROOF, event)
    lines = (tmp_path / PROOF / "attempt.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == events


async def test_a_missing_directory_is_named_not_ignored(tmp_path: Path) -> None:
    store = EvidenceDirectory(tmp_path)
    with pytest.raises(EvidenceUnwritable) as caught:
        await store.keep_frame(PROOF, DIGEST, PNG)
    assert str(caught.value) == "a frame could not be kept: No such file or directory"
    assert unwritable(caught.value).code == "external-proof-frame"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
async def test_a_full_disk_is_said(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    record = tmp_path / PROOF / "attempt.jsonl"
    os.mknod(record, 0o600 | stat.S_IFCHR, os.makedev(1, 7)) if os.getuid() == 0 else None
    if not record.exists():
        pytest.skip("only root can make a full device here")
    with pytest.raises(EvidenceUnwritable, match=os.strerror(errno.ENOSPC)):
        await store.append(PROOF, {"event": "begun"})


async def test_a_symlink_in_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    store = await begun(tmp_path / "evidence")
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "evidence" / PROOF / "attempt.jsonl").symlink_to(elsewhere)
    with pytest.raises(EvidenceUnwritable):
        await store.append(PROOF, {"event": "begun"})
    assert not elsewhere.exists()


async def test_the_sweep_closes_what_was_cut_off_once(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    await store.append(PROOF, {"event": "begun"})
    record = tmp_path / PROOF / "attempt.jsonl"
    with record.open("ab") as file:
        file.write(b'{"event":"act')
    for _ in range(2):
        assert sweep_evidence(tmp_path, now_s=record.stat().st_mtime, retention_days=30) == Swept()
    lines = record.read_bytes().splitlines()
    assert lines[1] == b'{"event":"act'
    assert json.loads(lines[2])["reason"] == "the daemon was killed"
    assert len(lines) == 3


async def test_the_sweep_leaves_an_ended_record_alone(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    await store.append(PROOF, {"event": "ended", "phase": "closed"})
    before = (tmp_path / PROOF / "attempt.jsonl").read_bytes()
    sweep_evidence(tmp_path, now_s=0.0, retention_days=None)
    assert (tmp_path / PROOF / "attempt.jsonl").read_bytes() == before


async def test_retention_removes_what_is_older_and_nothing_else(tmp_path: Path) -> None:
    await begun(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "ecup-link").symlink_to(tmp_path / "notes")
    then = (tmp_path / PROOF).stat().st_mtime
    assert sweep_evidence(tmp_path, now_s=then + 2 * DAY_S, retention_days=2).removed == []
    assert sweep_evidence(tmp_path, now_s=then + 2 * DAY_S + 1, retention_days=None).removed == []
    assert sweep_evidence(tmp_path, now_s=then + 2 * DAY_S + 1, retention_days=2).removed == [PROOF]
    assert sorted(os.listdir(tmp_path)) == ["ecup-link", "notes"]


def test_a_sweep_without_a_directory_finds_nothing(tmp_path: Path) -> None:
    assert sweep_evidence(tmp_path / "none", now_s=0.0, retention_days=1) == Swept()


async def test_a_sweep_that_meets_a_problem_goes_on_and_says_so(tmp_path: Path) -> None:
    await begun(tmp_path)
    (tmp_path / PROOF / "attempt.jsonl").symlink_to(tmp_path / "elsewhere")
    later = EvidenceDirectory(tmp_path)
    await later.begin("ecup-" + "b" * 32)
    swept = sweep_evidence(tmp_path, now_s=0.0, retention_days=None)
    assert [problem.split(":")[0] for problem in swept.problems] == [PROOF]
    assert (tmp_path / ("ecup-" + "b" * 32) / "attempt.jsonl").is_file()
    assert not (tmp_path / "elsewhere").exists()
