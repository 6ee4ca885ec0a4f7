"""The variables of an owned browser: ours, but what it writes goes into its profile.

A profile directory does not keep Chromium from writing into the person's home: its crash
reports, its database of certificates and the settings of the desktop have places of their
own there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CRASH_REPORTS = "Crash Reports"
DATA_HOME = "understudy-data"
"""Directories of a profile."""

_SYSTEM_DATA = "/usr/local/share:/usr/share"
_DESKTOPS = ("XDG_CURRENT_DESKTOP", "DESKTOP_SESSION")


def browser_environment(given: Mapping[str, str], profile: Path) -> dict[str, str]:
    """Return the variables for the browser of a profile: those given, without our own."""
    variables = {name: text for name, text in given.items() if not name.startswith("UNDERSTUDY_")}
    variables["BREAKPAD_DUMP_LOCATION"] = str(profile / CRASH_REPORTS)
    return variables | _settings(variables) | _data(variables, profile)


def _settings(variables: Mapping[str, str]) -> dict[str, str]:
    """Keep settings in memory, except on a desktop: the person's proxy is among them."""
    if any(variables.get(name) for name in _DESKTOPS):
        return {}
    return {"GSETTINGS_BACKEND": "memory"}


def _data(variables: Mapping[str, str], profile: Path) -> dict[str, str]:
    """Let data be written into the profile, and read from the person's place too (fonts are).

    Certificates that the person has there are read at that place only: then it stays.
    """
    home = Path(variables.get("HOME") or Path.home())
    theirs = Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share")
    if (theirs / "pki" / "nssdb").is_dir():
        return {}
    system = variables.get("XDG_DATA_DIRS") or _SYSTEM_DATA
    return {"XDG_DATA_HOME": str(profile / DATA_HOME), "XDG_DATA_DIRS": f"{theirs}:{system}"}
