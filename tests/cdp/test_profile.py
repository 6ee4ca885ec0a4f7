"""Throw-away profiles, on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.chromium import scratch
from cdp.chromium.identity import ProcessIdentity, read_identity
from cdp.chromium.profile import (
    Leftover,
    create_profile,
    list_profiles,
    record_browser,
    remove_profile,
)
from cdp.chromium.programs import programs_of
from cdp.chromium.scratch import SCRATCH, scratch_of
from cdp.errors import ProfileBusy

if TYPE_CHECKING:
    from pathlib import Path

WRITER = """
import os, sys, time
print("writing", flush=True)
end, number = time.monotonic() + 0.5, 0
while time.monotonic() < end:
    number += 1
    try:
        open(f"{sys.argv[1]}/{number}", "w").close()
    except FileNotFoundError:  # removed: nothing can be written any more
        break
"""
BROWSER = ProcessIdentity(pid=7, start_time="123", boot_id="b")


def test_a_fresh_profile_is_private_and_predicts_nothing(tmp_path: Path) -> None:
    profile = tmp_path / "p"
    create_profile(profile)
    assert profile.stat().st_mode & 0o777 == 0o700
    preferences = json.loads((profile / "Default" / "Preferences").read_text())
    assert preferences["net"]["network_prediction_options"] == 2


def test_a_profile_is_never_made_over_something(tmp_path: Path) -> None:
    create_profile(tmp_path / "p")
    with pytest.raises(FileExistsError):
        create_profile(tmp_path / "p")


@pytest.mark.parametrize("name", ["deep" * 30, "a:b"])
async def test_what_a_profile_has_outside_of_itself_goes_with_it(tmp_path: Path, name: str) -> None:
    profile = tmp_path / name
    create_profile(profile)
    outside = scratch_of(profile)
    assert outside.parent == scratch.OUTSIDE
    assert outside.stat().st_mode & 0o777 == 0o700
    assert ":" not in str(programs_of(profile))
    (outside / "left").mkdir()
    await remove_profile(profile)
    assert not outside.exists()
    assert not profile.exists()


async def test_nothing_goes_with_a_profile_that_was_not_made_for_it(tmp_path: Path) -> None:
    for other in (tmp_path / "understudy-other", scratch.OUTSIDE):
        profile = tmp_path / "p"
        profile.mkdir()
        (profile / SCRATCH).symlink_to(other)
        (tmp_path / "understudy-other").mkdir(exist_ok=True)
        await remove_profile(profile)
        assert other.is_dir()


def test_what_stands_in_for_the_programs_of_the_desktop_opens_nothing(tmp_path: Path) -> None:
    profile = tmp_path / "p"
    create_profile(profile)
    programs = programs_of(profile)
    assert programs.stat().st_mode & 0o777 == 0o700
    for name, asked, said in (
        ("xdg-email", "mailto:x@y", b""),
        ("xdg-open", "http://x", b""),
        ("xdg-settings", "set", b""),
        ("xdg-settings", "check", b"yes\n"),
    ):
        done = subprocess.run([programs / name, asked], capture_output=True, check=False)
        assert (done.stdout, done.returncode == 0) == (said, bool(said)), name


def test_profiles_are_listed_with_the_browsers_on_record(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        create_profile(tmp_path / name)
    record_browser(tmp_path / "a", BROWSER)
    (tmp_path / "b" / "owner.json").write_text('{"pid":')
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert list_profiles(tmp_path) == [
        Leftover(tmp_path / "a", BROWSER),
        Leftover(tmp_path / "b", None),
        Leftover(tmp_path / "c", None),
    ]
    assert list_profiles(tmp_path / "none") == []


async def test_removal_leaves_nothing_and_may_be_repeated(tmp_path: Path) -> None:
    create_profile(tmp_path / "p")
    await remove_profile(tmp_path / "p")
    await remove_profile(tmp_path / "p")
    assert os.listdir(tmp_path) == []


async def test_removal_wins_against_a_child_that_still_writes(tmp_path: Path) -> None:
    profile = tmp_path / "p"
    create_profile(profile)
    (profile / "Cache").mkdir()
    argv = [sys.executable, "-c", WRITER, str(profile / "Cache")]
    async with trio.open_nursery() as nursery:
        writer = await nursery.start(partial(trio.run_process, argv, stdout=subprocess.PIPE))
        assert (await writer.stdout.receive_some()).startswith(b"w")
        await remove_profile(profile)
    assert os.listdir(tmp_path) == []


async def test_a_profile_that_cannot_be_removed_is_named(tmp_path: Path) -> None:
    (tmp_path / "p").touch()  # no directory
    with pytest.raises(ProfileBusy, match="Not a directory") as caught:
        await remove_profile(tmp_path / "p", timeout_s=0)
    assert caught.value.directory == tmp_path / "p"


def test_an_identity_names_one_process() -> None:
    ours = read_identity(os.getpid())
    assert ours is not None
    assert ours == read_identity(os.getpid())
    assert ours != read_identity(os.getppid())
    assert read_identity(2**22 + 1) is None
    assert str(ours).split("/")[1] == str(os.getpid())
