"""``popup.list`` and ``popup.open``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from daemon.dispatch import verify_fields
from daemon.displays import mint_id
from daemon.everyday.requests import parse_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.everyday.registry import EverydaySessions
    from daemon.everyday.session import EverydaySession

_SESSION: Final = {"session_id": str}


def routes(sessions: EverydaySessions) -> Mapping[str, Handler]:
    """Return the methods of popups."""
    handlers = PopupHandlers(sessions)
    return {"popup.list": handlers.list, "popup.open": handlers.open}


class PopupHandlers:
    """The popups of the caller's sessions. Each was closed; addresses are page text."""

    def __init__(self, sessions: EverydaySessions) -> None:
        self._sessions = sessions

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{session_id}`` -> ``{popups, count}``, the newest of them, oldest first."""
        verify_fields(params, _SESSION, {})
        page = (await self._find(params, caller)).around.page
        popups = [dict(popup) for popup in await page.popups()]
        return {"ok": True, "popups": popups, "count": page.popup_count}

    async def open(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, number, command_id?}`` -> what navigating there answers.

        The session's own tab goes there, if its origins allow it.
        """
        verify_fields(params, {**_SESSION, "number": int}, {"command_id": str, "wait_s": int})
        session = await self._find(params, caller)
        url = await session.around.popup_url(cast("int", params["number"]))
        rest = {name: value for name, value in params.items() if name != "number"}
        given = {**rest, "command_id": params.get("command_id") or mint_id("")}
        command = {"type": "navigate", "url": url}
        return await session.commands.run(parse_run({**given, "command": command}))

    async def _find(self, params: Params, caller: Caller) -> EverydaySession:
        session_id = cast("str", params["session_id"])
        return await self._sessions.find(caller.actor.principal_id, session_id)
