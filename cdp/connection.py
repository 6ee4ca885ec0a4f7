"""Calls and events, for the browser as a whole and for each CDP session.

::

    async with open_connection(transport) as browser:
        page = await browser.attach(target_id)
        with page.events("Page.loadEventFired") as loads:
            await page.call("Page.navigate", url=url, timeout_s=10)
            await loads.next(timeout_s=10)

Parameters are CDP's own, verbatim. A call that is cancelled or runs out of time
leaves nothing behind: its reply, should one come, is dropped.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import trio

from cdp.background import running
from cdp.errors import CallTimedOut, CdpError, EventsOverflowed, EventTimedOut
from cdp.exchange import Exchange
from cdp.messages import Event
from cdp.multiplexer import BROWSER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from cdp.exchange import Settle
    from cdp.multiplexer import Command
    from cdp.transport import Transport

    Call = tuple[str, Mapping[str, object]]
    """A CDP method and its parameters."""

    Outcome = dict[str, Any] | CdpError
    """A call's result, or why there is none."""

CALL_TIMEOUT_S = 15.0
EVENT_LIMIT = 1024


class CdpSession:
    """One CDP session: a target's, or the browser's own. Cheap to make, holds no state."""

    def __init__(self, exchange: Exchange, session_id: str) -> None:
        self._exchange = exchange
        self.session_id = session_id

    async def call(
        self, method: str, /, *, timeout_s: float = CALL_TIMEOUT_S, **params: object
    ) -> dict[str, Any]:
        """Call one method and return its result.

        Raises CallRefused, CallTimedOut, SessionDetached, TargetCrashed or ConnectionClosed.
        """
        (result,) = await self.pipeline([(method, params)], timeout_s=timeout_s)
        return result

    async def pipeline(
        self, calls: Sequence[Call], *, timeout_s: float = CALL_TIMEOUT_S
    ) -> list[dict[str, Any]]:
        """Send all calls in order without waiting in between; return their results in order.

        Raises the error of the first call without a result, after all are settled.
        """
        return results_of(await self.pipeline_outcomes(calls, timeout_s=timeout_s))

    async def pipeline_outcomes(
        self, calls: Sequence[Call], *, timeout_s: float = CALL_TIMEOUT_S
    ) -> list[Outcome]:
        """Like ``pipeline``, with each call's error in the place of its result.

        When a call cannot be sent, those after it are not sent either.
        """
        # a task that is cancelled already must not send anything any more
        await trio.lowlevel.checkpoint_if_cancelled()
        with trio.move_on_after(timeout_s), self.sending(calls) as batch:
            await batch.settled.wait()
        return batch.outcomes_within(timeout_s)

    def sending(self, calls: Sequence[Call]) -> Batch:
        """Send all calls in order, at once, for a ``with`` block that waits for them.

        What is not settled by its end is forgotten. See `pipeline_outcomes`.
        """
        return Batch(self._exchange, self.session_id, calls)

    def post(self, method: str, params: Mapping[str, object], settle: Settle) -> None:
        """Send one call now, from a handler say; ``settle`` is called once with its outcome.

        Raises ConnectionClosed, BacklogFull, MessageTooLarge or CallNotEncodable; then
        nothing was sent.
        """
        self._exchange.post(method, params, self.session_id, settle)

    @contextmanager
    def events(self, *methods: str, limit: int = EVENT_LIMIT) -> Iterator[EventStream]:
        """Subscribe to events of this session for the length of a ``with`` block."""
        stream = EventStream(methods, limit)
        with self._listening(methods, stream.put):
            yield stream

    @contextmanager
    def handler(self, method: str, handle: Callable[[Event], None]) -> Iterator[None]:
        """Run ``handle`` on each such event at once, before any later message is looked at.

        It must not block and must not raise.
        """

        def listener(item: Event | CdpError) -> None:
            if isinstance(item, Event):
                handle(item)

        with self._listening((method,), listener):
            yield

    @contextmanager
    def _listening(
        self, methods: Sequence[str], listener: Callable[[Event | CdpError], None]
    ) -> Iterator[None]:
        for method in methods:
            self._exchange.listen(self.session_id, method, listener)
        try:
            yield
        finally:
            for method in methods:
                self._exchange.unlisten(self.session_id, method, listener)


