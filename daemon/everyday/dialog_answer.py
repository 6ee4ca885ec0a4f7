"""The answer to a dialog, as a work of the write path: recorded like any other write.

It does not wait for its turn, because nothing else can go on before it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.writes import Kind, Result, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daemon.everyday.performer import PageIdentity
    from daemon.everyday.work import Progress
    from daemon.outbox import DialogOutbox
    from daemon.store.rows import BatchStep


@dataclass(frozen=True)
class DialogAnswer:
    """What the caller answers. ``text`` is for a prompt; None is the prompt's own default."""

    accept: bool
    text: str | None = None

    @property
    def type(self) -> str:
        """The type of command that the journal records."""
        return "dialog_accept" if self.accept else "dialog_dismiss"


class Answering:
    """One answer; see `daemon.everyday.work.Work`."""

    kind = Kind.WRITE
    own_s = 0.0

    def __init__(self, answer: DialogAnswer, outbox: DialogOutbox) -> None:
        self.failure: Failure | None = None
        self.steps: list[BatchStep] = []
        self.page: PageIdentity | None = None
        self.sent = False
        self._answer = answer
        self._outbox = outbox
        self._number = 0
        self._found: dict[str, object] = {}

    @property
    def members(self) -> dict[str, object]:
        """See Work."""
        return {"result": self._found}

    async def check(self) -> None:
        """See Work: a dialog must be open."""
        await trio.lowlevel.checkpoint()
        with _as_command():
            self._number = self._outbox.verify_open().number

    async def act(self, _: Progress) -> Result:
        """See Work. The dialog that was checked is answered, and no other."""
        with _as_command():
            if self._outbox.verify_open().number != self._number:
                raise Failure(
                    "conflict",
                    "Another dialog has opened meanwhile; it was not answered",
                    "See understudy dialog list.",
                )
            self.sent = True
            met = await self._outbox.answer(accept=self._answer.accept, text=self._answer.text)
        self._found = {"dialog": met.wire()}
        return Result(Status.OK)


@contextmanager
def _as_command() -> Iterator[None]:
    """Let a failure of the outbox be one of the command: a definite end of it."""
    try:
        yield
    except Failure as failure:
        raise CommandFailed(failure.code, failure.message, hint=failure.hint) from failure
