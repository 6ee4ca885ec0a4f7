"""Where a browser puts its temporary files: a directory of its own that goes with its profile.

That of whoever started us may be gone by then, and no browser starts without one. A socket
lies in it, whose path a system bounds, so a deep profile has its directory elsewhere and a
link to it as the record.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from pathlib import Path

SCRATCH = "understudy-scratch"
"""Directory of a profile, or link to it."""

OUTSIDE = Path("/tmp")  # noqa: S108 (made 0700 under a name that nobody knows)
"""Where the directories of deep profiles are made."""

_PREFIX = "understudy-"
_ROOM = 56
"""Bytes that leave room for Chromium's own part of a socket's path (104 bytes on some systems)."""


def create_scratch(profile: Path) -> None:
    """Make the directory of a fresh profile, 0700."""
    place = profile / SCRATCH
    if len(os.fsencode(place)) <= _ROOM and os.pathsep not in str(place):
        place.mkdir(mode=0o700)
        return
    outside = OUTSIDE / f"{_PREFIX}{secrets.token_hex(8)}"
    place.symlink_to(outside)  # first: what is made is on record
    outside.mkdir(mode=0o700)


def scratch_of(profile: Path) -> Path:
    """Return the directory of a profile."""
    place = profile / SCRATCH
    return place.readlink() if place.is_symlink() else place


def remove_outside(outside: Path) -> None:
    """Remove the scratch directory of a profile if it is outside of it and ours. Raises OSError."""
    if outside.parent == OUTSIDE and outside.name.startswith(_PREFIX) and _is_ours(outside):
        shutil.rmtree(outside)


def _is_ours(directory: Path) -> bool:
    try:
        found = directory.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