class Connection(CdpSession):
    """The browser's own session, and the way to all others."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange, BROWSER)

    @property
    def closed(self) -> trio.Event:
        """Set when the connection is over; ``closed_reason`` then says why."""
        return self._exchange.closed

    @property
    def closed_reason(self) -> str | None:
        """What ended the connection, None while it lives."""
        return self._exchange.closed_reason

    def session(self, session_id: str) -> CdpSession:
        """Return the session that ``Target.attachedToTarget`` named."""
        return CdpSession(self._exchange, session_id)

    async def attach(self, target_id: str, *, timeout_s: float = CALL_TIMEOUT_S) -> CdpSession:
        """Attach to a target by a flat session."""
        result = await self.call(
            "Target.attachToTarget", targetId=target_id, flatten=True, timeout_s=timeout_s
        )
        return self.session(result["sessionId"])


class EventStream:
    """Events in order, at most ``limit`` unread; an error ends it, after what came before."""

    def __init__(self, methods: tuple[str, ...], limit: int) -> None:
        self._methods = methods
        self._limit = limit
        self._send, self._receive = trio.open_memory_channel[Event](limit)
        self._error: CdpError | None = None

    def put(self, item: Event | CdpError) -> None:
        """Add an event, or the error that ends the stream."""
        if self._error is not None:
            return
        if isinstance(item, CdpError):
            self._end(item)
            return
        try:
            self._send.send_nowait(item)
        except trio.WouldBlock:
            self._end(EventsOverflowed(self._limit))

    async def next(self, *, timeout_s: float) -> Event:
        """Return the next event.

        Raises EventTimedOut, EventsOverflowed, SessionDetached or ConnectionClosed.
        """
        with trio.move_on_after(timeout_s):
            return await self.__anext__()
        raise EventTimedOut(self._methods, timeout_s)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            if self._error is None:
                raise
            raise self._error from None

    def _end(self, error: CdpError) -> None:
        self._error = error
        self._send.close()


class Batch:
    """Calls that were sent together; leaving the block drops those without an outcome."""

    def __init__(self, exchange: Exchange, session_id: str, calls: Sequence[Call]) -> None:
        self._exchange = exchange
        self._session_id = session_id
        self._calls = calls
        self._sent: list[Command] = []
        self._unsettled = len(calls)
        self.outcomes: list[Outcome | None] = [None] * len(calls)
        self.settled = trio.Event()

    def __enter__(self) -> Self:
        try:
            for place, (method, params) in enumerate(self._calls):
                command = self._exchange.post(
                    method, params, self._session_id, self._settler(place)
                )
                self._sent.append(command)
        except CdpError as error:
            for place in range(len(self._sent), len(self._calls)):
                self._settle(place, error)
        if not self._unsettled:
            self.settled.set()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for command, outcome in zip(self._sent, self.outcomes, strict=False):
            if outcome is None:
                self._exchange.forget(command)

    def outcomes_within(self, timeout_s: float) -> list[Outcome]:
        """Return each call's outcome, once its time was over: CallTimedOut if it had none."""
        return [
            CallTimedOut(method, timeout_s) if outcome is None else outcome
            for (method, _), outcome in zip(self._calls, self.outcomes, strict=True)
        ]

    def _settler(self, place: int) -> Settle:
        return lambda outcome: self._settle(place, outcome)

    def _settle(self, place: int, outcome: Outcome) -> None:
        self.outcomes[place] = outcome
        self._unsettled -= 1
        if not self._unsettled:
            self.settled.set()


def results_of(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return the results; raise the error of the first call without one."""
    for outcome in outcomes:
        if isinstance(outcome, CdpError):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, CdpError)]


@asynccontextmanager
async def open_connection(transport: Transport) -> AsyncIterator[Connection]:
    """Run a connection over ``transport`` for the length of the block, then close it."""
    exchange = Exchange(transport)
    async with running(transport.pump, exchange.read):
        try:
            yield Connection(exchange)
        finally:
            exchange.end("closed by us")
            with trio.CancelScope(shield=True):
                await transport.aclose()
