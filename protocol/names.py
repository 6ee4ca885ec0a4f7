"""The one validator for names that become paths, and the forms of our identifiers."""

import re
import unicodedata
from typing import Final

from protocol.errors import Failure

NAME_PATTERN: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""What a name of a client, profile, tool, secret, output or member may look like."""

MAX_ATTEMPT_CHARACTERS: Final = 128

_NAME = re.compile(NAME_PATTERN)
_DEVICE = re.compile(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_WORKSPACE_ID = re.compile(r"bw-[0-9a-f]{32}")
_GENERATION = re.compile(r"vdcg-[0-9a-f]{32}")


def parse_name(text: str, what: str) -> str:
    """Return ``text`` if it may be the name of a ``what`` ("client", "profile", …).

    No such name can leave its directory, hide, pose as an option or as a device, or
    have two spellings. Raises Failure ``invalid_name`` with the pattern.
    """
    if not _NAME.fullmatch(text) or text.endswith(".") or _DEVICE.fullmatch(text):
        raise Failure(
            "invalid_name",
            f"This is not a name for a {what}; a name matches {NAME_PATTERN}, does not end"
            " in a dot and is not a device name such as CON",
            "Use letters, digits, dots, underscores and hyphens, at most 64 in all.",
        )
    return text


def is_digest(text: str) -> bool:
    """Whether ``text`` is a SHA-256 as 64 lower-case hex digits."""
    return _DIGEST.fullmatch(text) is not None


def is_workspace_id(text: str) -> bool:
    """Whether ``text`` has the form of a workspace's id: bw- and 32 hex digits."""
    return _WORKSPACE_ID.fullmatch(text) is not None


def is_generation(text: str) -> bool:
    """Whether ``text`` has the form of a capture generation: vdcg- and 32 hex digits."""
    return _GENERATION.fullmatch(text) is not None


def is_attempt_id(text: str) -> bool:
    """Whether a caller may name its attempt so: 1 to 128 characters, none a control.

    An attempt's id is free text of the caller's. It never becomes a path.
    """
    return 1 <= len(text) <= MAX_ATTEMPT_CHARACTERS and not any(
        unicodedata.category(character) in {"Cc", "Cs"} for character in text
    )
