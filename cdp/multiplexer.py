"""Many calls and sessions over one line of CDP messages, without any I/O.

::

                 command()                   receive(reply)
    (no such id) ----------> pending ---------------------------> answered
                                | forget()
                                +--------------------------------> forgotten
                                | session detached, target crashed, end()
                                +--------------------------------> abandoned

Ids are never used twice, so a reply to an id that is not pending is a late one
(its caller gave up) and is dropped. Each pending command is settled exactly
once, by a reply, by a refusal, or by the end of what would have answered it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdp.errors import (
    CallRefused,
    CdpError,
    ConnectionClosed,
    SessionDetached,
    TargetCrashed,
)
from cdp.messages import Event, Message, Refusal, Reply, encode_command, parse_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

BROWSER = ""
"""The session id of the browser itself."""

_SESSION_NOT_FOUND = -32001


@dataclass(frozen=True, slots=True)
class Command:
    """A command that waits for its reply."""

    id: int
    method: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The browser replied to ``command``."""

    command: Command
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """``command`` has no result: it was refused, or nothing is left that could answer."""

    command: Command
    error: CdpError


Occurrence = Answered | Failed | Event


class Multiplexer:
    """Gives out command ids, and says what each incoming message settles."""

    def __init__(self, *, first_id: int = 1) -> None:
        self._next_id = first_id
        self._pending: dict[int, Command] = {}
        self._targets: dict[str, str] = {}  # session id -> target id

    @property
    def pending(self) -> tuple[Command, ...]:
        """The commands that still wait, oldest first."""
        return tuple(self._pending.values())

    def command(
        self, method: str, params: Mapping[str, object], session_id: str
    ) -> tuple[Command, bytes]:
        """Register a command and return it with its text; CallNotEncodable registers nothing."""
        command = Command(self._next_id, method, session_id)
        data = encode_command(command.id, method, params, session_id)
        self._next_id += 1
        self._pending[command.id] = command
        return command, data

    def forget(self, command: Command) -> None:
        """Drop a command whose caller no longer waits."""
        self._pending.pop(command.id, None)

    def receive(self, data: bytes) -> tuple[Occurrence, ...]:
        """Return what one message means, in order; MessageMalformed if it is none."""
        return self._settle(parse_message(data))

    def end(self, reason: str) -> tuple[Failed, ...]:
        """Settle every pending command with one clear error: nothing will answer any more."""
        return self._abandon(self.pending, lambda: ConnectionClosed(reason))

    def _settle(self, message: Message) -> tuple[Occurrence, ...]:
        match message:
            case Reply(id=command_id) | Refusal(id=int(command_id)):
                command = self._pending.pop(command_id, None)
                return () if command is None else (_outcome(command, message),)
            case Event():
                return (message, *self._follow(message))
            case _:
                return ()

    def _follow(self, event: Event) -> tuple[Failed, ...]:
        """Keep account of sessions; return the commands that an event leaves without an answer."""
        match event.method:
            case "Target.attachedToTarget":
                target = event.params.get("targetInfo")
                target_id = target.get("targetId") if isinstance(target, dict) else None
                self._targets[str(event.params.get("sessionId"))] = str(target_id)
            case "Target.detachedFromTarget":
                session_id = str(event.params.get("sessionId"))
                self._targets.pop(session_id, None)
                return self._abandon_session(session_id, SessionDetached)
            case "Inspector.targetCrashed":
                return self._abandon_session(event.session_id, TargetCrashed)
            case "Target.targetCrashed":
                return self._crash(str(event.params.get("targetId")))
        return ()

    def _crash(self, target_id: str) -> tuple[Failed, ...]:
        # the sessions live on: a reload revives the page
        return tuple(
            failed
            for session_id in [s for s, t in self._targets.items() if t == target_id]
            for failed in self._abandon_session(session_id, TargetCrashed)
        )

    def _abandon_session(
        self, session_id: str, error: Callable[[str], CdpError]
    ) -> tuple[Failed, ...]:
        waiting = [c for c in self.pending if c.session_id == session_id != BROWSER]
        return self._abandon(waiting, lambda: error(session_id))

    def _abandon(
        self, commands: Iterable[Command], error: Callable[[], CdpError]
    ) -> tuple[Failed, ...]:
        # one error for each: a raised error carries its own caller's traceback
        settled = tuple(Failed(command, error()) for command in commands)
        for failed in settled:
            del self._pending[failed.command.id]
        return settled


def _outcome(command: Command, message: Reply | Refusal) -> Answered | Failed:
    if isinstance(message, Reply):
        return Answered(command, message.result)
    if message.code == _SESSION_NOT_FOUND:
        return Failed(command, SessionDetached(command.session_id))
    return Failed(command, CallRefused(command.method, message.code, message.message, message.data))
