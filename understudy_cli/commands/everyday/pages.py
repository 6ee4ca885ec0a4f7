"""Verbs of the page: back, forward, reload, snapshot, read, wait, screenshot."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from protocol.combinations import STATES
from protocol.command_fields import MAX_NODES, MAX_WAIT_MS
from protocol.errors import Failure
from understudy_cli.commands.everyday.groups import Calling, Reading, Where, Writing
from understudy_cli.commands.everyday.picture import PictureOptions
from understudy_cli.commands.everyday.replies import format_snapshot, format_waited
from understudy_cli.commands.everyday.running import (
    CommandOptions,
    make_read,
    make_sending,
    make_write,
    verified,
)
from understudy_cli.commands.everyday.tree import commands
from understudy_cli.commands.everyday.words import (
    OneTarget,
    one_word,
    only_target,
    parse_locator,
    parse_word,
    verify_count,
)
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples, parse_number

WITH_TEXT = {"text": "text", "text-gone": "text_gone", "url": "url"}
_SECONDS = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,3}))?")
WITHOUT = ("load", "idle")
ANYWHERE = ("title", "url")


@commands.command(epilog=examples("understudy back"))
@flagged
def back(writing: Writing) -> CommandOptions:
    """Go back in the tab's history."""
    return make_write({"type": "back"}, writing)


@commands.command(epilog=examples("understudy forward"))
@flagged
def forward(writing: Writing) -> CommandOptions:
    """Go forward in the tab's history."""
    return make_write({"type": "forward"}, writing)


@commands.command(epilog=examples("understudy reload --expect text=Ready"))
@flagged
def reload(writing: Writing) -> CommandOptions:
    """Load the page again, unless that would send a form again."""
    return make_write({"type": "reload"}, writing)


@commands.command(
    epilog=examples(
        "understudy snapshot --interactive",
        "understudy snapshot --within k7e3 --depth 4",
        "understudy snapshot --diff",
    )
)
@flagged
def snapshot(
    reading: Reading,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Only what can be operated.")
    ] = False,
    depth: Annotated[
        str | None, typer.Option("--depth", metavar="N", help="Only so many levels.")
    ] = None,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="N", help="Only so many nodes.")
    ] = None,
    within: Annotated[
        str | None, typer.Option("--within", metavar="REF", help="Only what is in this element.")
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Only what changed since the last snapshot.")
    ] = False,
) -> CommandOptions:
    """Show the page as a small tree, with a ref for each element.

    Refs of earlier snapshots mean nothing after it. What the page wrote is quoted, and the
    whole stands between two lines with a nonce that no page knows.
    """
    command: dict[str, object] = {"type": "snapshot"}
    command |= {"interactive": True} if interactive else {}
    command |= {"diff": True} if diff else {}
    if depth is not None:
        command["depth"] = parse_number("--depth", depth, 1, 1000)
    if limit is not None:
        command["limit"] = parse_number("--limit", limit, 1, MAX_NODES)
    if within is not None:
        command["within"] = parse_word(within)
    return make_read(command, reading, format_snapshot)


@commands.command(
    epilog=examples(
        "understudy read title",
        "understudy read text --css h1",
        "understudy read attribute k7e3 href",
        "understudy read count --role row",
    )
)
@flagged
def read(
    where: Where,
    reading: Reading,
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="title, url, text, value, attribute, state, or count."),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] [ATTRIBUTE]",
            show_default=False,
            help="Of which element, unless flags name it (text: default the page).",
        ),
    ] = None,
) -> CommandOptions:
    """Read the title, the url, or something of an element; changes nothing.

    A password's value is never told, only its length.
    """
    command: dict[str, object] = {"type": "read", "what": what}
    rest = list(words or ())
    target = parse_locator(where)
    if target is None and rest and what not in ANYWHERE:
        target = parse_word(rest.pop(0), renamed=where.renamed)
    if target is not None:
        command["target"] = target
    if what == "attribute":
        command["name"] = one_word(rest, "attribute")
    else:
        verify_count(rest, 0, "")
    return make_read(command, reading)


@commands.command(
    epilog=examples(
        "understudy wait text 'Order received'",
        "understudy wait visible --role dialog",
        "understudy wait url 'https://shop.example/done*' --timeout 60",
        "understudy wait idle",
    )
)
@flagged
def wait(
    where: Where,
    calling: Calling,
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help=f"load, idle, text, text-gone, url, ms, or a state: {', '.join(STATES)}.",
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[VALUE]",
            show_default=False,
            help="The text, the whole url (* is anything) or the milliseconds; with a state, the"
            " target.",
        ),
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            "--timeout", metavar="SECONDS", help="Give up after so long (default 25; at most 600)."
        ),
    ] = None,
) -> CommandOptions:
    """Wait until something is so; changes nothing.

    When it is not so in time, the exit code says so, and the answer what is still pending.
    """
    command: dict[str, object] = {"type": "wait", **_wanted(what, where, words)}
    if timeout is not None:
        command["timeout_ms"] = parse_milliseconds(timeout)
    sending, output = make_sending(calling), calling.output
    return CommandOptions(verified(command), sending, output, writes=False, format=format_waited)


@commands.command(
    epilog=examples(
        "understudy screenshot page.png",
        "understudy screenshot page.png --full",
        "understudy screenshot card.png k7e3",
    )
)
@flagged
def screenshot(
    where: Where,
    reading: Reading,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The PNG file to write.")],
    words: OneTarget = None,
    full: Annotated[
        bool, typer.Option("--full", help="The whole page, beyond the viewport too.")
    ] = False,
) -> PictureOptions:
    """Write a picture of the viewport, of the whole page, or of one element; a private file."""
    command: dict[str, object] = {"type": "screenshot"}
    if words or parse_locator(where) is not None:
        command["target"] = only_target(where, words)
    if full:
        command["full"] = True
    return PictureOptions(make_read(command, reading), file)


def parse_milliseconds(text: str) -> int:
    """Return seconds, with up to three decimals, as milliseconds; usage failure for others."""
    found = _SECONDS.fullmatch(text)
    milliseconds = int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0")) if found else 0
    if not 1 <= milliseconds <= MAX_WAIT_MS:
        hint = f"such as 2.5, above 0, up to {MAX_WAIT_MS // 1000}"
        raise Failure("usage", "--timeout takes seconds", hint)
    return milliseconds


def _wanted(what: str, where: Where, words: list[str] | None) -> dict[str, object]:
    """Return the fields that say what a wait is for."""
    if what in STATES:
        return {"for": "state", "value": what, "target": only_target(where, words)}
    if parse_locator(where) is not None:
        hint = f"a target goes with a state: {', '.join(STATES)}"
        raise Failure("usage", f'"wait" for {what} has no target', hint)
    rest = list(words or ())
    if what in WITHOUT:
        verify_count(rest, 0, "")
        return {"for": what}
    if what == "ms":
        return {"for": "ms", "ms": parse_number("MS", one_word(rest, "time"), 0, MAX_WAIT_MS)}
    if what not in WITH_TEXT:
        known = ", ".join([*WITHOUT, *WITH_TEXT, "ms", *STATES])
        raise Failure("usage", "that is nothing to wait for", f"one of {known}")
    return {"for": WITH_TEXT[what], "value": one_word(rest, what)}
