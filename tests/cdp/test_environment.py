"""The variables of an owned browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdp.chromium.environment import browser_environment

PROFILE = Path("/p/profile")


def test_the_browser_gets_none_of_our_own_variables() -> None:
    given = {"PATH": "/bin", "UNDERSTUDY_HOME": "/h", "UNDERSTUDY_CLIENT_TOKEN_FILE": "/t"}
    variables = browser_environment(given, PROFILE)
    assert variables["PATH"] == "/bin"
    assert not [name for name in variables if name.startswith("UNDERSTUDY_")]


def test_crash_reports_go_into_the_profile() -> None:
    given = {"BREAKPAD_DUMP_LOCATION": "/elsewhere"}
    variables = browser_environment(given, PROFILE)
    assert variables["BREAKPAD_DUMP_LOCATION"] == "/p/profile/Crash Reports"


@pytest.mark.parametrize("name", ["XDG_CURRENT_DESKTOP", "DESKTOP_SESSION"])
def test_the_settings_of_a_desktop_are_read_and_none_are_kept_elsewhere(name: str) -> None:
    assert browser_environment({}, PROFILE)["GSETTINGS_BACKEND"] == "memory"
    assert "GSETTINGS_BACKEND" not in browser_environment({name: "GNOME"}, PROFILE)


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({}, "{home}/.local/share:/usr/local/share:/usr/share"),
        ({"XDG_DATA_HOME": "/data"}, "/data:/usr/local/share:/usr/share"),
        ({"XDG_DATA_DIRS": "/more"}, "{home}/.local/share:/more"),
    ],
)
def test_data_is_written_into_the_profile_and_read_where_it_was(
    tmp_path: Path, given: dict[str, str], places: str
) -> None:
    variables = browser_environment({"HOME": str(tmp_path), **given}, PROFILE)
    assert variables["XDG_DATA_HOME"] == "/p/profile/understudy-data"
    assert variables["XDG_DATA_DIRS"] == places.format(home=tmp_path)


def test_certificates_of_the_person_stay_in_sight(tmp_path: Path) -> None:
    given = {"HOME": str(tmp_path)}
    (tmp_path / ".local/share/pki/nssdb").mkdir(parents=True)
    variables = browser_environment(given, PROFILE)
    assert "XDG_DATA_HOME" not in variables
    assert "XDG_DATA_DIRS" not in variables
