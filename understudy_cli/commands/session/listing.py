"""``session list``: the caller's own sessions, live and lately ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy_cli.quoting import escape_hidden
from understudy_cli.render import Output, format_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from understudy_cli.host import Host

COLUMNS = ("proofId", "phase", "sequence", "startedAt", "attemptId")


@dataclass(frozen=True)
class ListOptions:
    """Nothing but the way of answering."""

    output: Output

    @property
    def writes(self) -> bool:
        """A list is a read."""
        return False

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy session list"

    async def run(self, host: Host) -> int:
        """Ask, and print a table; nothing in text mode when there is no session."""
        reply = await host.call("session.list", {})
        return await self.output.report(host, reply, format_sessions(reply))


def format_sessions(reply: Mapping[str, object]) -> str:
    """Return a table of sessions with a heading, or nothing without sessions."""
    sessions = reply.get("sessions")
    if not isinstance(sessions, list) or not sessions:
        return ""
    rows = [[_cell(session, column) for column in COLUMNS] for session in sessions]
    return format_table([COLUMNS, *rows])


def _cell(session: object, column: str) -> str:
    value = session.get(column) if isinstance(session, dict) else None
    return "-" if value is None else escape_hidden(str(value))
