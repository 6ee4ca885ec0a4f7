"""The command line of an owned browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdp.chromium.flags import SMALL_SHM_BYTES, Surroundings, browser_argv, container_flags
from cdp.viewport import Viewport

PLAIN = Surroundings(root=False, shm_free_bytes=None)
ARGV = browser_argv(Path("/b/chromium"), Path("/p/profile"), Viewport(1280, 720), PLAIN)


def test_the_browser_is_driven_by_its_pipe_alone() -> None:
    assert "--remote-debugging-pipe" in ARGV
    assert not [flag for flag in ARGV if flag.startswith("--remote-debugging-port")]
    assert not [flag for flag in ARGV if flag.startswith("--remote-allow-origins")]


def test_the_command_line_begins_with_the_binary_and_ends_with_a_blank_page() -> None:
    assert (ARGV[0], ARGV[-1]) == ("/b/chromium", "about:blank")
    assert "--user-data-dir=/p/profile" in ARGV
    assert "--window-size=1280,720" in ARGV
    assert "--force-device-scale-factor=1" in ARGV


def test_a_low_viewport_starts_in_a_window_that_has_room_for_a_page() -> None:
    argv = browser_argv(Path("/b"), Path("/p"), Viewport(4096, 1), Surroundings(False, None))
    assert "--window-size=4096,480" in argv


def test_no_flag_is_given_twice() -> None:
    names = [flag.split("=")[0] for flag in ARGV]
    assert sorted(set(names)) == sorted(names)


def test_a_document_cannot_come_back_without_a_request() -> None:
    (features,) = [flag for flag in ARGV if flag.startswith("--disable-features=")]
    assert "BackForwardCache" in features.split("=")[1].split(",")


@pytest.mark.parametrize(
    ("root", "shm_free_bytes", "expected"),
    [
        (False, None, ()),
        (False, SMALL_SHM_BYTES, ()),
        (False, SMALL_SHM_BYTES - 1, ("--disable-dev-shm-usage",)),
        (True, None, ("--no-sandbox",)),
        (True, 0, ("--no-sandbox", "--disable-dev-shm-usage")),
    ],
)
def test_the_sandbox_is_given_up_for_root_only(
    root: bool, shm_free_bytes: int | None, expected: tuple[str, ...]
) -> None:
    surroundings = Surroundings(root=root, shm_free_bytes=shm_free_bytes)
    assert container_flags(surroundings) == expected
    argv = browser_argv(Path("/b"), Path("/p"), Viewport(1, 1), surroundings)
    assert ("--no-sandbox" in argv) is root
