"""``understudy daemon``: the process that holds browsers and sessions.

start, stop, restart and logs are done by the client itself; status asks the daemon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from protocol.untrusted import escape_line
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions
from understudy_cli.commands.parameters import examples, make_output, parse_number
from understudy_cli.render import format_facts

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_LINES = 10_000
ASK = "understudy daemon status"

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Start, stop and look at the daemon; other commands start it by themselves.",
    epilog=examples("understudy daemon status", "understudy daemon restart"),
)


@commands.command(epilog=examples("understudy daemon start"))
def start(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """Start the daemon unless it runs already, and wait until it answers."""
    output = make_output(as_json, field)
    return CallOptions("daemon.start", output, format_daemon, writes=True, ask=ASK)


@commands.command(epilog=examples("understudy daemon stop"))
def stop(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """Stop the daemon; sessions that are open end without a receipt."""
    output = make_output(as_json, field)
    return CallOptions("daemon.stop", output, format_daemon, writes=True, ask=ASK)


@commands.command(epilog=examples("understudy daemon restart"))
def restart(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """Stop the daemon if it runs, and start it."""
    output = make_output(as_json, field)
    return CallOptions("daemon.restart", output, format_daemon, writes=True, ask=ASK)


@commands.command(
    epilog=examples("understudy daemon status", "understudy daemon status --get daemon.pid")
)
def status(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """Tell the daemon's version, process and what it holds; starts none (exit 8)."""
    return CallOptions("daemon.status", make_output(as_json, field), format_daemon)


@commands.command(epilog=examples("understudy daemon logs --lines 20"))
def logs(
    lines: Annotated[
        str, typer.Option("--lines", metavar="N", help="How many lines, from the end.")
    ] = "100",
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> CallOptions:
    """Show the end of the daemon's log; it runs or not."""
    return CallOptions(
        "daemon.logs",
        make_output(as_json, field),
        format_log,
        {"lines": parse_number("--lines", lines, 1, MOST_LINES)},
    )


def format_daemon(reply: Mapping[str, object]) -> str:
    """Return the facts about the daemon."""
    told = reply.get("daemon")
    beside = {name: value for name, value in reply.items() if name not in ("ok", "daemon")}
    facts = {**(told if isinstance(told, dict) else {}), **beside}
    return format_facts([(name, _shown(value)) for name, value in facts.items()])


def format_log(reply: Mapping[str, object]) -> str:
    """Return the log's lines, each safe to show."""
    lines = reply.get("lines")
    shown = lines if isinstance(lines, list) else []
    return "".join(f"{escape_line(str(line))}\n" for line in shown)


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
