"""``session.current`` and ``session.remember``: the session last begun from a place.

A place is the caller's terminal session or, without a terminal, its directory. The
caller says which one it is in; it only ever leads to the caller's own sessions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from daemon.dispatch import verify_fields
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.clock import Clock
    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.store.places import Places

LONGEST_PLACE: Final = 4096
_PLACE: Final = {"terminal": str, "cwd": str}
_SESSION_ID: Final = re.compile(r"(?:us|ecup)-[0-9a-f]{32}")


def routes(places: Places, clock: Clock) -> Mapping[str, Handler]:
    """Return the methods of places."""

    async def current(params: Params, caller: Caller) -> Reply:
        """``{terminal|cwd}`` -> ``{sessionId}``, null where none was begun."""
        verify_fields(params, {}, _PLACE)
        found = await places.find(caller.actor.principal_id, _parse_place(params))
        return {"ok": True, "sessionId": found}

    async def remember(params: Params, caller: Caller) -> Reply:
        """``{session_id, terminal|cwd}``: the caller has begun this session from there."""
        verify_fields(params, {"session_id": str}, _PLACE)
        session_id, place = _parse_id(params), _parse_place(params)
        await places.remember(caller.actor.principal_id, place, session_id, clock.utc_ms())
        return {"ok": True, "sessionId": session_id}

    return {"session.current": current, "session.remember": remember}


def _parse_place(params: Params) -> str:
    named = [(kind, str(params[kind])) for kind in _PLACE if params.get(kind) is not None]
    if len(named) != 1 or not 1 <= len(named[0][1]) <= LONGEST_PLACE:
        raise Failure(
            "invalid_request",
            "A place is a terminal or a cwd, one of the two",
            f"Give one of them, as 1 to {LONGEST_PLACE} characters.",
        )
    return ":".join(named[0])


def _parse_id(params: Params) -> str:
    session_id = str(params["session_id"])
    if not _SESSION_ID.fullmatch(session_id):
        raise Failure(
            "invalid_request",
            "This is no session's id",
            'It reads "us-" or "ecup-" and 32 hex digits.',
        )
    return session_id
