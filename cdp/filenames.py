"""File names that a page proposes, made plain: one name in one directory, anywhere. Pure."""

from __future__ import annotations

import re

NAME_BYTES = 120
"""UTF-8 bytes of a plain name, its ending included."""
ENDING_BYTES = 20
FALLBACK = "download"

_SEPARATORS = re.compile(r"[/\\]")
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


def plain_name(proposed: str) -> str:
    """Return a proposed name without any directory, control character or device in it.

    It does not begin with a dot or a blank, nor end with one; "" becomes a name of ours.
    """
    last = _SEPARATORS.split(proposed)[-1]
    shown = "".join(one if one.isprintable() else "_" for one in last)
    name = _cut(_FORBIDDEN.sub("_", shown).strip(" .")).strip(" .")
    if _DEVICES.match(name):
        name = f"_{name}"
    return name or FALLBACK


def numbered_name(name: str, number: int) -> str:
    """Return the name that a file gets when ``number`` others have it already."""
    if number == 0:
        return name
    stem, dot, ending = name.rpartition(".")
    return f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"


def _cut(name: str) -> str:
    """Shorten a name, keeping an ending that looks like one."""
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending.encode()) > ENDING_BYTES:
        stem, dot, ending = name, "", ""
    room = NAME_BYTES - len((dot + ending).encode())
    return stem.encode()[:room].decode(errors="ignore") + dot + ending
