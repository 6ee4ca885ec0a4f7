"""``session list``: the caller's own sessions, live and lately ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy_cli.render import format_members

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = ("proofId", "phase", "sequence", "startedAt", "attemptId")


def format_sessions(reply: Mapping[str, object]) -> str:
    """Return a table of sessions with a heading, or nothing without sessions."""
    return format_members(reply.get("sessions"), COLUMNS)
