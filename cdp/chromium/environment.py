"""The variables of an owned browser: what it needs of ours, and what it writes in its profile.

Secrets are among a person's variables, so only those are passed that a browser reads.

A profile directory does not keep Chromium from writing into the person's home: its crash
reports, its database of certificates and the settings of the desktop have places of their
own there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cdp.chromium.programs import programs_of
from cdp.chromium.scratch import scratch_of

if TYPE_CHECKING:
    from collections.abc import Mapping

CRASH_REPORTS = "Crash Reports"
DATA_HOME = "understudy-data"
"""Directories of a profile."""

_SYSTEM_DATA = "/usr/local/share:/usr/share"
_DESKTOPS = ("XDG_CURRENT_DESKTOP", "DESKTOP_SESSION")

_PASSED = frozenset(
    {
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TZDIR",
        "LD_LIBRARY_PATH",
        "CHROME_DEVEL_SANDBOX",
        # a desktop holds the person's proxy
        "DBUS_SESSION_BUS_ADDRESS",
        "GSETTINGS_BACKEND",
        "GSETTINGS_SCHEMA_DIR",
        "GNOME_DESKTOP_SESSION_ID",
        "KDE_FULL_SESSION",
        "KDE_SESSION_VERSION",
        "KDEHOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_DIRS",
        "XDG_CONFIG_HOME",
        "XDG_DATA_DIRS",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        *_DESKTOPS,
    }
)
_PASSED_BEGINNINGS = ("LC_", "FONTCONFIG_", "SSL_CERT_")
_PROXIES = frozenset(
    {
        "http_proxy",
        "https_proxy",
        "ftp_proxy",
        "all_proxy",
        "no_proxy",
        "auto_proxy",
        "socks_server",
        "socks_version",
    }
)


def browser_environment(given: Mapping[str, str], profile: Path) -> dict[str, str]:
    """Return the variables for the browser of a profile, from those given."""
    variables = {name: text for name, text in given.items() if is_passed(name)}
    path = given.get("PATH") or os.defpath
    variables["PATH"] = f"{programs_of(profile)}{os.pathsep}{path}"
    variables["TMPDIR"] = str(scratch_of(profile))
    variables["BREAKPAD_DUMP_LOCATION"] = str(profile / CRASH_REPORTS)
    return variables | _settings(variables) | _data(variables, profile)


def is_passed(name: str) -> bool:
    """Return whether a browser needs a variable of ours as it is."""
    return name in _PASSED or name.startswith(_PASSED_BEGINNINGS) or name.lower() in _PROXIES


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
