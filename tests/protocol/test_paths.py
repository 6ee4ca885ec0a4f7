"""The state directory is where platformdirs would put it, and nowhere temporary."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys

import pytest

from protocol import paths
from protocol.errors import Failure

ENVIRONMENTS = [
    {"HOME": "/home/zoë"},
    {"HOME": "/home/with space/"},
    {"HOME": "relative"},
    {"HOME": ""},
    {},
    {"HOME": "/home/a", "XDG_STATE_HOME": "/srv/state"},
    {"HOME": "/home/a", "XDG_STATE_HOME": "relative"},
    {"HOME": "/home/a", "XDG_STATE_HOME": ""},
]


def passwd_home() -> str:
    return pwd.getpwuid(os.getuid()).pw_dir


def state_directory(environ: dict[str, str]) -> str:
    return paths.state_directory(environ, sys.platform, passwd_home)


@pytest.mark.parametrize("environ", ENVIRONMENTS)
def test_it_is_the_directory_of_platformdirs(environ: dict[str, str]) -> None:
    code = "import platformdirs; print(platformdirs.user_state_dir('understudy'))"
    theirs = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        env=environ, capture_output=True, check=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert os.path.normpath(state_directory(environ)) == os.path.normpath(theirs.stdout.strip())


def test_the_passwd_entry_is_not_asked_when_home_is_good() -> None:
    def never() -> str:
        raise AssertionError

    assert paths.state_directory({"HOME": "/h"}, "linux", never) == "/h/.local/state/understudy"
    assert (
        paths.state_directory({"HOME": "/h"}, "darwin", never)
        == "/h/Library/Application Support/understudy"
    )


@pytest.mark.parametrize("environ", [{paths.HOME_VARIABLE: "/é" * 140}, {"HOME": "/é" * 140}])
def test_a_path_that_the_database_could_not_have_is_refused_by_its_length(
    environ: dict[str, str],
) -> None:
    with pytest.raises(Failure, match=r"has 4\d\d bytes, over 400: /é/é") as caught:
        state_directory(environ)
    assert caught.value.code == "usage"
    assert state_directory({paths.HOME_VARIABLE: "/é" * 133}) == "/é" * 133


def test_temporary_directories_have_no_say() -> None:
    plain = {"HOME": "/h"}
    assert state_directory(plain | {"TMPDIR": "/tmp/x", "XDG_RUNTIME_DIR": "/run/x"}) == (
        state_directory(plain)
    )


def test_the_variable_decides() -> None:
    assert state_directory({"HOME": "/h", "UNDERSTUDY_HOME": "/x y/é/"}) == "/x y/é"


def test_a_relative_variable_is_refused() -> None:
    with pytest.raises(Failure) as refused:
        state_directory({"UNDERSTUDY_HOME": "state"})
    assert refused.value.code == "usage"


@pytest.mark.parametrize(
    ("mode", "owner", "wrong"),
    [
        (0o040700, 5, ""),
        (0o040700, 6, "uid 6"),
        (0o040750, 5, "0750"),
        (0o040701, 5, "0701"),
        (0o120777, 5, "symbolic link"),
        (0o100700, 5, "not a directory"),
    ],
)
def test_a_runtime_directory(mode: int, owner: int, wrong: str) -> None:
    found = paths.check_directory(mode, owner, 5)
    assert bool(found) == bool(wrong)
    assert wrong in found


@pytest.mark.parametrize(
    ("mode", "owner", "wrong"),
    [
        (0o140600, 5, ""),
        (0o140600, 0, "uid 0"),
        (0o140660, 5, "0660"),
        (0o140400, 5, "0400"),
        (0o120777, 5, "not a socket"),
        (0o100600, 5, "not a socket"),
    ],
)
def test_a_socket(mode: int, owner: int, wrong: str) -> None:
    found = paths.check_socket(mode, owner, 5)
    assert bool(found) == bool(wrong)
    assert wrong in found


@pytest.mark.parametrize(
    ("mode", "owner", "wrong"),
    [
        (0o040755, 5, ""),
        (0o040700, 5, ""),
        (0o040775, 5, "0775"),
        (0o040702, 5, "0702"),
        (0o040700, 7, "uid 7"),
        (0o100700, 5, "not a directory"),
    ],
)
def test_a_state_directory(mode: int, owner: int, wrong: str) -> None:
    found = paths.check_state_directory(mode, owner, 5)
    assert bool(found) == bool(wrong)
    assert wrong in found
