"""The one configuration file, ``<state>/config.toml``: every key, its default, its check.

    [daemon]
    idle_exit_s = 1800      # leave after so long without session, client or due task

    [policy]
    origins = []            # the only origins that any caller may ask for; empty: no bound
    upload_roots = []       # the only directories that files are uploaded from; empty: no bound

    [evidence]
    retention_days = 30     # how long what a session left behind is kept

    [quotas]
    preset = false          # turn all of them on, with the numbers of protocol.quotas
    # sessions_per_actor, commands_per_session, commands_per_installation, fills_per_actor,
    # requests_per_actor: how many a minute; commands_per_lifetime: how many in one session

An unknown table or key is refused: a misspelt policy must not be no policy.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.origins import parse_origin
from protocol.quotas import parse_quotas

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

DAY_S = 24 * 60 * 60
LONGEST_IDLE_S = 366 * DAY_S
LONGEST_RETENTION_DAYS = 36500


@dataclass(frozen=True)
class Config:
    """What the installation's owner decided; the defaults are those of an empty file."""

    idle_exit_s: int = 1800
    policy_origins: tuple[str, ...] = field(default=())
    retention_days: int = 30
    upload_roots: tuple[str, ...] = field(default=())
    quotas: Mapping[str, int] = field(default_factory=dict)


class ConfigInvalid(Failure):
    """The file does not say something that can be obeyed; names file, key and line."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__("config_invalid", f"{where}: {message}", "correct it and start again")


_KEYS = {
    "daemon": {"idle_exit_s": "idle_exit_s"},
    "policy": {"origins": "policy_origins", "upload_roots": "upload_roots"},
    "evidence": {"retention_days": "retention_days"},
}
_QUOTAS = "quotas"
_TABLES = (*_KEYS, _QUOTAS)
_WHOLE_NUMBERS = {
    "idle_exit_s": (1, LONGEST_IDLE_S),
    "retention_days": (1, LONGEST_RETENTION_DAYS),
}


def parse_config(text: str, name: str) -> Config:
    """Return the configuration that ``text`` spells; ``name`` is the file's, for messages.

    Raises `ConfigInvalid`.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid(name, f"this is not TOML: {error}") from None
    values: dict[str, object] = {}
    for table, content in document.items():
        if table not in _TABLES or not isinstance(content, dict):
            raise ConfigInvalid(_place(name, text, table), _unknown(table, "table", _TABLES))
        if table == _QUOTAS:
            values["quotas"] = _parse_quotas(_place(name, text, table), content)
            continue
        for key, value in content.items():
            values |= _parse_key(_place(name, text, key), table, key, value)
    return Config(**values)  # type: ignore[arg-type]  # each was checked by _parse_key


def _parse_key(where: str, table: str, key: str, value: object) -> dict[str, object]:
    keys = _KEYS[table]
    if key not in keys:
        raise ConfigInvalid(where, _unknown(f"{table}.{key}", "key", keys))
    if key in _WHOLE_NUMBERS:
        least, most = _WHOLE_NUMBERS[key]
        if type(value) is not int or not least <= value <= most:
            message = f"{table}.{key} is to be a whole number from {least} to {most}"
            raise ConfigInvalid(where, message)
        return {keys[key]: value}
    if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise ConfigInvalid(where, f"{table}.{key} is to be a list of texts")
    if key == "upload_roots":
        return {keys[key]: _parse_roots(where, value)}
    try:
        return {keys[key]: tuple(parse_origin(one, explicit=True) for one in value)}
    except Failure as failure:
        raise ConfigInvalid(where, f"{table}.{key}: {failure.message}") from None


def _parse_quotas(where: str, content: Mapping[str, object]) -> dict[str, int]:
    try:
        return parse_quotas(content)
    except Failure as failure:
        raise ConfigInvalid(where, failure.message) from None


def _parse_roots(where: str, roots: list[str]) -> tuple[str, ...]:
    if not all(root.startswith("/") and ".." not in root.split("/") for root in roots):
        raise ConfigInvalid(where, "policy.upload_roots is to be a list of absolute directories")
    return tuple(roots)


def _unknown(name: str, kind: str, known: Collection[str]) -> str:
    return f"there is no {kind} {name!r}; known here: {', '.join(sorted(known))}"


def _place(name: str, text: str, word: str) -> str:
    """Return ``file, line N`` for the first line that begins with the word."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().lstrip("[").lstrip().strip("\"'").startswith(word):
            return f"{name}, line {number}"
    return name


def read_config(path: Path) -> Config:
    """Return the configuration of a file; defaults when there is none. See `parse_config`."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if path.is_symlink():  # what it was to say is not known, and no policy would be obeyed
            raise ConfigInvalid(str(path), "it is a link to a file that is not there") from None
        return Config()
    except UnicodeDecodeError:
        raise ConfigInvalid(str(path), "it is not UTF-8") from None
    return parse_config(text, str(path))
