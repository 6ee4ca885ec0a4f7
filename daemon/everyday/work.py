"""What the write path does for one command: its checks, its act, and what they found.

A work is run once. What it found (``result``, ``failure``) is for the reply to this call
alone; the journal keeps the reduced result that `act` returns.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import trio

from daemon.everyday.expecting import act_of, expected_seconds
from daemon.everyday.performer import NOTHING, PageFailed
from protocol.command_failures import CommandFailed
from protocol.commands import Read, Wait, own_seconds
from protocol.origins import refusal_of
from protocol.targets import PointTarget
from protocol.writes import EXECUTION_S, Kind, Result, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.everyday.performer import Act, Done, PageIdentity, Performer
    from daemon.store.rows import BatchStep
    from protocol.commands import Command, Write
    from protocol.errors import Failure

Progress = Callable[[Sequence["BatchStep"]], Awaitable[None]]
"""Records steps of a batch. Raises Failure: then what they are of may not be done."""

LOOKS = 3
"""Tries at reading a page that goes from document to document."""
TITLE_S = 1.0
"""How long a page may take to say its title for a reply."""


class Work(Protocol):
    """One command's checks and act."""

    kind: Kind
    own_s: float
    """Seconds that the command itself asks for."""
    failure: Failure | None
    """Why it was refused or failed, with all that is known of it."""
    steps: list[BatchStep]
    """Steps of a batch that are not recorded yet."""
    page: PageIdentity | None
    """The document that was read, when all that was found is of that one."""

    @property
    def sent(self) -> bool:
        """Whether input may have left."""

    @property
    def members(self) -> dict[str, object]:
        """What was found: members of the reply."""

    async def check(self) -> None:
        """Do the pre-flight reads. Raises CommandFailed, DialogMet, TabGone."""

    async def act(self, progress: Progress) -> Result:
        """Do it and read back. Raises CommandFailed, DialogMet, TabGone."""


class OneWrite:
    """A single write."""

    kind = Kind.WRITE

    def __init__(self, command: Write, performer: Performer) -> None:
        self.own_s = own_seconds([command]) + expected_seconds(command)
        self._found: Mapping[str, object] = NOTHING
        self.failure: Failure | None = None
        self.steps: list[BatchStep] = []
        self.page: PageIdentity | None = None
        self._command = command
        self._performer = performer
        self._before = performer.sent_count
        self._act: Act | None = None

    @property
    def sent(self) -> bool:
        """See Work."""
        return self._performer.sent_count != self._before

    @property
    def members(self) -> dict[str, object]:
        """See Work."""
        return {"result": dict(self._found)}

    async def check(self) -> None:
        """See Work."""
        self._act = act_of(self._command, self._performer)
        await self._act.prepare()

    async def act(self, _: Progress) -> Result:
        """See Work."""
        if self._act is None:
            raise AssertionError("it was not checked")
        done = await self._act.perform()
        self._found = done.seen
        if done.status is Status.FAILED:
            self.failure = failure_of_done(done)
        return Result(done.status, done.code if done.status is Status.FAILED else "")


class OneRead:
    """A single read."""

    kind = Kind.READ
    sent = False

    def __init__(self, command: Read, performer: Performer) -> None:
        self.own_s = own_seconds([command])
        self._found: Mapping[str, object] = NOTHING
        self.failure: Failure | None = None
        self.steps: list[BatchStep] = []
        self.page: PageIdentity | None = None
        self._command = command
        self._performer = performer

    @property
    def members(self) -> dict[str, object]:
        """See Work."""
        return {"result": dict(self._found)}

    async def check(self) -> None:
        """See Work; a read has nothing to check first."""
        await trio.lowlevel.checkpoint()

    async def act(self, _: Progress) -> Result:
        """See Work."""
        if isinstance(self._command, Wait):
            self._found = await look(self._command, self._performer)
        else:
            self._found, self.page = await look_at_one(self._command, self._performer)
        return Result(Status.OK)


class DryRun:
    """A write that sends nothing: its targets are resolved, and that is all."""

    kind = Kind.DRY_RUN
    sent = False
    own_s = 0.0

    def __init__(self, command: Command, performer: Performer) -> None:
        self._found: Mapping[str, object] = NOTHING
        self.failure: Failure | None = None
        self.steps: list[BatchStep] = []
        self.page: PageIdentity | None = None
        self._command = command
        self._performer = performer

    @property
    def members(self) -> dict[str, object]:
        """See Work."""
        return {"result": dict(self._found)}

    async def check(self) -> None:
        """See Work; nothing is checked before the act, which is reads only."""
        await trio.lowlevel.checkpoint()

    async def act(self, _: Progress) -> Result:
        """See Work. Without a target the page is not even asked."""
        await trio.lowlevel.checkpoint()
        targets = [one for one in self._command.targets if not isinstance(one, PointTarget)]
        found = [dict(await self._performer.probe(target)) for target in targets]
        self._found = {"simulated": True, "targets": found}
        return Result(Status.OK, simulated=True)


async def look(read: Read, performer: Performer) -> Mapping[str, object]:
    """Do one read within its own time, or any command's."""
    return await performer.look(read, timeout_s=EXECUTION_S + own_seconds([read]))


async def look_at_one(
    read: Read, performer: Performer
) -> tuple[Mapping[str, object], PageIdentity]:
    """Do one read, all of it on one document; return what was found and which document.

    CommandFailed ``not_stable`` when the page went to another one during each try.
    """
    for _ in range(LOOKS):
        before = performer.loader_id
        try:
            found = await look(read, performer)
        except PageFailed as failed:
            if not failed.refused:
                raise
            continue
        except CommandFailed as failure:
            if failure.code != "ref_stale" or read.targets:
                raise
            continue  # no element was meant: it is the document that went
        page = await performer.identify(timeout_s=TITLE_S)
        if page.loader_id == before:
            return found, page
    raise CommandFailed("not_stable", f"The page went on to another document {LOOKS} times")


def failure_of_done(done: Done) -> CommandFailed:
    """Return the failure that an act's failed end is."""
    seen = dict(done.seen) or None
    if "refusedUrl" in done.seen:
        refusal = refusal_of(str(done.seen["refusedUrl"]))
        return CommandFailed(done.code, refusal.message, hint=refusal.hint, seen=seen)
    hint = next((hint for error, hint in _NET_HINTS.items() if error in done.detail), "")
    detail = done.detail or "It failed"
    return CommandFailed(done.code or "action_failed", detail, hint=hint, seen=seen)


_NET_HINTS: Final = {
    "net::ERR_CERT_": "The browser does not accept the server's certificate; use one that it does.",
    "net::ERR_UNSAFE_PORT": "Browsers never connect to this port; let the server use another.",
}
"""What to do about a document that did not load, by the net error."""
