"""``understudy`` itself: its help, its version, and the ``--help`` of every command.

Help and version are answers, so parsing hands them back as text, never prints them.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from understudy_cli.commands.parameters import examples

HELP = """Act in a real Chromium at most once, in one tab, and keep a receipt.

A session is a hold on one tab. "understudy open" begins one for everyday use;
"understudy session run" does a whole evidence session, whose receipt is verified
offline by "understudy receipt verify".
"""
EXAMPLES = examples(
    "understudy open https://example.com",
    "understudy snapshot --interactive",
    "understudy click --role link --name 'More information'",
    "understudy session run --job-file job.txt --url https://example.com \\",
    "    --actions @actions.json --receipt receipt.json",
    "understudy receipt verify receipt.json --allow-unsigned",
)


class HelpAsked(Exception):
    """Parsing met ``--help``; carries the help text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class VersionAsked(Exception):
    """Parsing met ``--version``."""


def _show_version(asked: bool) -> None:
    if asked:
        raise VersionAsked


def _show_help(context: typer.Context, asked: bool) -> None:
    if asked:
        raise HelpAsked(context.get_help())


def root(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version."),
    ] = False,
) -> None:
    """Carry the flags that stand before any noun."""


def _probe(
    asked: Annotated[
        bool,
        typer.Option(
            "--help",
            is_eager=True,
            expose_value=False,
            callback=_show_help,
            help="Show this text.",
        ),
    ] = False,
) -> None:
    pass


def tidy_help(tree: typer.core.TyperGroup) -> None:
    """Let each command's line be told whole, and show arguments as the manual does."""
    waiting = [tree]
    while waiting:
        command = waiting.pop()
        command.short_help = " ".join((command.help or "").split("\n\n")[0].split())
        for parameter in command.params:
            if isinstance(parameter, typer.core.TyperArgument):
                _show_plainly(parameter, str(parameter.metavar))
        waiting.extend(getattr(command, "commands", {}).values())


def _show_plainly(argument: typer.core.TyperArgument, name: str) -> None:
    """Show an argument by its metavariable alone, without typer's brackets and Python types."""
    setattr(argument, "get_usage_pieces", lambda _: [name])  # noqa: B010 - a method of this one
    setattr(argument, "display_type_rich", lambda _=None, **__: None)  # noqa: B010


def offer_help(tree: typer.core.TyperGroup) -> None:
    """Give each command of a tree a ``--help`` that raises HelpAsked, its words as named."""
    probe = typer.Typer(add_completion=False)
    probe.command()(_probe)
    option = typer.main.get_command(probe).params[0]
    waiting = [tree]
    while waiting:
        command = waiting.pop()
        command.add_help_option = False
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                _show_as_named(parameter)
        command.params.append(option)
        waiting.extend(getattr(command, "commands", {}).values())


def _show_as_named(argument: Any) -> None:  # noqa: ANN401 - a class that typer keeps private
    """Let help show an argument as its metavariable, which says what is optional itself."""
    argument.get_usage_pieces = lambda _: [argument.metavar]
    argument.display_type_rich = lambda ctx: ""  # noqa: ARG005 - typer passes it by name
