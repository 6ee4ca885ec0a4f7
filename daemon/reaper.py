"""Clears what browsers of an earlier daemon left behind, and nothing else.

A daemon that is killed takes its browsers with it (their pipe closes), but not
their profile directories. The next daemon looks once, before it opens a browser
of its own: a recorded process that still runs and is proven ours is ended, then
its profile is removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdp.chromium.leftovers import terminate_leftover
from cdp.chromium.profile import Leftover, list_profiles, remove_profile
from cdp.errors import CdpError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Reaped:
    """One profile directory that was found. ``problem`` is empty when it is gone."""

    name: str
    killed: bool
    problem: str = ""


def find_leftovers(profiles: Path) -> list[Leftover]:
    """Return what lies in the profiles' directory; call it before any browser is opened."""
    return list_profiles(profiles)


async def reap(leftover: Leftover) -> Reaped:
    """End the browser of one leftover profile if it still runs, and remove the profile."""
    killed = False
    try:
        if leftover.browser is not None:
            killed = await terminate_leftover(leftover.browser, leftover.directory)
        await remove_profile(leftover.directory)
    except (CdpError, OSError) as error:
        return Reaped(leftover.directory.name, killed, str(error))
    return Reaped(leftover.directory.name, killed)
