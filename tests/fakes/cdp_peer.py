"""A scripted CDP peer behind the Transport interface: the far side without a browser.

A playbook is a list of steps. ``Expect`` waits for the next command; ``Emit``,
``Say`` and ``Close`` happen as soon as all steps before them are done::

    peer = CdpPeer(
        Expect("Page.enable", reply={}),
        Emit("Page.loadEventFired", {"timestamp": 1}, session_id="S"),
        Expect("Page.navigate", refuse=(-32000, "Cannot navigate")),
        Expect("Page.reload"),          # never answered
        Close("the browser closed the pipe"),
    )

Commands whose method is in ``always`` are answered at any time and are no part of
the playbook. A command that is neither fails the test where it was sent.
``verify_played`` fails unless every step was reached.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio

from cdp.transport import TransportEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Sent:
    """A command as it arrived."""

    id: int
    method: str
    params: dict[str, Any]
    session_id: str


@dataclass(frozen=True)
class Expect:
    """The next command; ``params`` names those that must be equal, others may be there."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    session_id: str | None = None
    reply: Mapping[str, Any] | None = None
    refuse: tuple[int, str] | None = None


@dataclass(frozen=True)
class Emit:
    """An event."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    session_id: str = ""


@dataclass(frozen=True)
class Say:
    """Raw bytes of one message, whatever they are."""

    data: bytes


@dataclass(frozen=True)
class Close:
    """The peer ends the line."""

    reason: str = "the peer closed the line"


Step = Expect | Emit | Say | Close


class CdpPeer:
    """Plays a playbook; hand it to ``open_connection``."""

    def __init__(
        self,
        *steps: Step,
        always: Mapping[str, Mapping[str, Any] | Callable[[Sent], Mapping[str, Any]]] | None = None,
    ) -> None:
        self.sent: list[Sent] = []
        self._steps = deque(steps)
        self._always = always or {}
        self._send, self._receive = trio.open_memory_channel[bytes | None](10_000)
        self._end: str | None = None
        self._over = trio.Event()
        self._play()

    def post(self, message: bytes) -> None:
        if self._end is not None:
            raise TransportEnded(self._end)
        command = _parse(message)
        self.sent.append(command)
        if command.method in self._always:
            answer = self._always[command.method]
            self.answer(command, answer(command) if callable(answer) else answer)
            return
        self._meet(command)
        self._play()

    async def pump(self) -> None:
        await self._over.wait()

    async def receive(self) -> bytes:
        data = await self._receive.receive()
        if data is None:
            raise TransportEnded(self._end or "")
        return data

    async def aclose(self) -> None:
        self.close("closed by us")
        await trio.lowlevel.checkpoint()

    def answer(self, command: Sent, result: Mapping[str, Any]) -> None:
        """Reply to a command, now or long after it came."""
        self._say({"id": command.id, "result": result})

    def refuse(self, command: Sent, code: int, message: str) -> None:
        """Refuse a command."""
        self._say({"id": command.id, "error": {"code": code, "message": message}})

    def emit(self, method: str, params: Mapping[str, Any] | None = None, session: str = "") -> None:
        """Send an event outside of the playbook."""
        address = {"sessionId": session} if session else {}
        self._say({"method": method, "params": params or {}, **address})

    def close(self, reason: str) -> None:
        """End the line after what was said so far."""
        if self._end is None:
            self._end = reason
            self._send.send_nowait(None)
            self._over.set()

    def verify_played(self) -> None:
        """Fail unless every step of the playbook was reached."""
        assert not self._steps, f"not reached: {list(self._steps)}"

    def _meet(self, command: Sent) -> None:
        assert self._steps, f"unexpected command {command}"
        expected = self._steps.popleft()
        assert isinstance(expected, Expect)  # _play leaves nothing else in front
        assert _fits(command, expected), f"expected {expected}, got {command}"
        if expected.refuse is not None:
            self.refuse(command, *expected.refuse)
        elif expected.reply is not None:
            self.answer(command, expected.reply)

    def _play(self) -> None:
        """Do what the playbook says until it waits for a command."""
        while self._steps and not isinstance(self._steps[0], Expect):
            match self._steps.popleft():
                case Emit(method, params, session_id):
                    self.emit(method, params, session_id)
                case Say(data):
                    self._send.send_nowait(data)
                case Close(reason):
                    self.close(reason)

    def _say(self, message: Mapping[str, Any]) -> None:
        if self._end is None:
            self._send.send_nowait(json.dumps(message).encode())


def _parse(message: bytes) -> Sent:
    body = json.loads(message)
    assert set(body) <= {"id", "method", "params", "sessionId"}, body
    return Sent(body["id"], body["method"], body["params"], body.get("sessionId", ""))


def _fits(command: Sent, expected: Expect) -> bool:
    return (
        command.method == expected.method
        and expected.session_id in (None, command.session_id)
        and all(command.params.get(name) == value for name, value in expected.params.items())
    )
