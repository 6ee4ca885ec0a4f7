"""Verbs of sessions of either kind, and those that only sessions without a job have.

An id tells the kind: ``us-`` is an unattended session, ``ecup-`` an evidence session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands.calls import given
from understudy_cli.commands.everyday.answers import SessionCall
from understudy_cli.commands.everyday.groups import Answering
from understudy_cli.commands.everyday.replies import fact_lines, format_resolved, format_session
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples, parse_number
from understudy_cli.commands.session.naming import SessionName, parse_session
from understudy_cli.commands.session.tree import commands
from understudy_cli.render import format_members, members_of, objects_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from understudy_cli.commands.session.operations import OperationOptions
    from understudy_cli.render import Output

LOG_COLUMNS = ("commandId", "type", "state", "status", "code", "resolution", "admittedAt")
LONGEST_LOG = 10_000


@dataclass(frozen=True)
class EitherOptions:
    """A verb that both kinds have: what to do in each, once it is known which session it is.

    ``evidence`` is None when what an evidence session needs was not given.
    """

    verb: str
    session: SessionName
    output: Output
    evidence: OperationOptions | None
    missing: str = ""

    @property
    def writes(self) -> bool:
        """See Invocation."""
        return self.verb != "status"

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.session.ask

    async def run(self, host: Host) -> int:
        """Find out which session is meant, then do what its kind does."""
        name = SessionName(await self.session.find(host))
        if name.is_lasting:
            shown = format_session if self.verb == "status" else _format_closed
            call = SessionCall(f"session.{self.verb}", name, self.output, shown)
            return await call.run(host)
        if self.evidence is None:
            raise Failure("usage", f"{self.missing} is missing", "an evidence session needs it")
        return await self.evidence.within(name).run(host)


@commands.command(
    epilog=examples("understudy session log", "understudy session log --page --limit 20")
)
@flagged
def log(
    answering: Answering,
    named: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION_ID]",
            show_default=False,
            help="The session (default: --session, and so on).",
        ),
    ] = None,
    page: Annotated[
        bool,
        typer.Option(
            "--page", help="What the page reported instead: errors, and requests that failed."
        ),
    ] = False,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="N", help="Only the newest N.")
    ] = None,
) -> SessionCall:
    """Tell every command of a session, with its outcome and time: did it run.

    The newest come first. It answers for a session that has ended as well.
    """
    newest = None if limit is None else parse_number("--limit", limit, 1, LONGEST_LOG)
    params = given(page=page or None, limit=newest)
    name = parse_session(named, answering.session)
    shown = format_page_log if page else format_log
    return SessionCall("session.log", name, answering.output, shown, params)


@commands.command(
    epilog=examples(
        "understudy session resolve order-7 --done", "understudy session resolve order-7 --not-done"
    )
)
@flagged
def resolve(
    answering: Answering,
    command_id: Annotated[str, typer.Argument(metavar="ID", help="The write's command id.")],
    done: Annotated[bool, typer.Option("--done", help="You found that it was done.")] = False,
    not_done: Annotated[
        bool, typer.Option("--not-done", help="You found that it was not done.")
    ] = False,
) -> SessionCall:
    """Say what became of a write whose outcome is unknown; writes are let through again.

    Look at the page first. Your word is kept as yours, and nothing is sent.
    """
    if done == not_done:
        raise Failure("usage", "say --done or --not-done", "one of the two; look at the page first")
    params = {"command_id": command_id, "done": done}
    name, output = answering.name, answering.output
    return SessionCall("session.resolve", name, output, format_resolved, params, writes=True)


def format_log(reply: Mapping[str, object]) -> str:
    """Return a table of commands, or nothing without any."""
    return format_members(reply.get("commands"), LOG_COLUMNS)


def format_page_log(reply: Mapping[str, object]) -> str:
    """Return one line for each thing that the page reported; it is page text."""
    entries = objects_of(reply, "entries")
    return "".join(" ".join(fact_lines(entry)) + "\n" for entry in entries)


def _format_closed(reply: Mapping[str, object]) -> str:
    return f"session {members_of(reply, 'session').get('sessionId')} closed\n"
