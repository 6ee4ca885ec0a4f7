"""A batch: commands in order under one grant and one completion.

Before a step may send anything it is on record as started; that record, unsynced, is
made before the step's own checks, together with the end of the step before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from daemon.everyday.expecting import act_of, expected_seconds
from daemon.everyday.performer import NOTHING, DialogMet, PageFailed
from daemon.everyday.work import failure_of_done, look, look_at_one
from daemon.store.rows import BatchStep, StepOutcome
from daemon.tab import TabGone
from protocol.command_failures import CommandFailed, failure_of
from protocol.commands import Read, Wait, Write, is_write, own_seconds
from protocol.writes import Kind, Result, State, Status, failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daemon.everyday.performer import Act, PageIdentity, Performer
    from daemon.everyday.work import Progress
    from protocol.commands import Step
    from protocol.errors import Failure


class Outcome(StrEnum):
    """How a step of a batch is reported."""

    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"


@dataclass
class _Line:
    """What is known of one step."""

    step: Step
    outcome: Outcome = Outcome.NOT_RUN
    status: Status | None = None
    found: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    failure: Failure | None = None

    def wire(self, index: int) -> dict[str, object]:
        """Return one element of a reply's ``steps``."""
        name, failure = self.step.name, self.failure
        return {
            "index": index,
            **({} if name is None else {"id": name}),
            "type": self.step.command.type,
            "outcome": self.outcome.value,
            "status": None if self.status is None else self.status.value,
            **({"result": dict(self.found)} if self.found else {}),
            **({} if failure is None else {"error": failure.body()}),
        }


class _Ended(Exception):
    """No further step may run: a dialog is open, or the tab is gone."""


class Batch:
    """The work of a batch. With ``bail`` the first step that fails is the last one run."""

    def __init__(self, steps: Sequence[Step], performer: Performer, *, bail: bool) -> None:
        self.kind = Kind.WRITE if is_write(steps) else Kind.READ
        self.own_s = own_seconds([step.command for step in steps]) + sum(
            expected_seconds(step.command) for step in steps
        )
        self.failure: Failure | None = None
        self.steps: list[BatchStep] = []
        self.page: PageIdentity | None = None
        self._lines = [_Line(step) for step in steps]
        self._performer = performer
        self._bail = bail
        self._before = performer.sent_count
        self._acts: dict[int, Act] = {}

    @property
    def sent(self) -> bool:
        """See Work."""
        return self._performer.sent_count != self._before

    @property
    def members(self) -> dict[str, object]:
        """See Work."""
        return {"steps": [line.wire(index) for index, line in enumerate(self._lines)]}

    async def check(self) -> None:
        """See Work: the first step's own checks; those of the others depend on it."""
        line = self._lines[0]
        if not isinstance(line.step.command, Write):
            return
        try:
            await self._act_at(0, line.step.command).prepare()
        except CommandFailed as failure:
            self._fail(line, failure)
            if self._bail:
                self._note_end(0, line)
                raise

    async def act(self, progress: Progress) -> Result:
        """See Work."""
        for place, line in enumerate(self._lines):
            try:
                await self._run(place, line, progress)
            except _Ended:
                break
            if line.outcome is Outcome.FAILED and self._bail:
                break
        return self._result()

    async def _run(self, place: int, line: _Line, progress: Progress) -> None:
        sent = self._performer.sent_count
        if line.outcome is Outcome.FAILED:  # its checks, which were done before the grant
            self._note_end(place, line)
            return
        try:
            await self._do(place, line, progress)
        except CommandFailed as failure:
            self._fail(line, failure)
        except DialogMet as met:
            if self._performer.sent_count == sent:
                self._fail(line, failure_of(State.NOT_STARTED, "dialog_open"))
                raise _Ended from met
            line.outcome, line.status = Outcome.DONE, Status.INJECTED  # the next step is refused
        except PageFailed:
            if self._performer.sent_count != sent:
                raise
            code = "action_failed" if line.step.command.is_write else "timed_out"
            self._fail(line, failure_of(State.COMPLETED, code))
        except TabGone as gone:
            if self._performer.sent_count != sent:
                raise
            self._fail(line, failure_of(State.COMPLETED, "tab_gone"))
            raise _Ended from gone
        finally:
            self._note_end(place, line)

    async def _do(self, place: int, line: _Line, progress: Progress) -> None:
        command = line.step.command
        if not isinstance(command, Write):
            line.found = await self._look(cast("Read", command))
            line.outcome, line.status = Outcome.DONE, Status.OK
            return
        act, following = self._act_at(place, command), self._act_after(place)
        started = BatchStep(place, command.type, StepOutcome.STARTED)
        await self._start(act, [*self.steps, started], progress, prepared=place == 0)
        line.outcome = Outcome.UNKNOWN
        done = await act.perform(following)
        line.found = done.seen
        if done.status is Status.FAILED:
            raise failure_of_done(done)
        line.outcome, line.status = Outcome.DONE, done.status

    async def _look(self, read: Read) -> Mapping[str, object]:
        if isinstance(read, Wait):  # it may go on from document to document
            return await look(read, self._performer)
        return (await look_at_one(read, self._performer))[0]

    def _act_at(self, place: int, command: Write) -> Act:
        """Return the act of a step, made once."""
        if place not in self._acts:
            self._acts[place] = act_of(command, self._performer)
        return self._acts[place]

    def _act_after(self, place: int) -> Act | None:
        """Return the act of the step after this one, None for a read or after the last."""
        if place + 1 == len(self._lines):
            return None
        command = self._lines[place + 1].step.command
        return self._act_at(place + 1, command) if isinstance(command, Write) else None

    async def _start(
        self, act: Act, steps: list[BatchStep], progress: Progress, *, prepared: bool
    ) -> None:
        """Put the step on record as started, then make its checks; both before any input."""
        await progress(steps)
        self.steps.clear()
        if not prepared:
            await act.prepare()

    def _fail(self, line: _Line, failure: Failure) -> None:
        line.outcome, line.status, line.failure = Outcome.FAILED, Status.FAILED, failure
        self.failure = self.failure or failure

    def _note_end(self, place: int, line: _Line) -> None:
        """Remember a step's end, to be recorded with what is recorded next."""
        outcomes = {Outcome.DONE: StepOutcome.DONE, Outcome.FAILED: StepOutcome.FAILED}
        outcome = outcomes.get(line.outcome)
        if outcome is not None and line.status is not None:
            code = "" if line.failure is None else line.failure.code
            result = Result(line.status, code)
            self.steps.append(BatchStep(place, line.step.command.type, outcome, result))

    def _result(self) -> Result:
        failures = [line.failure for line in self._lines if line.failure is not None]
        if failures:
            return failed(failures[0].code)
        injected = any(line.status is Status.INJECTED for line in self._lines)
        return Result(Status.INJECTED if injected else Status.OK)
