"""The exchange: joins a transport and the multiplexer, and hands out what comes in.

One task reads. Between a message's arrival and the last of its consequences
there is no checkpoint, so consumers see things in the browser's order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from cdp.errors import (
    CdpError,
    ConnectionClosed,
    MessageMalformed,
    MessageTooLarge,
    SessionDetached,
)
from cdp.messages import Event
from cdp.multiplexer import BROWSER, Answered, Command, Failed, Multiplexer
from cdp.transport import TransportEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cdp.transport import Transport

    Settle = Callable[[dict[str, Any] | CdpError], None]
    Listener = Callable[[Event | CdpError], None]
    """Gets each event, and one error when no more can come."""


class Exchange:
    """The state of one connection: waiters by command, listeners by session and method."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._multiplexer = Multiplexer()
        self._waiters: dict[int, Settle] = {}
        self._listeners: dict[tuple[str, str], list[Listener]] = {}
        self.closed = trio.Event()
        self.closed_reason: str | None = None

    def post(
        self, method: str, params: Mapping[str, object], session_id: str, settle: Settle
    ) -> Command:
        """Send a command in order, at once; ``settle`` is called once with its outcome.

        A raised error means that nothing was sent and nothing waits.
        """
        if self.closed_reason is not None:
            raise ConnectionClosed(self.closed_reason)
        command, data = self._multiplexer.command(method, params, session_id)
        try:
            self._transport.post(data)
        except TransportEnded as ended:
            self._multiplexer.forget(command)
            raise ConnectionClosed(ended.reason) from None
        except CdpError:
            self._multiplexer.forget(command)
            raise
        self._waiters[command.id] = settle
        return command

    def forget(self, command: Command) -> None:
        """Drop the waiter of a command; its reply, should one come, is dropped too."""
        self._multiplexer.forget(command)
        self._waiters.pop(command.id, None)

    def listen(self, session_id: str, method: str, listener: Listener) -> None:
        """Call ``listener`` for each such event, after those that listen already."""
        if self.closed_reason is not None:
            raise ConnectionClosed(self.closed_reason)
        self._listeners.setdefault((session_id, method), []).append(listener)

    def unlisten(self, session_id: str, method: str, listener: Listener) -> None:
        """Undo one ``listen``."""
        listeners = self._listeners.get((session_id, method), [])
        if listener in listeners:
            listeners.remove(listener)
        if not listeners:
            self._listeners.pop((session_id, method), None)

    async def read(self) -> None:
        """Hand out messages until the line is over."""
        try:
            while True:
                for occurrence in self._multiplexer.receive(await self._transport.receive()):
                    self._hand_out(occurrence)
        except TransportEnded as ended:
            self.end(ended.reason)
        except (MessageMalformed, MessageTooLarge) as error:
            # what follows cannot be trusted to be in step any more
            self.end(str(error))

    def end(self, reason: str) -> None:
        """Give every waiter and listener one clear error; the first reason stays."""
        if self.closed_reason is not None:
            return
        self.closed_reason = reason
        for failed in self._multiplexer.end(reason):
            self._hand_out(failed)
        listeners, self._listeners = self._listeners, {}
        for listener in [each for group in listeners.values() for each in group]:
            listener(ConnectionClosed(reason))
        self.closed.set()

    def _hand_out(self, occurrence: Answered | Failed | Event) -> None:
        match occurrence:
            case Answered(command=command, result=outcome) | Failed(command=command, error=outcome):
                # an earlier consequence of the same message may have dropped this waiter
                settle = self._waiters.pop(command.id, None)
                if settle is not None:
                    settle(outcome)
            case Event():
                self._tell(occurrence)

    def _tell(self, event: Event) -> None:
        for listener in tuple(self._listeners.get((event.session_id, event.method), ())):
            listener(event)
        if event.method == "Target.detachedFromTarget":
            self._silence(str(event.params.get("sessionId")))

    def _silence(self, session_id: str) -> None:
        """End the listeners of a session that can have no more events."""
        for key in [key for key in self._listeners if key[0] == session_id != BROWSER]:
            for listener in self._listeners.pop(key):
                listener(SessionDetached(session_id))
