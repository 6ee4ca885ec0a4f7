"""The commands of one session: admitted, queued first in first out, run, remembered.

Each command is a task of the session, not of its caller: a caller that goes away stops
nothing. Two sendings of one id meet in the same ticket while it runs, and in the journal
afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from daemon.everyday.batch import Batch
from daemon.everyday.dialog_answer import Answering
from daemon.everyday.recent import Recent
from daemon.everyday.requests import verify_uploads
from daemon.everyday.work import TITLE_S, DryRun, OneRead, OneWrite
from daemon.everyday.write_path import WritePath
from daemon.logs import LOGGER
from daemon.store.journal import Admission
from protocol.admission import (
    Circumstances,
    Execute,
    Pending,
    Refuse,
    Replay,
    check_start,
    decide_admission,
    fingerprint_of,
    id_conflict,
    pending,
)
from protocol.command_failures import CommandFailed, failure_of, with_details
from protocol.commands import Fill, Read, Write
from protocol.errors import Failure
from protocol.quotas import LIFETIME
from protocol.writes import Kind, SessionEnded, State, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Reply
    from daemon.everyday.performer import Performer
    from daemon.everyday.quotas import Quotas
    from daemon.everyday.requests import Request
    from daemon.everyday.surroundings import Around
    from daemon.everyday.work import Work
    from daemon.store.journal import Journal
    from protocol.leases import Lease
    from protocol.writes import Result

MOST_WAITING = 64
"""Commands that wait for their turn in one session."""


@dataclass(frozen=True)
class Rules:
    """What the installation lays down for every session."""

    journal: Journal
    key: bytes
    quotas: Quotas
    upload_roots: tuple[str, ...] = ()


class Holder(Protocol):
    """The session that the commands are of."""

    session_id: str
    principal: str
    writes_blocked: bool
    lease: Lease
    around: Around

    @property
    def performer(self) -> Performer | None:
        """Does commands on the tab; None while there is none."""

    def verify_live(self) -> None:
        """Raise SessionGone when the session has ended."""

    def note_command(self) -> None:
        """Hear that a command was admitted."""


@dataclass
class Ticket:
    """One command that is being handled."""

    request: Request
    fingerprint: str
    done: trio.Event = field(default_factory=trio.Event)
    reply: Reply | None = None
    failure: Failure | None = None
    path: WritePath | None = None

    @property
    def state(self) -> State:
        """How far it has come."""
        return (self.path and self.path.state) or State.PREPARING

    async def answer(self, wait_s: float | None) -> Reply:
        """Wait for the end, as long as a caller wants; Failure ``pending`` after that."""
        with trio.move_on_after(float("inf") if wait_s is None else wait_s):
            await self.done.wait()
        if not self.done.is_set():
            raise with_details(pending(self.request.command_id), commandId=self.request.command_id)
        if self.failure is not None:
            raise self.failure
        if self.reply is None:
            raise AssertionError("a ticket that is done has an answer")
        return self.reply


class Commands:
    """The queue of one session. ``nursery`` is the session's."""

    def __init__(self, holder: Holder, rules: Rules, nursery: trio.Nursery) -> None:
        self._holder = holder
        self._rules = rules
        self._nursery = nursery
        self._tickets: dict[str, Ticket] = {}
        self._recent = Recent()
        self._turn = trio.Lock()
        self._waiting = 0
        self._ended: SessionEnded | None = None

    @property
    def waiting(self) -> int:
        """How many commands wait for their turn."""
        return self._waiting

    @property
    def running(self) -> dict[str, object] | None:
        """The command whose turn it is, and for how many seconds; None when none runs."""
        for ticket in self._tickets.values():
            if ticket.path is not None:
                return {
                    "commandId": ticket.request.command_id,
                    "type": ticket.request.type,
                    "seconds": int(ticket.path.elapsed_s),
                }
        return None

    def find(self, command_id: str) -> Ticket | None:
        """Return the command with this id that is being handled now."""
        return self._tickets.get(command_id)

    def recall(self, command_id: str) -> Reply | None:
        """Return the whole reply of a command that completed lately."""
        return self._recent.find(command_id)

    async def run(self, request: Request) -> Reply:
        """Handle a command and return its reply. Raises Failure.

        A cancelled caller leaves it running.
        """
        self._holder.verify_live()
        fingerprint = fingerprint_of(self._rules.key, request.content, dry_run=request.dry_run)
        ticket = self._tickets.get(request.command_id)
        if ticket is None:
            ticket = Ticket(request, fingerprint)
            self._tickets[request.command_id] = ticket
            self._nursery.start_soon(self._handle, ticket)
        elif ticket.fingerprint != fingerprint:
            raise id_conflict()
        return await ticket.answer(request.wait_s)

    async def idle(self) -> None:
        """Return once no command is being handled."""
        while self._tickets:
            await next(iter(self._tickets.values())).done.wait()

    def stop(self, ended: SessionEnded, *, last: bool) -> None:
        """End what runs as far as it can be; with ``last`` nothing starts any more."""
        if last:
            self._ended = ended
        for ticket in self._tickets.values():
            if ticket.path is not None:
                ticket.path.stop(ended)

    # --- one command ----------------------------------------------------------------

    async def _handle(self, ticket: Ticket) -> None:
        # shielded: what was begun is carried to its record, whoever stops waiting for it
        with trio.CancelScope(shield=True):
            try:
                ticket.reply = await self._outcome(ticket)
            except Failure as failure:
                ticket.failure = self._with_ids(ticket, failure)
            except Exception:
                LOGGER.exception("session %s: a command broke", self._holder.session_id)
                unexpected = Failure("internal", "an unexpected error", "see the daemon's log")
                ticket.failure = self._with_ids(ticket, unexpected)
            finally:
                del self._tickets[ticket.request.command_id]
                ticket.done.set()

    async def _outcome(self, ticket: Ticket) -> Reply:
        request, journal = ticket.request, self._rules.journal
        row = await journal.find(self._holder.session_id, request.command_id)
        known = None if row is None else row.known
        now = await self._circumstances()
        match decide_admission(known, ticket.fingerprint, request.kind, now):
            case Replay(result):
                return self._replay(request, result)
            case Pending():
                raise pending(request.command_id)
            case Refuse(failure):
                self._holder.verify_live()  # it may have ended meanwhile, which says more
                raise failure
            case Execute(attempt):
                return await self._execute(ticket, attempt)

    async def _circumstances(self) -> Circumstances:
        cap = self._rules.quotas.limits.get(LIFETIME)
        count = 0
        if cap is not None:
            count = await self._rules.journal.count(self._holder.session_id)
        return Circumstances(
            reachable=self._holder.performer is not None,
            writes_blocked=self._holder.writes_blocked,
            restarted=self._holder.lease.epoch_changed,
            busy=self._waiting >= MOST_WAITING,
            commands=count,
            command_cap=cap,
        )

    async def _execute(self, ticket: Ticket, attempt: int) -> Reply:
        request = ticket.request
        verify_uploads(request.steps, self._rules.upload_roots)
        self._rules.quotas.charge_command(
            self._holder.principal, self._holder.session_id, secret_fill=_fills(request)
        )
        self._holder.note_command()
        if request.answer is not None:
            return await self._perform(ticket, attempt, self._start(request))
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._perform(ticket, attempt, self._start(request))
        finally:
            self._turn.release()

    def _start(self, request: Request) -> Performer:
        """Judge once more, now that its turn has come. Raises Failure; nothing is stored."""
        self._holder.verify_live()
        performer = self._holder.performer
        now = Circumstances(
            reachable=performer is not None,
            writes_blocked=self._holder.writes_blocked,
            restarted=self._holder.lease.epoch_changed,
        )
        refusal = check_start(request.kind, now)
        if performer is not None and performer.dialog is not None and request.answer is None:
            refusal = refusal or with_details(
                failure_of(State.NOT_STARTED, "dialog_open"), dialog=dict(performer.dialog)
            )
        if refusal is not None:
            raise refusal
        if performer is None:
            raise AssertionError("what is reachable has a performer")
        return performer

    async def _perform(self, ticket: Ticket, attempt: int, performer: Performer) -> Reply:
        request = ticket.request
        work = self._work_of(request, performer)
        admission = Admission(
            self._holder.session_id,
            request.command_id,
            work.kind,
            request.type,
            ticket.fingerprint,
            attempt,
            len(request.steps) if request.is_batch else 0,
        )
        mark = self._holder.around.mark()
        path = WritePath(self._rules.journal, admission, work, self._block, limit_s=request.limit_s)
        ticket.path = path
        if self._ended is not None:
            path.stop(self._ended)
        state, result = await path.run()
        # a page that had no time for the command has none for its title
        title_s = TITLE_S if _has_answered(state, work.failure) else 0.0
        page = work.page or await performer.identify(timeout_s=title_s)
        seen = {**await self._holder.around.since(mark), "page": page.wire()}
        if state is State.COMPLETED and (request.is_batch or result.status is not Status.FAILED):
            reply = self._reply(request, result, {**work.members, **seen})
            self._recent.keep(request.command_id, reply)
            return reply
        members = work.members if request.is_batch else {}
        if (errors := self._holder.around.page.error_count) > 0:
            members["pageErrors"] = errors
        failure = path.explain(state, result)
        raise with_details(failure, outcome=state.value, **members, **seen)

    def _work_of(self, request: Request, performer: Performer) -> Work:
        if request.answer is not None:
            return Answering(request.answer, self._holder.around.outbox)
        return _work_of(request, performer)

    def _block(self) -> None:
        self._holder.writes_blocked = True

    # --- replies ----------------------------------------------------------------------

    def _reply(self, request: Request, result: Result, members: Mapping[str, object]) -> Reply:
        return {
            "ok": True,
            "commandId": request.command_id,
            "sessionId": self._holder.session_id,
            "outcome": State.COMPLETED.value,
            "status": result.status.value,
            "replayed": False,
            **members,
        }

    def _replay(self, request: Request, result: Result) -> Reply:
        """Answer with what is known of a command that has completed before."""
        reply = self._recent.find(request.command_id)
        if reply is not None:
            return {**reply, "replayed": True}
        if result.status is Status.FAILED and not request.is_batch:
            failure = failure_of(State.COMPLETED, result.code)
            raise with_details(failure, outcome=State.COMPLETED.value, replayed=True)
        simulated = {"simulated": True} if result.simulated else {}
        return {**self._reply(request, result, {"result": simulated}), "replayed": True}

    def _with_ids(self, ticket: Ticket, failure: Failure) -> Failure:
        ids = {"commandId": ticket.request.command_id, "sessionId": self._holder.session_id}
        return with_details(failure, **ids)


def _has_answered(state: State, failure: Failure | None) -> bool:
    """Whether the page answered: also one on which something was waited for in vain."""
    waited = isinstance(failure, CommandFailed) and "seen" in failure.details
    return state is State.COMPLETED or waited


def _work_of(request: Request, performer: Performer) -> Work:
    if request.is_batch:
        return Batch(request.steps, performer, bail=request.bail)
    command = request.steps[0].command
    if request.kind is Kind.DRY_RUN:
        return DryRun(command, performer)
    if isinstance(command, Write):
        return OneWrite(command, performer)
    if isinstance(command, Read):
        return OneRead(command, performer)
    raise AssertionError("a command reads or writes")


def _fills(request: Request) -> bool:
    """Whether it types into fields: what the quota of fills counts."""
    return not request.dry_run and any(isinstance(step.command, Fill) for step in request.steps)
