"""What a starting daemon tells the client that started it, through a pipe."""

from __future__ import annotations

from protocol.errors import Failure
from protocol.framing import FrameInvalid, encode_fields, encode_text, parse_fields, parse_text

READY = encode_fields((b"ready",))
LIMIT = 64 * 1024


def encode_refusal(failure: Failure) -> bytes:
    """Return the word of a daemon that cannot start."""
    return encode_fields(
        encode_text(part) for part in (failure.code, failure.message, failure.hint)
    )


def parse_readiness(told: bytes) -> Failure | None:
    """Return None for a daemon that is ready, else why it is not.

    What is neither (a daemon that died without a word) is a Failure with an
    empty message.
    """
    try:
        fields = [parse_text(field) for field in parse_fields(told)]
    except FrameInvalid:
        fields = []
    if fields == ["ready"]:
        return None
    code, message, hint = fields if len(fields) == 3 else ("daemon_unavailable", "", "")
    return Failure(code, message, hint)
