"""Rate quotas: how often an actor, a session or the installation may do something.

They are off unless the owner turns them on. A bucket is one minute by the wall clock,
cut at whole minutes. What one command charges is charged everywhere or nowhere, so a
refused command uses up nothing. Source: behaviour.md §1.0.8.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from protocol.errors import Failure

BUCKET_MS: Final = 60_000


class Scope(StrEnum):
    """What is counted, as the keys of ``[quotas]`` name it: a minute's worth of it."""

    SESSIONS_PER_ACTOR = "sessions_per_actor"
    COMMANDS_PER_SESSION = "commands_per_session"
    COMMANDS_PER_INSTALLATION = "commands_per_installation"
    FILLS_PER_ACTOR = "fills_per_actor"
    REQUESTS_PER_ACTOR = "requests_per_actor"


LIFETIME: Final = "commands_per_lifetime"
"""The key of the cap on all commands of one session; see protocol.admission."""

PRESET: Final[Mapping[str, int]] = {
    Scope.SESSIONS_PER_ACTOR: 10,
    Scope.COMMANDS_PER_SESSION: 120,
    Scope.COMMANDS_PER_INSTALLATION: 600,
    Scope.FILLS_PER_ACTOR: 30,
    Scope.REQUESTS_PER_ACTOR: 300,
    LIFETIME: 10_000,
}
"""What ``[quotas] preset = true`` turns on."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One thing that a command uses up: in which scope, and whose (an actor, a session)."""

    scope: Scope
    whose: str = ""


@dataclass(frozen=True, slots=True)
class Buckets:
    """What was charged in one minute, counted from 1970; older ones are forgotten."""

    minute: int = 0
    counts: Mapping[Charge, int] = field(default_factory=dict)


def command_charges(actor: str, session_id: str, *, secret_fill: bool) -> tuple[Charge, ...]:
    """Return what one command uses up; a dry run of a fill is no ``secret_fill``."""
    charges = (
        Charge(Scope.COMMANDS_PER_SESSION, session_id),
        Charge(Scope.COMMANDS_PER_INSTALLATION),
    )
    return (*charges, Charge(Scope.FILLS_PER_ACTOR, actor)) if secret_fill else charges


def charge_quotas(
    buckets: Buckets, charges: Iterable[Charge], limits: Mapping[str, int], now_ms: int
) -> Buckets:
    """Return the buckets after all charges. A scope without a limit is not counted.

    Raises Failure ``quota_exceeded``, which names the first scope that is used up.
    """
    minute = now_ms // BUCKET_MS
    counts = dict(buckets.counts) if minute == buckets.minute else {}
    for charge in charges:
        limit = limits.get(charge.scope)
        if limit is None:
            continue
        counts[charge] = counts.get(charge, 0) + 1
        if counts[charge] > limit:
            raise _exceeded(charge.scope, limit)
    return Buckets(minute, counts)


def parse_quotas(table: Mapping[str, object]) -> dict[str, int]:
    """Return the limits of a ``[quotas]`` table; an empty one limits nothing.

    ``preset = true`` gives PRESET, and any other key sets its own limit: a whole number
    above 0. Raises Failure ``config_invalid``.
    """
    preset = table.get("preset", False)
    if not isinstance(preset, bool):
        raise _invalid("quotas.preset is to be true or false")
    limits = {str(key): value for key, value in PRESET.items()} if preset else {}
    for key, value in table.items():
        if key == "preset":
            continue
        if key not in PRESET:
            raise _invalid(f"there is no key 'quotas.{key}'; known here: {_known()}")
        if type(value) is not int or value < 1:
            raise _invalid(f"quotas.{key} is to be a whole number above 0")
        limits[key] = value
    return limits


def _known() -> str:
    return ", ".join(sorted(["preset", *map(str, PRESET)]))


def _invalid(message: str) -> Failure:
    return Failure("config_invalid", message, "correct it and start again")


def _exceeded(scope: Scope, limit: int) -> Failure:
    return Failure(
        "quota_exceeded",
        f"The quota {scope.value} of {limit} a minute is used up",
        "Nothing was started; send it again in the next minute. [quotas] of the configuration"
        " sets the number.",
        safe_to_retry=True,
    )
