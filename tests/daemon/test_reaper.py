"""What an earlier daemon left is cleared; whatever is not proven ours is left alone."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from cdp.chromium.identity import ProcessIdentity, read_identity
from cdp.chromium.profile import create_profile, record_browser
from daemon.reaper import find_leftovers, reap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


def identity_of(pid: int) -> ProcessIdentity:
    identity = read_identity(pid)
    assert identity is not None
    return identity


async def reap_all(profiles: Path) -> list[tuple[str, bool, str]]:
    reaped = [await reap(leftover) for leftover in find_leftovers(profiles)]
    return [(one.name, one.killed, one.problem) for one in reaped]


async def test_profiles_with_and_without_a_record_are_removed(tmp_path: Path) -> None:
    create_profile(tmp_path / "bw-1")
    create_profile(tmp_path / "bw-2")
    record_browser(tmp_path / "bw-2", ProcessIdentity(2**22 + 1, "1", "another boot"))
    assert await reap_all(tmp_path) == [("bw-1", False, ""), ("bw-2", False, "")]
    assert os.listdir(tmp_path) == []


async def test_a_process_that_names_the_profile_is_ended(tmp_path: Path) -> None:
    profile = tmp_path / "bw-1"
    create_profile(profile)
    argv = ["sh", "-c", "echo ready; read line", "sh", f"--user-data-dir={profile}"]
    with subprocess.Popen(  # noqa: ASYNC220
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as ours:
        # its command line is in /proc only a moment after the process is
        assert ours.stdout is not None
        assert ours.stdout.readline() == b"ready\n"
        record_browser(profile, identity_of(ours.pid))
        assert await reap_all(tmp_path) == [("bw-1", True, "")]
        assert ours.wait(5) == -9


async def test_a_process_with_a_reused_pid_is_never_signalled(
    tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    create_profile(tmp_path / "bw-1")
    record_browser(tmp_path / "bw-1", identity_of(stranger.pid))
    assert await reap_all(tmp_path) == [("bw-1", False, "")]
    assert stranger.poll() is None


async def test_a_symlink_in_the_directory_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    profiles = tmp_path / "profiles"
    for directory in (elsewhere, profiles):
        directory.mkdir()
    (profiles / "bw-1").symlink_to(elsewhere)
    assert await reap_all(profiles) == []
    assert elsewhere.is_dir()


async def test_no_directory_holds_nothing(tmp_path: Path) -> None:
    assert await reap_all(tmp_path / "none") == []
