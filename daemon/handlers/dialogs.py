"""``dialog.list``, ``dialog.accept`` and ``dialog.dismiss``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from daemon.dispatch import verify_fields
from daemon.displays import mint_id
from daemon.everyday.dialog_answer import DialogAnswer
from daemon.everyday.requests import Request
from protocol.admission import parse_command_id
from protocol.command_fields import MAX_TEXT_BYTES
from protocol.dialogs import VISIBLE
from protocol.errors import Failure
from protocol.leases import SessionGone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.everyday.registry import EverydaySessions
    from daemon.everyday.session import EverydaySession
    from daemon.store.dialogs import StoredDialogs

_SESSION: Final = {"session_id": str}
_ANSWER: Final = {"command_id": str, "wait_s": int}


def routes(sessions: EverydaySessions, stored: StoredDialogs) -> Mapping[str, Handler]:
    """Return the methods of dialogs."""
    handlers = DialogHandlers(sessions, stored)
    return {
        "dialog.list": handlers.list,
        "dialog.accept": handlers.accept,
        "dialog.dismiss": handlers.dismiss,
    }


class DialogHandlers:
    """The dialogs of the caller's sessions. Texts and addresses in replies are page text."""

    def __init__(self, sessions: EverydaySessions, stored: StoredDialogs) -> None:
        self._sessions = sessions
        self._stored = stored

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{session_id}`` -> ``{dialogs, open, health, onDialog}``, the newest 50.

        Of a session that has ended, what is on record of its dialogs.
        """
        verify_fields(params, _SESSION, {})
        try:
            outbox = (await self._find(params, caller)).around.outbox
        except SessionGone:
            return await self._list_stored(cast("str", params["session_id"]))
        told = outbox.wire()
        outbox.tell(outbox.newest)
        return {"ok": True, **told}

    async def _list_stored(self, session_id: str) -> Reply:
        met = await self._stored.list_of(session_id, limit=VISIBLE)
        dialogs = [one.wire() for one in met]
        return {"ok": True, "dialogs": dialogs, "open": None, "health": None, "onDialog": None}

    async def accept(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, text?, command_id?}`` -> ``{dialog}`` and what a command answers.

        A prompt without ``text`` gets its own default text.
        """
        verify_fields(params, _SESSION, {**_ANSWER, "text": str})
        text = cast("str | None", params.get("text"))
        if text is not None:
            _verify_text(text)
        answer = DialogAnswer(accept=True, text=text)
        content = {} if text is None else {"text": text}
        return await self._answer(answer, content, params, caller)

    async def dismiss(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, command_id?}`` -> ``{dialog}`` and what a command answers."""
        verify_fields(params, _SESSION, _ANSWER)
        return await self._answer(DialogAnswer(accept=False), {}, params, caller)

    async def _answer(
        self, answer: DialogAnswer, content: Mapping[str, str], params: Params, caller: Caller
    ) -> Reply:
        session = await self._find(params, caller)
        given = params.get("command_id")
        command_id = mint_id("") if given is None else parse_command_id(given)
        request = Request(
            command_id, answer.type, (), {"type": answer.type, **content}, answer=answer
        )
        reply = await session.commands.run(request)
        result = cast("Mapping[str, object]", reply.get("result") or {})
        return {**reply, "dialog": reply.get("dialog") or result.get("dialog")}

    async def _find(self, params: Params, caller: Caller) -> EverydaySession:
        session_id = cast("str", params["session_id"])
        return await self._sessions.find(caller.actor.principal_id, session_id)


def _verify_text(text: str) -> None:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise Failure(
            "invalid_request",
            f"text is at most {MAX_TEXT_BYTES} bytes",
            'see "man understudy-protocol" for its fields',
        )
