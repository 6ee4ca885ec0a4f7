"""Flags that many everyday verbs share; see `understudy_cli.commands.grouping`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from understudy_cli.commands import parameters
from understudy_cli.commands.parameters import make_output
from understudy_cli.commands.session.naming import SessionName, parse_session

if TYPE_CHECKING:
    from understudy_cli.render import Output


@dataclass(frozen=True)
class Where:
    """The flags of a locator, in place of a ref."""

    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="The element with this role.")
    ] = None
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="With --role: and this accessible name."),
    ] = None
    label: Annotated[
        str | None, typer.Option("--label", metavar="NAME", help="The field with this label.")
    ] = None
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="The element with this text.")
    ] = None
    test_id: Annotated[
        str | None,
        typer.Option("--test-id", metavar="ID", help="The element with this data-testid."),
    ] = None
    css: Annotated[
        str | None,
        typer.Option("--css", metavar="SELECTOR", help="The element that a CSS selector finds."),
    ] = None
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="X,Y", help="Whatever is at a point of the viewport."),
    ] = None
    renamed: Annotated[
        bool,
        typer.Option("--renamed", help="Accept a ref whose element has another name by now."),
    ] = False


@dataclass(frozen=True)
class Answering:
    """In which session, and how to answer."""

    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="SESSION_ID",
            help="The session (default: UNDERSTUDY_SESSION, then the one last begun here).",
        ),
    ] = None
    as_json: parameters.Json = False
    field: parameters.Get = None

    @property
    def name(self) -> SessionName:
        """The session as it was named; usage failure for an empty name."""
        return parse_session(None, self.session)

    @property
    def output(self) -> Output:
        """How to answer; usage failure for a field that is none."""
        return make_output(self.as_json, self.field)


@dataclass(frozen=True)
class Calling(Answering):
    """How one command is called."""

    command_id: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="ID", help="The command's id: with the same one it runs only once."
        ),
    ] = None
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Do not wait for the end; poll asks for it.")
    ] = False


@dataclass(frozen=True)
class Reading(Calling):
    """How a command is called and waited for."""

    timeout: Annotated[
        str | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            help="Wait only so long for the end (exit 5); the command goes on.",
        ),
    ] = None


@dataclass(frozen=True)
class Writing(Reading):
    """How a write is called."""

    expect: Annotated[
        str | None,
        typer.Option(
            "--expect",
            metavar="WHAT=VALUE",
            help="Fail unless this comes of it: url=URL (* is anything), text=TEXT, gone=TEXT or"
            " state=STATE. What was so before proves nothing.",
        ),
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Find out whether it could be done; send no input.")
    ] = False
