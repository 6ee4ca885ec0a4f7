"""``understudy display``: the numbered places that a workspace's picture is bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions, given
from understudy_cli.commands.parameters import examples, make_output, parse_number
from understudy_cli.render import format_facts, format_members

if TYPE_CHECKING:
    from collections.abc import Mapping

LOWEST, HIGHEST = 99, 199
"""The numbers that displays are taken from."""
COLUMNS = ("displayId", "kind", "captureGeneration", "workspaceId")

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Make and remove headless displays, for workspaces that exist before their session.",
    epilog=examples("understudy display create", "understudy display list"),
)


@commands.command(
    epilog=examples(
        "understudy display create",
        "understudy display create --min-display-id 120 --max-display-id 129 --json",
    )
)
def create(
    lowest: Annotated[
        str | None,
        typer.Option("--min-display-id", metavar="N", help="The lowest number to take (99)."),
    ] = None,
    highest: Annotated[
        str | None,
        typer.Option("--max-display-id", metavar="N", help="The highest number to take (199)."),
    ] = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> CallOptions:
    """Make a headless display, with a capture generation of its own.

    Its number is the lowest free one from 99 to 199, or from a narrower range that both bounds
    name. Numbers that an X server uses are left alone.
    """
    bounds = given(
        min_display_id=_parse_id("--min-display-id", lowest),
        max_display_id=_parse_id("--max-display-id", highest),
    )
    return CallOptions(
        "display.create",
        make_output(as_json, field),
        format_display,
        bounds,
        writes=True,
        ask="understudy display list",
    )


@commands.command("list", epilog=examples("understudy display list --json"))
def list_displays(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """List your displays, and the workspace on each."""
    return CallOptions("display.list", make_output(as_json, field), format_displays)


@commands.command(epilog=examples("understudy display destroy 120"))
def destroy(
    display: Annotated[str, typer.Argument(metavar="DISPLAY_ID", help="The display's number.")],
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> CallOptions:
    """Remove a display that no workspace is on."""
    return CallOptions(
        "display.destroy",
        make_output(as_json, field),
        lambda _: f"display {display} destroyed\n",
        {"display_id": parse_number("DISPLAY_ID", display, LOWEST, HIGHEST)},
        writes=True,
        ask="understudy display list",
    )


def format_display(reply: Mapping[str, object]) -> str:
    """Return the facts of one display."""
    display = reply.get("display")
    shown = display if isinstance(display, dict) else {}
    return format_facts([(column, shown.get(column)) for column in COLUMNS])


def format_displays(reply: Mapping[str, object]) -> str:
    """Return a table of displays."""
    return format_members(reply.get("displays"), COLUMNS)


def _parse_id(flag: str, text: str | None) -> int | None:
    return None if text is None else parse_number(flag, text, LOWEST, HIGHEST)
