"""The line to a browser: whole messages out and in, over a pipe or a websocket.

Both transports keep one rule: **a message that was begun is finished**, whatever
happens to the task that posted it. ``post`` puts a message on the line, or in
the backlog, in one step without a checkpoint; ``pump`` writes the backlog out.
So a cancelled call can neither tear a message nor change the order of two.
"""

from __future__ import annotations

from typing import Protocol

from cdp.errors import BacklogFull, CdpError, MessageTooLarge

MESSAGE_LIMIT = 256 * 1024 * 1024
"""Largest message in bytes, either way."""

BACKLOG_LIMIT = 320 * 1024 * 1024
"""Most bytes that wait to be written."""


class TransportEnded(CdpError):
    """The line is over; ``reason`` says which side ended it and how."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Transport(Protocol):
    """Carries CDP messages in order. One task receives, one pumps, any task posts."""

    def post(self, message: bytes) -> None:
        """Send ``message`` after all earlier ones, without blocking.

        Raises MessageTooLarge, BacklogFull or TransportEnded; then no byte of it goes out.
        """

    async def pump(self) -> None:
        """Write out the backlog; returns when the line is over."""

    async def receive(self) -> bytes:
        """Return the next whole message; TransportEnded after the last one."""

    async def aclose(self) -> None:
        """End the line; the far side sees the end at once."""


def verify_room(size: int, backlog: int) -> None:
    """Raise unless a message of ``size`` bytes fits the limit, and after ``backlog`` bytes."""
    if size > MESSAGE_LIMIT:
        raise MessageTooLarge(size, MESSAGE_LIMIT)
    if backlog + size > BACKLOG_LIMIT:
        raise BacklogFull(backlog + size, BACKLOG_LIMIT)
