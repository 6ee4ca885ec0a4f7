"""Clients that the owner named, and how one proves to be one of them.

A token is shown once; the installation keeps only its SHA-256, in
``<state>/clients.json`` (0600). A file that is not as we write it fails closed:
then no token is good, and the daemon does not start.
"""

from __future__ import annotations

import hmac
import json
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from protocol.actors import Actor
from protocol.canonical import parse_json
from protocol.errors import Failure
from protocol.names import is_digest, parse_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_CLIENTS = 1000
FILE_LIMIT = 1024 * 1024
TOKEN_BYTES = 32
_VERSION = 1


class TokenRefused(Failure):
    """A token that nobody has; the same answer for an unknown and a removed one."""

    def __init__(self) -> None:
        super().__init__(
            "actor",
            "the client token is not one of this installation",
            'unset UNDERSTUDY_CLIENT_TOKEN_FILE, or make a client with "understudy client add"',
        )


class Clients:
    """The clients of one installation, kept in one file."""

    def __init__(self, path: Path) -> None:
        """Read the file; raises Failure ``state_untrusted`` when it is not ours."""
        self._path = path
        self._digests = _read(path)

    def add(self, name: str) -> str:
        """Register a client and return its token, for the only time.

        Raises Failure ``invalid_name``, ``conflict``, ``capacity``.
        """
        parse_name(name, "client")
        if name in self._digests:
            raise Failure(
                "conflict",
                f"there is a client named {name} already",
                f'remove it first: "understudy client remove {name}"',
            )
        if len(self._digests) >= MOST_CLIENTS:
            raise Failure("capacity", f"there are {MOST_CLIENTS} clients", "remove one first")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._keep(self._digests | {name: _digest(token)})
        return token

    def remove(self, name: str) -> None:
        """Forget a client: its token is good no longer. Raises Failure ``not_found``."""
        parse_name(name, "client")
        if name not in self._digests:
            raise Failure(
                "not_found", f"there is no client named {name}", 'see "understudy client list"'
            )
        self._keep({key: value for key, value in self._digests.items() if key != name})

    def names(self) -> list[str]:
        """Return the clients' names in order."""
        return sorted(self._digests)

    def actor(self, uid: int, token: str) -> Actor:
        """Return who calls; raises `TokenRefused`. No token (""): the uid alone.

        Every digest is compared, in constant time, so that the time taken tells
        nothing about which one came close.
        """
        if not token:
            return Actor(uid)
        shown = _digest(token)
        found = [name for name, kept in self._digests.items() if hmac.compare_digest(kept, shown)]
        if not found:
            raise TokenRefused
        return Actor(uid, found[0])

    def is_known(self, actor: Actor) -> bool:
        """Whether the client of an actor that showed its token once still exists."""
        return actor.client is None or actor.client in self._digests

    def _keep(self, digests: Mapping[str, str]) -> None:
        """Write first, adopt then."""
        document = {"version": _VERSION, "clients": dict(sorted(digests.items()))}
        draft = self._path.with_name(self._path.name + ".part")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
        draft.write_text(json.dumps(document, indent=1) + "\n")
        draft.rename(self._path)
        self._digests = dict(digests)


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _read(path: Path) -> dict[str, str]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    try:
        return _parse(parse_json(data, limit_bytes=FILE_LIMIT))
    except Failure as failure:
        raise Failure(
            "state_untrusted",
            f"{path} is not as the daemon writes it: {failure.message}",
            "restore it, or remove it and add the clients again",
        ) from None


def _parse(document: object) -> dict[str, str]:
    if not (isinstance(document, dict) and document.get("version") == _VERSION):
        raise Failure("invalid_request", f"its version is not {_VERSION}", "")
    clients = document.get("clients")
    if not isinstance(clients, dict):
        raise Failure("invalid_request", "it lists no clients", "")
    for name, kept in clients.items():
        parse_name(name, "client")
        if not (isinstance(kept, str) and is_digest(kept)):
            raise Failure("invalid_request", f"client {name} has no digest", "")
    return clients
