"""Flags that many commands share, and the examples at the foot of each help."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.errors import Failure
from understudy_cli.render import Output, parse_field

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
Get = Annotated[
    str | None,
    typer.Option("--get", metavar="FIELD", help="Print one field of the --json answer (a.b.0)."),
]
Request = Annotated[
    str | None,
    typer.Option(
        "--request",
        metavar="JSON|@FILE|-",
        help="The whole operation as one JSON object, in place of the other flags.",
    ),
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="SESSION_ID", help="The session's id.")
]
SessionArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[SESSION_ID]",
        show_default=False,
        help="The session (default: --session, UNDERSTUDY_SESSION, the one last begun here).",
    ),
]
Sequence = Annotated[
    str | None,
    typer.Option("--sequence", metavar="N", help="The session's current sequence number."),
]
Frame = Annotated[
    str | None,
    typer.Option(
        "--frame", metavar="FILE", help="Write the frame to FILE and leave it out of the answer."
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="The page to load before the start (default: blank)."
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        metavar="ORIGIN",
        help="An origin whose documents may load (repeatable; the origin of --url always may).",
    ),
]
Viewport = Annotated[
    str | None,
    typer.Option(
        "--viewport", metavar="WIDTHxHEIGHT", help="The size of the page (default 1280x720)."
    ),
]


def make_output(as_json: bool, field: str | None) -> Output:
    """Return how to answer, from the two flags; usage failure for a field that is none."""
    return Output(as_json, parse_field(field) if field is not None else ())


def examples(*lines: str) -> str:
    """Return the foot of a help text: command lines that work as they stand."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def parse_number(flag: str, text: str, lowest: int, highest: int) -> int:
    """Return a decimal number within bounds; usage failure for anything else."""
    if text.isascii() and text.isdecimal() and len(text) <= 10 and lowest <= int(text) <= highest:
        return int(text)
    raise Failure(
        "usage", f"{flag} takes a number from {lowest} to {highest}", "write it in decimal digits"
    )
