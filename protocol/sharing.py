"""Which profile a new session gets, and which sessions may share one.

Two sessions of one profile share its cookies and its storage, so they must have nothing
to do with each other: disjoint origins and different profile-state keys, and at most two
of them. A session with a throw-away profile shares nothing and is not judged here.
Sources: behaviour.md §1.0.8, DESIGN §1.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.errors import Failure
from protocol.leases import LIVE, LeaseState

CAPACITY: Final = 2
"""Sessions that hold a place in one profile at once."""


@dataclass(frozen=True, slots=True)
class Profile:
    """An enrolled profile as allocation sees it.

    ``available``: its browser runs or can be started. ``origins`` are all that it may be
    used for. ``assigned_ms`` is when it was last given to a session, 0 for never.
    """

    profile_id: str
    origins: frozenset[str]
    available: bool = True
    assigned_ms: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """A session that is not released: it counts, even when it has ended already."""

    profile_id: str
    state: LeaseState
    origins: frozenset[str]
    profile_state: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new session asks for. ``profile_id`` names one profile; None leaves the choice.

    ``profile_state`` is a keyed digest; None says nothing about the login it works in.
    """

    origins: frozenset[str]
    profile_id: str | None = None
    profile_state: str | None = None


class Obstacle(StrEnum):
    """Why a profile cannot take the session."""

    COLLISION = "collision"
    CAPACITY = "capacity"
    AVAILABILITY = "availability"


def decide_allocation(
    wanted: Wanted, profiles: Collection[Profile], held: Collection[Held]
) -> Profile:
    """Return the profile that the session gets.

    A named one, or of those that fit the one with fewest sessions, then the one assigned
    longest ago, then the first by id; a named one is never replaced by another. Raises
    Failure ``not_found`` for a name nobody has, ``collision``, ``capacity`` or
    ``browser_unavailable``, in this order, when none fits.
    """
    asked = [one for one in profiles if wanted.profile_id in {None, one.profile_id}]
    if not asked and wanted.profile_id is not None:
        raise Failure("not_found", "There is no such profile", "See profile list.")
    obstacles = set()
    for profile in sorted(asked, key=lambda one: _preference(one, held)):
        obstacle = check_profile(profile, wanted, held)
        if obstacle is None:
            return profile
        obstacles.add(obstacle)
    raise _refusal(obstacles)


def check_profile(profile: Profile, wanted: Wanted, held: Iterable[Held]) -> Obstacle | None:
    """Return why this profile cannot take the session, None if it can."""
    there = [one for one in held if one.profile_id == profile.profile_id]
    if not profile.available or any(one.state is LeaseState.RECOVERING for one in there):
        return Obstacle.AVAILABILITY
    if len(there) >= CAPACITY:
        return Obstacle.CAPACITY
    if not wanted.origins <= profile.origins:
        return Obstacle.COLLISION
    if any(_collide(wanted, one) for one in there if one.state in LIVE):
        return Obstacle.COLLISION
    return None


def _collide(wanted: Wanted, held: Held) -> bool:
    same_login = wanted.profile_state is not None and wanted.profile_state == held.profile_state
    return same_login or not wanted.origins.isdisjoint(held.origins)


def _preference(profile: Profile, held: Iterable[Held]) -> tuple[int, int, str]:
    used = sum(one.profile_id == profile.profile_id for one in held)
    return used, profile.assigned_ms, profile.profile_id


def _refusal(obstacles: Collection[Obstacle]) -> Failure:
    if Obstacle.COLLISION in obstacles:
        return Failure(
            "collision",
            "A session of that profile works on one of these origins or in that login, or"
            " the profile may not be used for one of them",
            "Close that session, or name other origins or another profile.",
        )
    if Obstacle.CAPACITY in obstacles:
        return Failure(
            "capacity",
            f"A profile holds {CAPACITY} sessions at most, and this many hold it",
            "Close one, or wait until a session that has ended is cleaned up.",
        )
    return Failure(
        "browser_unavailable",
        "No profile that may be used for it has a browser that can be reached",
        "See profile list for what is wrong with it.",
        safe_to_retry=True,
    )
