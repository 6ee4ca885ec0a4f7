"""One evidence session: feeds the machine of `protocol.evidence` and performs its effects.

A session is a task of the daemon's nursery. An accepted operation runs in a task
of the session, not of the caller: a caller that goes away stops nothing. The
session ends by a call, by its clock (whether or not anybody calls), by its
browser's end, or with the daemon; whichever it is, what runs is stopped, pressed
buttons and keys are let go, and its resources are freed in the background if they
cannot be freed at once.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from daemon.attempt import ActionFailed, Attempt
from daemon.clock import STEP_S
from daemon.logs import LOGGER, log_mistake
from daemon.recorder import Recorder
from daemon.session_replies import decide_unclean, ended_event, ended_reply, session_reply
from daemon.signals import first_of
from protocol.errors import Failure, proof_failure
from protocol.evidence import (
    ActionEnded,
    ActionStarted,
    Broke,
    Called,
    Completed,
    DialogOpened,
    Refuse,
    Release,
    Report,
    Run,
    Ticked,
    decide_step,
)
from protocol.evidence_session import Moment, Session, SessionEnded
from protocol.messages import Abort, Actions, Close, Finish, Observe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from daemon.clock import Clock
    from daemon.dispatch import Reply
    from daemon.evidence_journal import BatchJournal, Progress
    from daemon.evidence_store import EvidenceStore
    from daemon.workspaces import Cleanup, Workspace
    from protocol.actors import Actor
    from protocol.evidence import Effect, Occurrence
    from protocol.messages import Call
    from protocol.receipts import ActionStatus, Binding

    Work = Callable[[], Awaitable[Completed]]

WIND_UP_S = 5.0
"""Longest time for closing the record."""
ANSWER_S = 5.0
"""How long the failure of an operation waits for everything to be free."""
CLEANUP_S = 20.0
"""How long a close or an abort waits for it before it answers ``cleanup-pending``."""


class Resources(Protocol):
    """How a session comes to its workspace, and how it gives it back."""

    def hold(self, proof_id: str) -> None:
        """Keep every other session from the workspace."""

    async def take(self) -> tuple[Workspace, Binding]:
        """Return the workspace and what the session is bound to. Raises Failure."""

    async def free(self) -> None:
        """Give the workspace back; what cannot be freed yet is retried elsewhere."""

    @property
    def cleanup(self) -> Cleanup:
        """How far freeing has come."""


@dataclass(frozen=True)
class Means:
    """What every session works with."""

    store: EvidenceStore
    clock: Clock
    journal: BatchJournal


@dataclass(frozen=True)
class Identity:
    """Who began which session for which attempt."""

    proof_id: str
    actor: Actor
    attempt_id: str


@dataclass
class _Answer:
    """What the call that started an operation waits for."""

    done: trio.Event = field(default_factory=trio.Event)
    completed: bool = False


class EvidenceSession:
    """One session of one actor. `live` must be running until it returns."""

    def __init__(
        self, identity: Identity, opened: Session, resources: Resources, means: Means
    ) -> None:
        self.identity = identity
        self.state = opened
        self.resources = resources
        self.workspace: Workspace | None = None
        self.released = trio.Event()
        """Set when the session has ended and has done what it could to free its resources."""
        self._clock = means.clock
        self._journal = means.journal
        self._recorder = Recorder(means.store, identity.proof_id)
        self.attempt = Attempt(identity.actor, means.clock, self._recorder)
        self._over = trio.Event()
        self._release: Release | None = None
        self._running = trio.CancelScope()
        self._unwound = trio.Event()
        self._unwound.set()
        self._nursery: trio.Nursery | None = None

    async def begin(self) -> Reply:
        """Set the session up and return its first reply. Raises Failure."""
        return await self._run(self._set_up)

    async def call(self, principal: str, request: Call) -> Reply:
        """Answer one request, exactly as receipt-v2 has it. Raises Failure."""
        *_, effect = self._step(Called(principal, request))
        match effect:
            case Refuse():
                raise await self._explain(request, effect.failure)
            case Report():
                return session_reply(self)
            case Run():
                run = effect
                return await self._run(lambda: self._perform(run, request))
            case Release():
                await self._await_release()
                return ended_reply(self, effect.end)

    async def _explain(self, request: Call, failure: Failure) -> Failure:
        """Return what a refused call is told.

        Closing or aborting once more is how a caller asks whether what an end left
        pending is gone by now.
        """
        if not (isinstance(failure, SessionEnded) and isinstance(request, Close | Abort)):
            return failure
        await self._await_release()
        return decide_unclean(self) or failure

    async def _await_release(self) -> None:
        with trio.move_on_after(CLEANUP_S):
            await self.released.wait()

    # --- its life -----------------------------------------------------------------

    async def live(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hold the session until it has ended and its resources are free."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._recorder.run)
                nursery.start_soon(self._watch_clock)
                task_status.started()
                await self._over.wait()
                await self._unwound.wait()
                nursery.cancel_scope.cancel()
        except Exception as error:
            # one session's fault must not be the end of the others
            log_mistake(f"session {self.identity.proof_id} ended badly", error)
        finally:
            with trio.CancelScope(shield=True):
                await self._wind_up()

    async def _watch_clock(self) -> None:
        """Let time act on the session, whether or not anybody calls."""
        while (deadline := self.state.next_deadline) is not None:
            now = self._now()
            left_s = max(now.remaining_s(deadline), 0.0)
            # in steps, because the wall clock may be set meanwhile
            await self._clock.sleep_until(now.boot_s + min(left_s, STEP_S))
            self._step(Ticked())

    async def _watch_loss(self, workspace: Workspace) -> None:
        """End the session when its page or browser is gone."""
        tab = workspace.tab
        await tab.lost.wait()
        self._step(Broke(_lost(tab.lost_reason)))

    async def _watch_dialogs(self, workspace: Workspace) -> None:
        """Report a dialog that nobody answers."""
        await workspace.tab.dialog_open.wait()
        self._step(DialogOpened())

    async def _wind_up(self) -> None:
        """Close the record and free what is held; nothing of the session runs any more."""
        self._step(Broke(_daemon_stops()))  # changes nothing when it has ended already
        self.attempt.let_go()
        with trio.move_on_after(WIND_UP_S):
            await self._close_record()
        await self.resources.free()
        self.released.set()

    async def _close_record(self) -> None:
        proof_id, end = self.identity.proof_id, self.state.end
        if end is None:
            raise AssertionError("a session that winds up has ended")
        with _told(proof_id):
            await self._recorder.finish(ended_event(self))
        with _told(proof_id):
            await self._journal.end(proof_id, end)

    # --- operations ---------------------------------------------------------------

    async def _run(self, work: Work) -> Reply:
        """Run an operation in a task of the session and wait for its end."""
        answer = _Answer()
        self._unwound = trio.Event()
        self._tasks().start_soon(self._operate, work, answer)
        await first_of(answer.done, self._over)
        if answer.completed or self._release is None:
            return session_reply(self)
        with trio.move_on_after(ANSWER_S):
            await self.released.wait()
        raise self._release.answer

    async def _operate(self, work: Work, answer: _Answer) -> None:
        try:
            with trio.CancelScope() as self._running:
                if self._release is not None:
                    self._running.cancel()
                self._step(await self._outcome(work))
            answer.completed = self._release is None
        finally:
            self._unwound.set()
            answer.done.set()

    async def _outcome(self, work: Work) -> Occurrence:
        try:
            return await work()
        except ActionFailed as failure:
            return Broke(failure, failure.index, failure.outcome)
        except Failure as failure:
            return Broke(failure)
        except Exception as error:
            log_mistake(f"session {self.identity.proof_id}: an operation broke", error)
            return Broke(Failure("internal", "an unexpected error", "see the daemon's log"))

    async def _set_up(self) -> Completed:
        proof_id, principal = self.identity.proof_id, self.identity.actor.principal_id
        await self._journal.begin(proof_id, principal, self.state.origins)
        self.workspace, binding = await self.resources.take()
        await self.attempt.open(proof_id, binding, self.workspace)
        self._tasks().start_soon(self._watch_loss, self.workspace)
        self._tasks().start_soon(self._watch_dialogs, self.workspace)
        return Completed()

    async def _perform(self, run: Run, request: Call) -> Completed:
        if isinstance(request, Actions):
            batch = self._journal.batch(self.identity.proof_id, request.sequence, run.actions)
            async with batch as kept:
                await self.attempt.act(run.actions, _Followed(kept, self._step))
        elif isinstance(request, Observe):
            return Completed(await self.attempt.observe(request.pre_observation_sha256))
        elif isinstance(request, Finish):
            return Completed(receipt_id=await self.attempt.finish(request.claims_json))
        else:
            await self.attempt.freeze()
        return Completed()

    def _tasks(self) -> trio.Nursery:
        if self._nursery is None:
            raise AssertionError("the session does not live")
        return self._nursery

    # --- the machine --------------------------------------------------------------

    def _now(self) -> Moment:
        return Moment(self._clock.boot_s(), self._clock.utc_ms() / 1000)

    def _step(self, occurrence: Occurrence) -> tuple[Effect, ...]:
        """Let the machine decide, and begin the end if it says so."""
        self.state, effects = decide_step(self.state, occurrence, self._now())
        for effect in effects:
            if isinstance(effect, Release):
                self._release = effect
                self._running.cancel()
                self._over.set()
        return effects


class _Followed:
    """The progress of a batch, kept in the journal and known to the machine."""

    def __init__(self, kept: Progress, step: Callable[[Occurrence], object]) -> None:
        self._kept = kept
        self._step = step

    async def start(self, place: int) -> None:
        """See Progress."""
        await self._kept.start(place)
        self._step(ActionStarted())
        # time may have run out in that step: then nothing may be sent any more
        await trio.lowlevel.checkpoint_if_cancelled()

    def end(self, place: int, status: ActionStatus) -> None:
        """See Progress."""
        self._kept.end(place, status)
        self._step(ActionEnded())


@contextmanager
def _told(proof_id: str) -> Iterator[None]:
    """Let the end go on when a record of it cannot be kept, and say so in the log."""
    try:
        yield
    except Failure as failure:
        LOGGER.warning("session %s: %s", proof_id, failure.message)


def _lost(reason: str) -> Failure:
    return proof_failure("closed", f"The browser is lost: {reason}", "Begin a new attempt.")


def _daemon_stops() -> Failure:
    return proof_failure("closed", "The daemon stops", "Begin a new attempt.")
