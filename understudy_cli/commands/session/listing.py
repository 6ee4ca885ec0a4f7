"""``session list``: the caller's own sessions of both kinds, live and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy_cli.render import format_members, objects_of

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = ("session", "kind", "state", "sequence", "begun")


def format_sessions(reply: Mapping[str, object]) -> str:
    """Return a table of sessions with a heading, or nothing without sessions."""
    return format_members([_row(session) for session in objects_of(reply, "sessions")], COLUMNS)


def _row(session: Mapping[str, object]) -> dict[str, object]:
    return {
        "session": session.get("sessionId") or session.get("proofId"),
        "kind": session.get("kind") or "evidence",
        "state": session.get("state") or session.get("phase"),
        "sequence": session.get("sequence"),
        "begun": session.get("createdAt") or session.get("startedAt"),
    }
