"""The command tree: argv in, an Invocation or finished text out, synchronously.

Parsing reads nothing but its arguments: no prompt, no variable, no file, no
terminal. So the daemon can parse for any caller, and a parse after the first
costs about half a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import typer

from protocol.commandline import Text
from protocol.errors import Failure
from understudy_cli.commands import client, completion, daemon, display, receipt, workspace
from understudy_cli.commands.everyday import top as everyday
from understudy_cli.commands.root import (
    EXAMPLES,
    HELP,
    HelpAsked,
    VersionAsked,
    offer_help,
    root,
    tidy_help,
)
from understudy_cli.commands.session import noun as session
from understudy_cli.render import verify_output_variable
from understudy_cli.usage import (
    USAGE_ERROR,
    describe_usage_error,
    find_help_among_words,
    find_unknown_command,
    refuse_repeats,
    refuse_usage,
)
from understudy_cli.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.commandline import Host, Invocation
    from understudy_cli.render import Output

NARROWEST, WIDEST = 40, 100
"""Columns that help is laid out for, whatever the terminal says."""


class Options(Protocol):
    """One command's parsed options: they say how to answer, and do the work."""

    @property
    def output(self) -> Output:
        """How the caller wants the answer."""
        ...

    @property
    def writes(self) -> bool:
        """See Invocation."""
        ...

    @property
    def ask(self) -> str:
        """See Invocation."""
        ...

    async def run(self, host: Host) -> int:
        """Do the work; raise Failure."""
        ...


@dataclass(frozen=True)
class Reported:
    """Options whose failures are rendered: the one place where they become exit codes."""

    options: Options

    @property
    def writes(self) -> bool:
        """See Invocation."""
        return self.options.writes

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.options.ask

    async def run(self, host: Host) -> int:
        """Run the options; answer a failure in the caller's form."""
        try:
            verify_output_variable(host)
            return await self.options.run(host)
        except Failure as failure:
            return await self.options.output.report_failure(host, failure)


def parse(argv: Sequence[str], *, width: int) -> Invocation | Text:
    """Return what a command line means: something to run, or text that answers it."""
    try:
        return Reported(_parse_options(argv, width))
    except HelpAsked as asked:
        return Text(asked.text + "\n", "", 0)
    except VersionAsked:
        return Text(f"understudy {VERSION}\n", "", 0)
    except Failure as failure:
        return refuse_usage(failure)
    except USAGE_ERROR as error:
        return refuse_usage(describe_usage_error(error, command_tree(), argv))


@lru_cache(maxsize=1)
def command_tree() -> typer.core.TyperGroup:
    """Return the whole tree, built once; documents are generated from it too."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, help=HELP)
    app.callback(epilog=EXAMPLES)(root)
    app.add_typer(everyday.commands)
    for noun, commands in _NOUNS.items():
        app.add_typer(commands, name=noun)
    tree = typer.main.get_command(app)
    assert isinstance(tree, typer.core.TyperGroup)  # noqa: S101 - an app with subcommands is one
    tidy_help(tree)
    offer_help(tree)
    refuse_repeats(tree)
    return tree


_NOUNS = {
    "session": session.commands,
    "receipt": receipt.commands,
    "dialog": everyday.dialogs,
    "popup": everyday.popups,
    "download": everyday.downloads,
    "workspace": workspace.commands,
    "display": display.commands,
    "client": client.commands,
    "daemon": daemon.commands,
    "completion": completion.commands,
}


def _parse_options(argv: Sequence[str], width: int) -> Options:
    tree = command_tree()
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    columns = min(max(width, NARROWEST), WIDEST)
    refused = find_unknown_command(tree, argv) or find_help_among_words(tree, argv)
    if refused is not None:
        raise refused
    with tree.make_context("understudy", list(argv), terminal_width=columns) as context:
        options: Options = tree.invoke(context)
    return options
