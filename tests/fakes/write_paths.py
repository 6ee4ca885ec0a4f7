"""A write path over a page that is a counter: the machine driven over the real journal."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.writes import (
    Act,
    Answer,
    Block,
    Check,
    Checked,
    Ended,
    Kept,
    Kind,
    Record,
    Result,
    Sent,
    State,
    Status,
    Unkept,
    decide_step,
    open_attempt,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from daemon.store.journal import Admission, Entry, Journal
    from protocol.writes import Effect, Event

INJECTED = Result(Status.INJECTED)


class WritePath:
    """Performs one command; ``watch`` is told of every point at which all could end."""

    def __init__(
        self,
        journal: Journal,
        admission: Admission,
        watch: Callable[[str], Awaitable[None]],
    ) -> None:
        self.inputs = 0
        self.blocked = False
        self.answer: Answer | None = None
        self._journal = journal
        self._admission = admission
        self._watch = watch
        self._entry: Entry | None = None

    async def run(self) -> Answer:
        attempt, effects = open_attempt(self._admission.kind)
        waiting: deque[Effect] = deque(effects)
        while waiting:
            effect = waiting.popleft()
            await self._watch(f"before {effect}")
            for event in await self._perform(effect):
                attempt, more = decide_step(attempt, event)
                if isinstance(event, Sent):
                    self.inputs += 1
                waiting.extend(more)
                await self._watch(f"after {event}")
        assert self.answer is not None
        return self.answer

    async def _perform(self, effect: Effect) -> list[Event]:
        if isinstance(effect, Record):
            return [await self._record(effect)]
        if isinstance(effect, Check):
            return [Checked()]
        if isinstance(effect, Act):
            write = self._admission.kind is Kind.WRITE
            return [Sent(), Ended(INJECTED)] if write else [Ended(Result(Status.OK))]
        if isinstance(effect, Block):
            self.blocked = True
        else:
            self.answer = effect
        return []

    async def _record(self, record: Record) -> Event:
        try:
            await self._keep(record)
        except Failure as failure:
            return Unkept(failure.code)
        return Kept()

    async def _keep(self, record: Record) -> None:
        if self._entry is None:
            self._entry = await self._journal.admit(self._admission)
        elif record.state is State.GRANTED:
            await self._journal.grant(self._entry)
        elif record.state is State.COMPLETED and record.result is not None:
            await self._journal.complete(self._entry, record.result)
        else:
            await self._journal.end(self._entry, record.state, record.result)
