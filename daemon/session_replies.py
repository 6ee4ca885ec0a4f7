"""What an evidence session answers, member by member as receipt-v2 has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daemon.workspaces import Cleanup
from protocol.actions import MAX_SESSION_ACTIONS
from protocol.errors import Failure, proof_failure
from protocol.evidence_session import Moment, Phase
from protocol.receipts import PROFILE, format_time

if TYPE_CHECKING:
    from daemon.dispatch import Reply
    from daemon.session import EvidenceSession
    from protocol.evidence_session import End


def session_reply(session: EvidenceSession) -> Reply:
    """Return what a session is now; frame and binding are null while it is set up."""
    attempt, state = session.attempt, session.state
    return {
        "ok": True,
        "profile": PROFILE,
        "proofId": session.identity.proof_id,
        "sequence": state.sequence,
        "binding": attempt.binding,
        "actor": dict(session.identity.actor.wire()),
        "phase": state.phase.value,
        "frame": attempt.picture.wire() if attempt.picture else None,
        "receipt": attempt.receipt,
        "understudy": _own_member(session),
    }


async def with_status(session: EvidenceSession, reply: Reply) -> Reply:
    """Return a reply that tells the HTTP status of the document that the page shows by now."""
    own, tab = reply.get("understudy"), session.attempt.tab
    if tab is None or not isinstance(own, dict) or "load" not in own:
        return reply
    await tab.learn_status()
    return {**reply, "understudy": {**own, "load": tab.load.wire()}}


def ended_reply(session: EvidenceSession, end: End) -> Reply:
    """Return the answer to the close or the abort that was the session's end.

    Raises Failure ``cleanup-pending`` or ``cleanup-failed`` when something remains.
    """
    unclean = decide_unclean(session)
    if unclean is not None:
        raise unclean
    return {
        "ok": True,
        "profile": PROFILE,
        "proofId": session.identity.proof_id,
        "sequence": session.state.sequence,
        "closed": True,
        "aborted": session.state.phase is Phase.ABORTED,
        "cleanupComplete": True,
        "receiptId": end.receipt_id,
    }


def decide_unclean(session: EvidenceSession) -> Failure | None:
    """Return ``cleanup-pending`` or ``cleanup-failed`` while something remains, else None."""
    cleanup = session.resources.cleanup
    if session.released.is_set() and cleanup is Cleanup.DONE:
        return None
    return proof_failure(
        "cleanup-failed" if cleanup is Cleanup.FAILED else "cleanup-pending",
        f"The session {session.state.phase.value}, but remains of its browser are still there",
        "Nothing of the session goes on; `understudy session list` says when they are gone.",
    )


def session_summary(session: EvidenceSession) -> dict[str, object]:
    """Return one element of ``session.list``."""
    state, end = session.state, session.state.end
    return {
        "proofId": session.identity.proof_id,
        "attemptId": session.identity.attempt_id,
        "phase": state.phase.value,
        "sequence": state.sequence,
        "running": state.running.value if state.running else None,
        "startedAt": session.attempt.began_at,
        "deadlineAt": None if end else _format_moment(state.deadline),
        "endedAt": _format_moment(end.at) if end else None,
        "endedDuring": end.during.value if end else None,
        "reason": end.reason if end else None,
        "actionIndex": end.action_index if end else None,
        "actionOutcome": end.action_outcome if end else None,
        "receiptId": end.receipt_id if end else state.receipt_id,
        "cleanup": session.resources.cleanup.value,
    }


def ended_event(session: EvidenceSession) -> dict[str, object]:
    """Return the last event of an attempt's record; nothing is freed yet when it is written."""
    summary = session_summary(session)
    return {"event": "ended", **{name: summary[name] for name in summary if name != "cleanup"}}


def _own_member(session: EvidenceSession) -> dict[str, object]:
    attempt, workspace = session.attempt, session.workspace
    member: dict[str, object] = {
        "actions": [result.wire() for result in attempt.results],
        "actionsLeft": MAX_SESSION_ACTIONS - session.state.action_count,
        "startedAt": attempt.began_at,
        "deadlineAt": _format_moment(session.state.deadline),
        "origins": list(workspace.order.origins) if workspace else [],
    }
    if attempt.tab is not None:
        member |= {"load": attempt.tab.load.wire(), **attempt.tab.incidents.wire()}
    return member


def _format_moment(moment: Moment) -> str:
    return format_time(int(moment.wall_s * 1000))
