"""Evidence sessions: the raw request, and the same operations by name.

``session.begin`` to ``session.status`` take receipt-v2's fields without ``op`` and
answer exactly as it says. ``session.list``, ``session.frame`` and ``session.state``
are Understudy's own, and pure reads.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, cast

from daemon.dispatch import verify_fields
from daemon.handlers.workspaces import read_state
from protocol.errors import proof_failure
from protocol.evidence import not_found
from protocol.messages import Op, Status, parse_request, request_from_params
from protocol.names import is_digest
from protocol.pictures import parse_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.evidence import EvidenceSessions
    from daemon.evidence_store import EvidenceStore

_PROOF = {"proof_id": str}


def routes(sessions: EvidenceSessions, store: EvidenceStore) -> Mapping[str, Handler]:
    """Return the methods of evidence sessions."""
    handlers = EvidenceHandlers(sessions, store)
    return {
        **{f"session.{op.value}": _operation(sessions, op) for op in Op},
        "session.list": handlers.list,
        "session.frame": handlers.frame,
        "session.state": handlers.state,
    }


def _operation(sessions: EvidenceSessions, op: Op) -> Handler:
    async def handle(params: Params, caller: Caller) -> Reply:
        request = request_from_params(op.value, params)
        return await sessions.request(caller.actor, request, browser=caller.browser)

    return handle


class EvidenceHandlers:
    """The raw request, and reads of the caller's own sessions."""

    def __init__(self, sessions: EvidenceSessions, store: EvidenceStore) -> None:
        self._sessions = sessions
        self._store = store

    async def request(self, raw: bytes, caller: Caller) -> Reply:
        """One request as the caller wrote it, with its ``op``."""
        request = parse_request(raw)
        return await self._sessions.request(caller.actor, request, browser=caller.browser)

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{}`` -> ``{sessions}``, live ones and those that ended within the hour."""
        verify_fields(params, {}, {})
        return {"ok": True, "sessions": self._sessions.list(caller.actor)}

    async def frame(self, params: Params, caller: Caller) -> Reply:
        """``{proof_id, sha256}`` -> ``{frame}``: a kept frame, also after the end."""
        verify_fields(params, {**_PROOF, "sha256": str}, {})
        proof_id, sha256 = cast("str", params["proof_id"]), cast("str", params["sha256"])
        if not self._sessions.has_had(caller.actor, proof_id):
            raise not_found()
        png = await self._store.read_frame(proof_id, sha256) if is_digest(sha256) else None
        if png is None:
            raise proof_failure(
                "frame", "The session has no frame of this digest", "Take it from the transcript."
            )
        frame = parse_frame(png)
        if frame.sha256 != sha256:
            raise proof_failure("frame", "The kept frame was changed on disk", "Trust it no more.")
        return {
            "ok": True,
            "frame": {**frame.wire(), "pngBase64": base64.b64encode(png).decode("ascii")},
        }

    async def state(self, params: Params, caller: Caller) -> Reply:
        """``{proof_id}`` -> ``{state, stateSha256, stateJson}`` of the session's page."""
        verify_fields(params, _PROOF, {})
        session = self._sessions.find(caller.actor, cast("str", params["proof_id"]))
        # a status, so that an ended session answers as it does everywhere
        await session.call(caller.actor.principal_id, Status(session.identity.proof_id))
        tab = session.attempt.tab
        if tab is None:
            raise proof_failure("phase", "The session is still set up", "Ask again after begin.")
        return await read_state(tab)
