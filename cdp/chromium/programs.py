"""What a browser finds where it looks for the programs of the desktop.

By a link or a frame a page has Chromium start one: ``mailto:`` starts a mail program
unasked, and any other scheme that is not its own opens a question over the page, which
takes no input from then on. Before either it asks xdg-settings whether it is itself what
opens the scheme. Told so, it does neither. What it would start fails, should it come to that.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from cdp.chromium.scratch import scratch_of
from cdp.errors import LaunchFailed

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = "understudy-programs"
"""Directory that comes first in a browser's PATH."""

FAILING = (
    "gio",
    "gvfs-open",
    "kde-open",
    "kde-open5",
    "xdg-desktop-icon",
    "xdg-desktop-menu",
    "xdg-email",
    "xdg-icon-resource",
    "xdg-mime",
    "xdg-open",
    "xdg-screensaver",
)

_SETTINGS = '#!/bin/sh\n[ "$1" = check ] && echo yes\n'


def create_programs(profile: Path) -> None:
    """Put the stand-ins into a fresh profile, whose scratch directory is there."""
    directory = programs_of(profile)
    directory.mkdir(mode=0o700)
    failing = _failing_program()
    for name in FAILING:
        # links, so that they hold where a file system runs nothing of its own
        (directory / name).symlink_to(failing)
    settings = directory / "xdg-settings"
    settings.write_text(_SETTINGS)
    settings.chmod(0o700)


def programs_of(profile: Path) -> Path:
    """Return where a profile's stand-ins are; never a path that PATH would take for two."""
    base = scratch_of(profile) if os.pathsep in str(profile) else profile
    return base / PROGRAMS


def _failing_program() -> str:
    found = shutil.which("false", path=f"{os.defpath}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise LaunchFailed("there is no program `false` to stand in for those of the desktop")
    return found
