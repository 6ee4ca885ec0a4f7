"""The one failure type that crosses every door, and its shape on the wire.

A failure names the condition that was broken (``code``), says it in a sentence
(``message``), and tells the caller what to do (``hint``). Neither text ever
carries what a person typed, a secret, or text of a page.
"""

from __future__ import annotations

from typing import TypedDict

PROOF_PREFIX = "external-proof-"
"""Prefix of every code that evidence sessions share with other tools."""


class FailureBody(TypedDict):
    """The ``error`` member of a failed reply."""

    code: str
    message: str
    retryable: bool
    hint: str
    safeToRetry: bool


class Failure(Exception):
    """A condition that stops a command; every door reports it in the same words.

    ``safe_to_retry`` is true only when nothing was started, so that the same
    command may be sent again.
    """

    def __init__(self, code: str, message: str, hint: str, *, safe_to_retry: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.safe_to_retry = safe_to_retry

    def body(self) -> FailureBody:
        """Return the ``error`` member of a reply."""
        return {
            "code": self.code,
            "message": self.message,
            "retryable": False,
            "hint": self.hint,
            "safeToRetry": self.safe_to_retry,
        }


def proof_failure(name: str, message: str, hint: str) -> Failure:
    """Return a failure of an evidence session: ``external-proof-<name>``."""
    return Failure(PROOF_PREFIX + name, message, hint)
