"""The variables of an owned browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdp.chromium.environment import browser_environment

PROFILE = Path("/p/profile")


NEEDED = (
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "FONTCONFIG_FILE",
    "SSL_CERT_DIR",
    "https_proxy",
    "HTTPS_PROXY",
    "no_proxy",
)
OTHERS = (
    "UNDERSTUDY_HOME",
    "UNDERSTUDY_CLIENT_TOKEN_FILE",
    "SHOP_PASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_API_KEY",
    "LD_PRELOAD",
    "DISPLAY",
)


def test_the_browser_gets_what_it_needs_and_nothing_else() -> None:
    variables = browser_environment(dict.fromkeys(NEEDED + OTHERS, "given"), PROFILE)
    assert [name for name in NEEDED if variables.get(name) != "given"] == []
    assert [name for name in OTHERS if name in variables] == []


@pytest.mark.parametrize("given", [{}, {"PATH": ""}, {"PATH": "/bin"}])
def test_the_stand_ins_come_before_the_programs_of_the_person(given: dict[str, str]) -> None:
    first, *others = browser_environment(given, PROFILE)["PATH"].split(":")
    assert first == "/p/profile/understudy-programs"
    assert "/bin" in others
    assert "" not in others


def test_temporary_files_go_into_a_directory_of_the_browsers_own() -> None:
    variables = browser_environment({"TMPDIR": "/gone"}, PROFILE)
    assert variables["TMPDIR"] == "/p/profile/understudy-scratch"


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
