"""Beginning a session under a key, so that a lost answer does not make a second session.

Sources: behaviour.md §1.0.1 (UUIDs), §1.0.7 (fingerprint), §1.0.8 (replay).
"""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from protocol.canonical import encode_canonical
from protocol.errors import Failure
from protocol.leases import SessionKind

MAX_PROFILE_STATE_CHARACTERS: Final = 256

_KEY: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that was begun under the same key by the same actor."""

    session_id: str
    fingerprint: str


def parse_begin_key(text: object) -> str:
    """Return a UUID in lower case: version 1 to 8. Raises Failure ``invalid_request``."""
    if isinstance(text, str) and _KEY.fullmatch(text.lower()) and text.isascii():
        return text.lower()
    raise Failure(
        "invalid_request",
        "The key of a beginning is a UUID, such as 7e6f0d3e-41a6-4b62-9f0a-2f1d8f4c9a10",
        "Make one with uuidgen, and send the same one again only to ask for the same session.",
    )


def begin_fingerprint(
    key: bytes,
    kind: SessionKind,
    origins: Iterable[str],
    profile: str | None = None,
    profile_state: str | None = None,
) -> str:
    """Return the keyed digest by which two beginnings are the same.

    ``origins`` are canonical; neither their order nor their spelling counts.
    ``profile_state`` is a digest by `profile_state_digest`, never the caller's text.
    """
    content = {
        "kind": kind.value,
        "origins": sorted(set(origins)),
        "profile": None if profile is None else profile.lower(),
        "profileState": profile_state,
    }
    return hmac.digest(key, b"begin\0" + encode_canonical(content).encode(), "sha256").hex()


def profile_state_digest(key: bytes, text: str) -> str:
    """Return the keyed digest of a profile-state key: which login a session lives in.

    The key itself is kept nowhere. Raises Failure ``invalid_request`` unless it has 1 to
    256 characters.
    """
    if not 1 <= len(text) <= MAX_PROFILE_STATE_CHARACTERS:
        raise Failure(
            "invalid_request",
            f"A profile-state key has 1 to {MAX_PROFILE_STATE_CHARACTERS} characters",
            "Use a short name for the login that the session works in.",
        )
    return hmac.digest(key, b"profile-state\0" + text.encode(), "sha256").hex()


def find_begun(known: Begun | None, fingerprint: str) -> str | None:
    """Return the session that this key began before, None when it is new.

    Raises Failure ``conflict`` when the key began something else.
    """
    if known is None:
        return None
    if hmac.compare_digest(known.fingerprint, fingerprint):
        return known.session_id
    raise Failure(
        "conflict",
        "This key was used before to begin a session with other contents",
        "Nothing was begun. Use a new key for a new session.",
    )
