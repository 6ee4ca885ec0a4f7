"""Drives the machine of `protocol.writes` for one command: records, checks, acts, answers.

Everything that happens is an event for the machine, and what the machine answers is done
in its order. The grant's sync runs beside the pre-flight reads. Records are never
interrupted; checks and acts end at their deadline, or when the session ends, and have let
go of every button and key by then.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from daemon.everyday.performer import DialogMet, PageFailed
from daemon.logs import LOGGER
from daemon.tab import TabGone
from protocol.command_failures import CommandFailed, failure_of
from protocol.errors import Failure
from protocol.writes import (
    EXECUTION_S,
    READY_S,
    Act,
    Answer,
    Block,
    Broke,
    Check,
    Checked,
    DeadlinePassed,
    Ended,
    Kept,
    Kind,
    Record,
    Result,
    Sent,
    SessionEnded,
    State,
    Status,
    Unkept,
    decide_step,
    failed,
    open_attempt,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from daemon.everyday.work import Work
    from daemon.store.journal import Admission, Entry, Journal
    from daemon.store.rows import BatchStep
    from protocol.writes import Effect, Event


class WritePath:
    """One attempt at one command, from its admission to its answer.

    ``block`` is called when no further write may be let through. ``limit_s`` is how long
    it may take besides its own waits and holds. `run` is called once.
    """

    def __init__(
        self,
        journal: Journal,
        admission: Admission,
        work: Work,
        block: Callable[[], None],
        *,
        limit_s: float = EXECUTION_S,
    ) -> None:
        self._journal = journal
        self._admission = admission
        self._work = work
        self._block = block
        self._attempt, self._effects = open_attempt(work.kind)
        self._entry: Entry | None = None
        self._stop: SessionEnded | None = None
        self._working = trio.CancelScope()
        self._unkept: Failure | None = None
        self._began_s = trio.current_time()
        self._deadline_s = self._began_s + limit_s + work.own_s

    @property
    def state(self) -> State | None:
        """What is recorded now."""
        return self._attempt.state

    @property
    def elapsed_s(self) -> float:
        """How long ago it began."""
        return trio.current_time() - self._began_s

    async def run(self) -> tuple[State, Result]:
        """Carry the command through and return its outcome. Not to be cancelled: see `stop`."""
        effects: Sequence[Effect] = self._effects
        while not any(isinstance(effect, Answer) for effect in effects):
            effects = await self._follow(effects)
        state, result = self._attempt.ending, self._attempt.result
        if state is None or result is None:
            raise AssertionError("an attempt that is answered has an ending")
        return state, result

    def explain(self, state: State, result: Result) -> Failure:
        """Return the failure that tells an outcome, with all that is known of it."""
        for failure in (self._work.failure, self._unkept):
            if failure is not None and failure.code == result.code and state is not State.UNKNOWN:
                return failure
        return failure_of(state, result.code)

    def stop(self, ended: SessionEnded) -> None:
        """End it as far as it can still be ended; `run` returns soon."""
        if self._stop is None:
            self._stop = ended
            self._working.cancel()

    async def _follow(self, effects: Sequence[Effect]) -> list[Effect]:
        """Do what the machine asks, things that it asks for at once side by side."""
        further: list[Effect] = []

        async def report(happen: Callable[[], Awaitable[Event]]) -> None:
            event = await happen()
            if self._work.sent and not self._attempt.sent:
                self._step(Sent(), further)
            self._step(event, further)

        async with trio.open_nursery() as nursery:
            for effect in effects:
                match effect:
                    case Record():
                        nursery.start_soon(report, partial(self._record, effect, further))
                    case Check():
                        nursery.start_soon(report, partial(self._bounded, self._check))
                    case Act():
                        nursery.start_soon(report, partial(self._bounded, self._act))
                    case Block():
                        self._block()
                    case Answer():
                        raise AssertionError("an answer ends the loop")
        return further

    def _step(self, event: Event, further: list[Effect]) -> None:
        self._attempt, effects = decide_step(self._attempt, event)
        further.extend(effects)

    # --- records ------------------------------------------------------------------

    async def _record(self, record: Record, further: list[Effect]) -> Event:
        try:
            await self._put(record)
        except Failure as failure:
            LOGGER.warning("command %s: %s", self._admission.command_id, failure.message)
            self._unkept = failure
            return Unkept(failure.code)
        if record.state is State.GRANTED and self._is_late():
            self._step(DeadlinePassed(), further)
        return Kept()

    async def _put(self, record: Record) -> None:
        if self._entry is None:
            self._entry = await self._journal.admit(self._admission)
            return
        match record.state:
            case State.GRANTED:
                await self._journal.grant(self._entry)
            case State.COMPLETED:
                result = record.result or failed("internal")
                await self._journal.complete(self._entry, result, self._work.steps)
            case _:
                await self._journal.end(self._entry, record.state, record.result)

    async def _progress(self, steps: Sequence[BatchStep]) -> None:
        if self._entry is None:
            raise AssertionError("it was not admitted")
        await self._journal.progress(self._entry, steps)

    def _is_late(self) -> bool:
        ready_s = self._began_s + READY_S
        return self._work.kind is Kind.WRITE and trio.current_time() > ready_s

    # --- checks and acts ------------------------------------------------------------

    async def _bounded(self, step: Callable[[], Awaitable[Event]]) -> Event:
        """Run a check or an act until it ends, its time is over, or the session ends."""
        with trio.CancelScope(deadline=self._deadline_s) as self._working:
            if self._stop is not None:
                self._working.cancel()
            return await step()
        return self._stop or DeadlinePassed(self._deadline_code())

    def _deadline_code(self) -> str:
        return "action_failed" if self._work.kind is Kind.WRITE else "timed_out"

    async def _check(self) -> Event:
        try:
            await self._work.check()
        except DialogMet:
            return Broke("dialog_open")
        except Failure as failure:
            return self._refused(failure)
        except Exception as error:
            return self._broke(error)
        return Checked()

    async def _act(self) -> Event:
        try:
            return Ended(await self._work.act(self._progress))
        except DialogMet:
            # what was sent met a dialog: it was done, and nothing can say more until then
            return Ended(Result(Status.INJECTED)) if self._work.sent else Broke("dialog_open")
        except CommandFailed as failure:
            return self._refused(failure)
        except Exception as error:
            return self._broke(error)

    def _refused(self, failure: Failure) -> Event:
        self._work.failure = failure
        if self._work.kind is not Kind.WRITE and failure.code == "timed_out":
            return Broke(failure.code)
        return Ended(failed(failure.code))

    def _broke(self, error: Exception) -> Event:
        if isinstance(error, TabGone):
            return Broke("tab_gone")
        if isinstance(error, PageFailed):  # as if its time were over: nothing more is known
            LOGGER.info("command %s: %s", self._admission.command_id, error)
            return DeadlinePassed(self._deadline_code())
        if isinstance(error, Failure):
            self._work.failure = error
            return Broke(error.code)
        LOGGER.error("command %s broke", self._admission.command_id, exc_info=error)
        return Broke("internal")
