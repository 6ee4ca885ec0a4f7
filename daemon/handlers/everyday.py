"""``session.open``, ``status``, ``close``, ``list``, ``log`` and ``resolve``.

``status``, ``close`` and ``list`` answer for both kinds of sessions: with ``proof_id`` a
call is an evidence session's, with ``session_id`` an everyday one's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from daemon.dispatch import verify_fields
from daemon.everyday.registry import Order
from daemon.fence import OriginFence, decide_origins
from daemon.store.journal import MOST_ROWS
from daemon.store.rows import Resolution
from protocol.admission import parse_command_id
from protocol.beginnings import parse_begin_key
from protocol.dialogs import OnDialog
from protocol.errors import Failure
from protocol.receipts import format_time
from protocol.viewports import DEFAULT_VIEWPORT, parse_viewport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.everyday.registry import EverydaySessions
    from daemon.store.rows import BatchStep, Row

DEFAULT_LOG_ROWS: Final = 50
_SESSION: Final = {"session_id": str}
_OPEN: Final = {"url": str, "origins": list, "key": str, "on_dialog": str, "downloads": bool}


def routes(
    sessions: EverydaySessions,
    policy_origins: Sequence[str],
    evidence: Mapping[str, Handler],
) -> Mapping[str, Handler]:
    """Return the methods of sessions, those of evidence sessions among them."""
    handlers = EverydayHandlers(sessions, policy_origins)
    return {
        **evidence,
        "session.open": handlers.open,
        "session.status": _either(evidence["session.status"], handlers.status),
        "session.close": _either(evidence["session.close"], handlers.close),
        "session.list": handlers.list_with(evidence["session.list"]),
        "session.log": handlers.log,
        "session.resolve": handlers.resolve,
    }


def _either(evidence: Handler, everyday: Handler) -> Handler:
    async def handle(params: Params, caller: Caller) -> Reply:
        return await (everyday if "session_id" in params else evidence)(params, caller)

    return handle


class EverydayHandlers:
    """Methods on the everyday sessions of the caller."""

    def __init__(self, sessions: EverydaySessions, policy_origins: Sequence[str]) -> None:
        self._sessions = sessions
        self._policy_origins = policy_origins

    async def open(self, params: Params, caller: Caller) -> Reply:
        """``{url?, origins?, viewport?, key?, on_dialog?, downloads?}`` -> ``{session}``."""
        order = parse_order(params, caller.actor.principal_id, self._policy_origins)
        session = await self._sessions.begin(replace(order, browser=caller.browser))
        return {"ok": True, "session": session.wire()}

    async def status(self, params: Params, caller: Caller) -> Reply:
        """``{session_id}`` -> ``{session}``; SessionGone for one that has ended."""
        verify_fields(params, _SESSION, {})
        session = await self._sessions.find(*_whose(params, caller))
        return {"ok": True, "session": session.wire()}

    async def close(self, params: Params, caller: Caller) -> Reply:
        """``{session_id}`` -> ``{closed, session}``; the same for one that has ended."""
        verify_fields(params, _SESSION, {})
        ended = await self._sessions.close(*_whose(params, caller))
        complete = ended["cleanupComplete"]
        return {"ok": True, "closed": True, "cleanupComplete": complete, "session": ended}

    def list_with(self, evidence: Handler) -> Handler:
        """``{}`` -> ``{sessions}`` of both kinds, everyday ones first."""

        async def handle(params: Params, caller: Caller) -> Reply:
            proofs = cast("list[object]", (await evidence(params, caller))["sessions"])
            mine = await self._sessions.list(caller.actor.principal_id)
            return {"ok": True, "sessions": [*mine, *proofs]}

        return handle

    async def log(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, limit?, before?}`` -> ``{session, commands}``, newest first.

        With ``page`` what went wrong in the page since its last navigation: ``{entries,
        count}``, oldest first.
        """
        verify_fields(params, _SESSION, {"limit": int, "before": int, "page": bool})
        if params.get("page"):
            return await self._page_log(params, caller)
        row = await self._sessions.find_row(*_whose(params, caller))
        journal = self._sessions.journal
        limit = cast("int | None", params.get("limit")) or DEFAULT_LOG_ROWS
        before = cast("int | None", params.get("before"))
        rows = await journal.log(row.session_id, limit=min(max(limit, 1), MOST_ROWS), before=before)
        told = [command_wire(one, await journal.steps(one.number)) for one in rows]
        return {"ok": True, "session": self._sessions.summary(row), "commands": told}

    async def _page_log(self, params: Params, caller: Caller) -> Reply:
        session = await self._sessions.find(*_whose(params, caller))
        page = session.around.page
        limit = cast("int | None", params.get("limit")) or DEFAULT_LOG_ROWS
        entries = [dict(entry) for entry in page.errors()[-max(limit, 1) :]]
        return {
            "ok": True,
            "session": session.wire(),
            "entries": entries,
            "count": page.error_count,
        }

    async def resolve(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, command_id, done}`` -> ``{writesBlocked}``: the caller's judgement."""
        verify_fields(params, {**_SESSION, "command_id": str, "done": bool}, {})
        command_id = parse_command_id(params["command_id"])
        resolution = Resolution.DONE if params["done"] else Resolution.NOT_DONE
        principal, session_id = _whose(params, caller)
        go_on = await self._sessions.resolve(principal, session_id, command_id, resolution)
        return {
            "ok": True,
            "commandId": command_id,
            "sessionId": session_id,
            "resolution": resolution.value,
            "writesBlocked": not go_on,
        }


