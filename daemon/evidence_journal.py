"""Each batch of an evidence session is one write in the journal.

It is granted, on disk, before its first action, and completed, on disk, before its reply.
In between every action is on record as started before it may send anything. A daemon that
is killed meanwhile leaves a batch of unknown outcome, and which of its actions was running.
`BatchJournal` is the seam: the stored one is what a daemon has.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, Protocol

import trio

from daemon.attempt import ActionFailed
from daemon.logs import LOGGER
from daemon.store.journal import Admission
from daemon.store.rows import BatchStep, StepOutcome
from protocol.admission import fingerprint_of
from protocol.errors import Failure, proof_failure
from protocol.evidence_session import ActionOutcome, Phase
from protocol.leases import LeaseState
from protocol.writes import Kind, Result, State, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from daemon.store.journal import Entry, Journal
    from daemon.store.proofs import Proofs
    from protocol.actions import Action
    from protocol.evidence_session import End
    from protocol.receipts import ActionStatus

BATCH: Final = "actions"
"""The type of a batch in the journal."""

_ENDS: Final = {
    Phase.CLOSED: LeaseState.CLOSED,
    Phase.ABORTED: LeaseState.CLOSED,
    Phase.EXPIRED: LeaseState.EXPIRED,
    Phase.FAILED: LeaseState.LOST,
}


class Progress(Protocol):
    """How far a batch has come."""

    async def start(self, place: int) -> None:
        """Record that an action begins. Raises Failure: then it may not."""

    def end(self, place: int, status: ActionStatus) -> None:
        """Note how it ended; recorded with what is recorded next."""


class BatchJournal(Protocol):
    """The record of all evidence sessions. Raises Failure ``frame`` when it cannot be kept."""

    async def begin(self, proof_id: str, principal: str, origins: Sequence[str]) -> None:
        """Record that a session begins."""

    def batch(
        self, proof_id: str, sequence: int, actions: Sequence[Action]
    ) -> AbstractAsyncContextManager[Progress]:
        """Hold a grant for a batch; leaving the block records how it ended.

        An ActionFailed of outcome ``failed`` is a failed end, any other exception an unknown
        one.
        """

    async def end(self, proof_id: str, end: End) -> None:
        """Record how a session ended."""


class StoredBatches:
    """`BatchJournal` in the installation's database."""

    def __init__(
        self, journal: Journal, proofs: Proofs, key: bytes, utc_ms: Callable[[], int]
    ) -> None:
        self._journal = journal
        self._proofs = proofs
        self._key = key
        self._utc_ms = utc_ms

    async def begin(self, proof_id: str, principal: str, origins: Sequence[str]) -> None:
        """See BatchJournal."""
        try:
            await self._proofs.begin(proof_id, principal, origins, self._utc_ms())
        except Failure as failure:
            raise _unkept(failure) from failure

    @asynccontextmanager
    async def batch(
        self, proof_id: str, sequence: int, actions: Sequence[Action]
    ) -> AsyncIterator[Progress]:
        """See BatchJournal."""
        entry = await self._grant(proof_id, sequence, actions)
        progress = _StoredProgress(self._journal, entry, actions)
        try:
            yield progress
        except BaseException as error:
            with trio.CancelScope(shield=True):
                await self._doubt(entry, progress, known=_is_known(error))
            raise
        await self._complete(entry, progress)

    async def end(self, proof_id: str, end: End) -> None:
        """See BatchJournal."""
        try:
            await self._proofs.end(proof_id, _ENDS[end.phase], end.reason, self._utc_ms())
        except Failure as failure:
            raise _unkept(failure) from failure

    async def _grant(self, proof_id: str, sequence: int, actions: Sequence[Action]) -> Entry:
        kind = Kind.WRITE if any(action.is_input for action in actions) else Kind.READ
        shown = {"actions": [action.projection() for action in actions]}
        fingerprint = fingerprint_of(self._key, shown, dry_run=False)
        batch_id = f"{proof_id}:{sequence}"
        try:
            entry = await self._journal.admit(
                Admission(proof_id, batch_id, kind, BATCH, fingerprint, size=len(actions))
            )
        except Failure as failure:
            raise _unkept(failure) from failure
        if kind is Kind.WRITE:  # a read is granted as it is admitted
            await self._grant_write(entry)
        return entry

    async def _grant_write(self, entry: Entry) -> None:
        try:
            await self._journal.grant(entry)
        except Failure as failure:
            await self._leave(entry, State.NOT_STARTED)
            raise _unkept(failure) from failure

    async def _complete(self, entry: Entry, progress: _StoredProgress) -> None:
        try:
            await self._journal.complete(entry, Result(progress.status), progress.unrecorded)
        except Failure as failure:
            await self._leave(entry, _unseen(entry))
            raise _unkept(failure) from failure

    async def _doubt(self, entry: Entry, progress: _StoredProgress, *, known: bool) -> None:
        """Record a batch that did not come to its end; the session ends with it."""
        if known:
            failed = Result(Status.FAILED, "action_failed")
            with suppress(Failure):  # then it is unknown
                await self._journal.complete(entry, failed, progress.unrecorded)
                return
        await self._leave(entry, _unseen(entry))

    async def _leave(self, entry: Entry, state: State) -> None:
        """Record an end that holds whether or not it is recorded: the journal owes it then."""
        try:
            await self._journal.end(entry, state)
        except Failure as failure:
            LOGGER.warning("the end of a batch is not recorded yet: %s", failure.message)


class _StoredProgress:
    """See Progress."""

    def __init__(self, journal: Journal, entry: Entry, actions: Sequence[Action]) -> None:
        self._journal = journal
        self._entry = entry
        self._actions = actions
        self.unrecorded: list[BatchStep] = []
        self.status = Status.OK
        """What is known of all actions together."""

    async def start(self, place: int) -> None:
        """See Progress."""
        started = BatchStep(place, self._actions[place].type, StepOutcome.STARTED)
        try:
            await self._journal.progress(self._entry, [*self.unrecorded, started])
        except Failure as failure:
            raise _unkept(failure) from failure
        self.unrecorded.clear()

    def end(self, place: int, status: ActionStatus) -> None:
        """See Progress."""
        seen = Status(status.value)
        failed = seen is Status.FAILED
        self.status = seen if seen is not Status.OK else self.status
        result = Result(seen, "action_failed" if failed else "")
        outcome = StepOutcome.FAILED if failed else StepOutcome.DONE
        self.unrecorded.append(BatchStep(place, self._actions[place].type, outcome, result))


def _unseen(entry: Entry) -> State:
    return State.UNKNOWN if entry.kind is Kind.WRITE else State.TIMED_OUT


def _is_known(error: BaseException) -> bool:
    return isinstance(error, ActionFailed) and error.outcome is ActionOutcome.FAILED


def _unkept(failure: Failure) -> Failure:
    return proof_failure("frame", failure.message, failure.hint)
