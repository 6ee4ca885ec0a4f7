"""The verbs of ``receipt`` on the command line: flags in, Options out."""

from __future__ import annotations

from typing import Annotated

import typer

from understudy_cli.commands import parameters as flags
from understudy_cli.commands.parameters import examples, make_output
from understudy_cli.commands.receipt.show import ShowOptions
from understudy_cli.commands.receipt.verify import VerifyOptions

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Check and read receipts, offline: no daemon, no network, nothing is written.",
    epilog=examples(
        "understudy receipt verify receipt.json --allow-unsigned",
        "understudy receipt show receipt.json",
    ),
)


@commands.command(
    epilog=examples(
        "understudy receipt verify receipt.json --frames evidence/frames --allow-unsigned",
        "understudy receipt verify *.json --allow-unsigned --json",
    )
)
def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Receipts; - is stdin.")],
    frames: Annotated[
        str | None,
        typer.Option("--frames", metavar="DIR", help='Check the pictures, "<sha256>.png" in DIR.'),
    ] = None,
    allow_unsigned: Annotated[
        bool, typer.Option("--allow-unsigned", help="Say that consistency is enough.")
    ] = False,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> VerifyOptions:
    """Verify receipts: which facts hold, and which were not checked.

    A receipt that passes is consistent, no more: anyone could have written it. Without a
    signature the exit code is 12, unless --allow-unsigned says that consistency is enough. For
    one that does not pass, the class of failure and the first bad place are named.
    """
    return VerifyOptions(tuple(files), make_output(as_json, field), frames, allow_unsigned)


@commands.command(epilog=examples("understudy receipt show receipt.json"))
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A receipt; - is stdin.")],
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> ShowOptions:
    """Show a receipt as a timeline, and whether it holds together.

    The claims are the caller's own words. Use "receipt verify" to decide by exit code.
    """
    return ShowOptions(file, make_output(as_json, field))
