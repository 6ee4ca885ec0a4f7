"""Verbs of the pointer: click, hover, drag, scroll."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands.everyday.groups import Where, Writing
from understudy_cli.commands.everyday.running import CommandOptions, make_write
from understudy_cli.commands.everyday.tree import commands
from understudy_cli.commands.everyday.words import (
    OneTarget,
    one_word,
    only_target,
    parse_locator,
    parse_word,
    split_target,
)
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples

_DISTANCE = re.compile(r"(?:(-?[0-9]{1,6}),)?(-?[0-9]{1,6})")


@commands.command(
    epilog=examples(
        "understudy click k7e14",
        "understudy click --role button --name Save --expect text=Saved",
        "understudy click 120,45 --button right --modifier shift",
    )
)
@flagged
def click(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
    button: Annotated[
        str,
        typer.Option("--button", metavar="BUTTON", help="left (default), right or middle."),
    ] = "left",
    double: Annotated[bool, typer.Option("--double", help="Click twice.")] = False,
    triple: Annotated[bool, typer.Option("--triple", help="Click three times.")] = False,
    modifier: Annotated[
        list[str] | None,
        typer.Option("--modifier", metavar="KEY", help="Hold this key meanwhile (repeatable)."),
    ] = None,
) -> CommandOptions:
    """Click an element or a point.

    Before it is sent, the element must be visible, at rest, enabled and not covered. It is ok
    when the click was seen to land there.
    """
    if double and triple:
        raise Failure("usage", "--double and --triple are both given", "give one of the two")
    command: dict[str, object] = {"type": "click", "target": only_target(where, words)}
    if button != "left":
        command["button"] = button
    if double or triple:
        command["count"] = 3 if triple else 2
    if modifier:
        command["modifiers"] = modifier
    return make_write(command, writing)


@commands.command(epilog=examples("understudy hover k7e14"))
@flagged
def hover(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
) -> CommandOptions:
    """Move the pointer over an element or to a point."""
    command = {"type": "hover", "target": only_target(where, words)}
    return make_write(command, writing)


@commands.command(
    epilog=examples("understudy drag k7e3 k7e9", "understudy drag --text Card 400,300")
)
@flagged
def drag(
    where: Where,
    writing: Writing,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] TO",
            show_default=False,
            help="What is dragged, a ref or a point; then to where, a ref or a point.",
        ),
    ] = None,
) -> CommandOptions:
    """Drag from one element or point to another."""
    target, rest = split_target(where, words, "to where")
    to = parse_word(one_word(rest, "TO"), renamed=where.renamed)
    command = {"type": "drag", "target": target, "to": to}
    return make_write(command, writing)


@commands.command(
    epilog=examples(
        "understudy scroll --by 600",
        "understudy scroll --by -200",
        "understudy scroll k7e14",
        "understudy scroll --to bottom",
    )
)
@flagged
def scroll(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="[X,]Y",
            help="Turn the wheel so far, in pixels; over the target if there is one.",
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="END", help="To the page's top or bottom.")
    ] = None,
) -> CommandOptions:
    """Bring an element into view, turn the wheel, or go to an end of the page."""
    command: dict[str, object] = {"type": "scroll"}
    if words or parse_locator(where) is not None:
        command["target"] = only_target(where, words)
    if by is not None:
        command["by"] = parse_distance(by)
    if to is not None:
        command["to"] = to
    return make_write(command, writing)


def parse_distance(text: str) -> list[int]:
    """Return across and down from ``[X,]Y``; usage failure for anything else."""
    found = _DISTANCE.fullmatch(text)
    if found is None:
        hint = "write it as Y or X,Y in pixels, such as 600 or -200"
        raise Failure("usage", "--by is no distance", hint)
    return [int(found[1] or 0), int(found[2])]
