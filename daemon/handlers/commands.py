"""``command.run``, ``command.batch`` and ``command.poll``."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from daemon.dispatch import verify_fields
from daemon.everyday.requests import parse_batch_request, parse_run
from daemon.handlers.everyday import command_wire
from protocol.admission import parse_command_id
from protocol.errors import Failure
from protocol.writes import is_safe_to_retry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.everyday.commands import Ticket
    from daemon.everyday.registry import EverydaySessions
    from daemon.everyday.requests import Request


def routes(sessions: EverydaySessions) -> Mapping[str, Handler]:
    """Return the methods of commands."""
    handlers = CommandHandlers(sessions)
    return {
        "command.run": handlers.run,
        "command.batch": handlers.batch,
        "command.poll": handlers.poll,
    }


class CommandHandlers:
    """Commands in the caller's sessions."""

    def __init__(self, sessions: EverydaySessions) -> None:
        self._sessions = sessions

    async def run(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, command_id, command, dry_run?, wait_s?}`` -> what it came to."""
        return await self._submit(parse_run(params), params, caller)

    async def batch(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, command_id, commands, bail?, wait_s?}`` -> ``{steps}``."""
        return await self._submit(parse_batch_request(params), params, caller)

    async def poll(self, params: Params, caller: Caller) -> Reply:
        """``{command_id, session_id?}`` -> ``{state, safeToRetry, result?}``; a pure read."""
        verify_fields(params, {"command_id": str}, {"session_id": str})
        command_id = parse_command_id(params["command_id"])
        session_id = cast("str | None", params.get("session_id"))
        principal = caller.actor.principal_id
        session, row = await self._sessions.find_command(principal, command_id, session_id)
        ticket = None if session is None else session.ticket(command_id)
        if session is not None and ticket is not None:
            return _running(session.session_id, ticket)
        if row is None:
            raise Failure(
                "not_found", "There is no such command", "Nothing with this id was started."
            )
        reply = None if session is None else session.recall(command_id)
        return {
            "ok": True,
            **command_wire(row, await self._sessions.journal.steps(row.number)),
            "safeToRetry": is_safe_to_retry(row.state),
            "result": reply,
        }

    async def _submit(self, request: Request, params: Params, caller: Caller) -> Reply:
        session_id = cast("str", params["session_id"])
        session = await self._sessions.find(caller.actor.principal_id, session_id)
        return await session.commands.run(request)


def _running(session_id: str, ticket: Ticket) -> Reply:
    return {
        "ok": True,
        "commandId": ticket.request.command_id,
        "sessionId": session_id,
        "type": ticket.request.type,
        "state": ticket.state.value,
        "safeToRetry": False,
        "result": None,
    }
