"""Which browser is launched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.chromium.binary import NAMES, find_browser, usual_places
from cdp.errors import BrowserNotFound

if TYPE_CHECKING:
    from pathlib import Path


def put(directory: Path, name: str, mode: int = 0o755) -> Path:
    directory.mkdir(exist_ok=True)
    file = directory / name
    file.write_text("#!/bin/sh\n")
    file.chmod(mode)
    return file


def test_the_named_browser_decides(tmp_path: Path) -> None:
    put(tmp_path, "chromium")
    named = put(tmp_path, "my own browser")
    assert find_browser(str(named), str(tmp_path)) == named
    assert find_browser("my own browser", str(tmp_path)) == named


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ("/no/such/browser", "there is no '/no/such/browser'"),
        ("bin/chromium", "'bin/chromium' is no absolute path"),
        ("./chromium", "'./chromium' is no absolute path"),
        ("nonesuch", "there is no executable 'nonesuch' on PATH"),
    ],
)
def test_a_named_browser_that_is_not_there_is_an_error(
    tmp_path: Path, named: str, problem: str
) -> None:
    put(tmp_path, "chromium")
    with pytest.raises(BrowserNotFound, match=problem.replace(".", r"\.")) as caught:
        find_browser(named, str(tmp_path))
    assert caught.value.tried == (named,)


def test_a_named_browser_must_be_an_executable_file(tmp_path: Path) -> None:
    plain = put(tmp_path, "plain", 0o644)
    for named in (plain, tmp_path):
        with pytest.raises(BrowserNotFound, match="is no executable file"):
            find_browser(str(named), "")


def test_names_are_sought_in_their_order_before_that_of_path(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    put(first, "brave-browser")
    chrome = put(second, "google-chrome")
    path = f"{first}:{second}"
    assert find_browser("", path) == chrome
    assert find_browser("", path).name in NAMES
    chromium = put(second, "chromium")
    assert find_browser("", path) == chromium


def test_without_any_the_error_lists_where_was_looked(tmp_path: Path) -> None:
    # none of the macOS places exists on the systems that run this test
    with pytest.raises(BrowserNotFound) as caught:
        find_browser("", str(tmp_path), platform="darwin")
    assert caught.value.tried[: len(NAMES)] == NAMES
    assert "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" in caught.value.tried


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_usual_places_are_absolute(platform: str) -> None:
    assert all(place.startswith("/") for place in usual_places(platform, "/home/x"))


def test_macos_installs_for_one_user_too() -> None:
    places = usual_places("darwin", "/Users/x")
    assert "/Users/x/Applications/Chromium.app/Contents/MacOS/Chromium" in places
