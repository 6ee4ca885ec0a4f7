"""The noun ``session``, and flags that only its verbs share."""

from __future__ import annotations

from typing import Annotated

import typer

from understudy_cli.commands.parameters import examples

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Hold one tab, act in it, and end with a receipt.",
    epilog=examples(
        "understudy session run --job-file job.txt --url https://example.com \\",
        "    --actions @actions.json --receipt receipt.json",
        "understudy session begin --job-file job.txt --url https://example.com",
    ),
)

Claims = Annotated[
    str,
    typer.Option(
        "--claims",
        metavar="JSON|@FILE|-",
        help="What you claim was done: an object, kept to the letter.",
    ),
]