def parse_order(params: Params, principal: str, policy_origins: Sequence[str]) -> Order:
    """Return what ``session.open`` asks for.

    Raises Failure ``invalid_request``, ``origin``, ``policy``.
    """
    rest = {name: value for name, value in params.items() if name != "viewport"}
    verify_fields(rest, {}, _OPEN)
    viewport, key = params.get("viewport"), params.get("key")
    named = params.get("origins") or []
    if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
        raise _refused("origins is a list of texts")
    url = cast("str | None", params.get("url"))
    return Order(
        principal,
        OriginFence(decide_origins(url, named, policy_origins), policy_origins),
        DEFAULT_VIEWPORT if viewport is None else parse_viewport(viewport),
        url=url,
        key=None if key is None else parse_begin_key(key),
        on_dialog=_parse_on_dialog(params.get("on_dialog")),
        downloads=bool(params.get("downloads")),
    )


def command_wire(row: Row, steps: Sequence[BatchStep] = ()) -> dict[str, object]:
    """Return one command of a log, or the answer to a poll. It holds no page text."""
    result = row.result
    return {
        "commandId": row.command_id,
        "sessionId": row.session_id,
        "type": row.type,
        "kind": row.kind.value,
        "state": row.state.value,
        "status": None if result is None else result.status.value,
        "code": None if result is None else result.code or None,
        "attempt": row.attempt,
        "resolution": None if row.resolution is None else row.resolution.value,
        "admittedAt": format_time(row.admitted_ms),
        "endedAt": None if row.ended_ms is None else format_time(row.ended_ms),
        "number": row.number,
        **({"steps": [_step_wire(step) for step in steps]} if row.size else {}),
    }


def _step_wire(step: BatchStep) -> dict[str, object]:
    result = step.result
    return {
        "index": step.place,
        "type": step.type or None,
        "outcome": step.outcome.value,
        "status": None if result is None else result.status.value,
        "code": None if result is None else result.code or None,
    }


def _whose(params: Params, caller: Caller) -> tuple[str, str]:
    return caller.actor.principal_id, cast("str", params["session_id"])


def _parse_on_dialog(value: object) -> OnDialog:
    if value is None:
        return OnDialog.ASK
    if value not in set(OnDialog):
        raise _refused(f"on_dialog is one of {', '.join(OnDialog)}")
    return OnDialog(str(value))


def _refused(message: str) -> Failure:
    return Failure("invalid_request", message, 'see "man understudy-protocol" for its fields')
