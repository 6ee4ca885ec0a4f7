"""Verbs of fields and of the keyboard."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.command_fields import MAX_FILES_BYTES, MAX_HOLD_MS, MAX_TEXT_BYTES
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
    verify_count,
    verify_text,
)
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples, parse_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.commandline import Host

FromStdin = Annotated[
    bool, typer.Option("--stdin", help="Read the text from standard input, to its end.")
]
FromVariable = Annotated[
    str | None,
    typer.Option("--env", metavar="NAME", help="Take the text from this variable; for secrets."),
]


@dataclass(frozen=True)
class Secret:
    """A text that is in no argv: from a variable, or from stdin when there is no name."""

    variable: str = ""

    async def read(self, host: Host) -> str:
        """See Late. One line end at the end of stdin is not part of the text."""
        if self.variable:
            content = await host.variable(self.variable, MAX_TEXT_BYTES)
        else:
            content = await host.read("-", MAX_TEXT_BYTES + 2)
            content = content.removesuffix(b"\n").removesuffix(b"\r")
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise Failure("invalid_request", "the text is not UTF-8", "pass UTF-8") from None


@dataclass(frozen=True)
class Files:
    """Files of the caller's, each by its real path and with its content."""

    paths: Sequence[str]

    async def read(self, host: Host) -> list[dict[str, object]]:
        """See Late; the first that cannot be read is a failure, and nothing is sent."""
        left = MAX_FILES_BYTES
        files: list[dict[str, object]] = []
        for path in [await host.resolve(path) for path in self.paths]:
            content = await host.read(path, left)
            left -= len(content)
            files.append({"path": path, "content": base64.b64encode(content).decode()})
        return files


@commands.command(
    epilog=examples(
        "understudy fill k7e2 'Ann Example'",
        "understudy fill --label E-mail ann@example.com",
        "understudy fill --label Password --env SHOP_PASSWORD",
        "understudy fill k7e2 -- --text-with-dashes",
    )
)
@flagged
def fill(
    where: Where,
    writing: Writing,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] [TEXT]",
            show_default=False,
            help="The field, unless flags name it; then the text, to the letter.",
        ),
    ] = None,
    stdin: FromStdin = False,
    env: FromVariable = None,
) -> CommandOptions:
    """Make a text all that a field holds; dates, times, colours and ranges by their value.

    The field is read afterwards: what it holds must be what was asked for. Secrets belong into
    --env or --stdin: other programs of this machine can read a command line.
    """
    target, rest = split_target(where, words, "the text")
    command: dict[str, object] = {"type": "fill", "target": target}
    secret = parse_secret(rest, stdin, env)
    if secret is not None:
        return make_write(command, writing, {"text": secret})
    command["text"] = one_word(rest, "text")
    return make_write(command, writing)


@commands.command(
    "type",
    epilog=examples(
        "understudy type 'more words'",
        "understudy type k7e2 ' and more'",
        "understudy type --css '#note' -- -1",
    ),
)
@flagged
def type_text(
    where: Where,
    writing: Writing,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] [TEXT]",
            show_default=False,
            help="The field (default: what has the focus); then the text, to the letter.",
        ),
    ] = None,
    stdin: FromStdin = False,
    env: FromVariable = None,
) -> CommandOptions:
    """Type a text at the caret, after what is there already.

    Secrets belong into --env or --stdin: other programs of this machine can read a command line.
    """
    rest = list(words or ())
    command: dict[str, object] = {"type": "type"}
    located = parse_locator(where)
    if located is not None:
        command["target"] = located
    elif len(rest) > (0 if stdin or env else 1):
        command["target"] = parse_word(rest.pop(0), renamed=where.renamed)
    secret = parse_secret(rest, stdin, env)
    if secret is not None:
        return make_write(command, writing, {"text": secret})
    command["text"] = one_word(rest, "text")
    return make_write(command, writing)


@commands.command(
    epilog=examples("understudy select k7e5 March", "understudy select --label Month --value mar")
)
@flagged
def select(
    where: Where,
    writing: Writing,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] [LABEL]...",
            show_default=False,
            help="The list, unless flags name it; then the labels of the options.",
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option("--value", metavar="VALUE", help="An option by its value (repeatable)."),
    ] = None,
) -> CommandOptions:
    """Choose exactly these options of a list, and no others."""
    target, labels = split_target(where, words, "the labels of the options")
    if bool(labels) == bool(value):
        hint = "name each option by its label, or each by --value"
        raise Failure("usage", "the options are to be named in one way", hint)
    chosen = {"values": value} if value else {"labels": [verify_text(one) for one in labels]}
    command = {"type": "select", "target": target, **chosen}
    return make_write(command, writing)


@commands.command(epilog=examples("understudy check --label 'I agree'"))
@flagged
def check(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
) -> CommandOptions:
    """Check a box, a switch or a radio button; one that is checked is left alone."""
    return _on_target("check", where, writing, words)


@commands.command(epilog=examples("understudy uncheck k7e8"))
@flagged
def uncheck(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
) -> CommandOptions:
    """Uncheck a box or a switch; one that is not checked is left alone."""
    return _on_target("uncheck", where, writing, words)


@commands.command(epilog=examples("understudy clear k7e2"))
@flagged
def clear(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
) -> CommandOptions:
    """Empty a field."""
    return _on_target("clear", where, writing, words)


@commands.command(epilog=examples("understudy focus k7e2"))
@flagged
def focus(
    where: Where,
    writing: Writing,
    words: OneTarget = None,
) -> CommandOptions:
    """Give an element the focus."""
    return _on_target("focus", where, writing, words)


@commands.command(epilog=examples("understudy press Enter", "understudy press ctrl+shift+t"))
@flagged
def press(
    writing: Writing,
    keys: Annotated[str, typer.Argument(metavar="KEYS", help="A key, or a chord such as ctrl+a.")],
) -> CommandOptions:
    """Press a key or a chord, where the focus is."""
    command = {"type": "key", "keys": verify_text(keys)}
    return make_write(command, writing)


@commands.command(epilog=examples("understudy hold ArrowRight 1500"))
@flagged
def hold(
    writing: Writing,
    keys: Annotated[
        str, typer.Argument(metavar="KEYS", help="A key, or a chord such as shift+right.")
    ],
    ms: Annotated[str, typer.Argument(metavar="MS", help=f"For how long, up to {MAX_HOLD_MS} ms.")],
) -> CommandOptions:
    """Hold a key or a chord down for a while."""
    held_ms = parse_number("MS", ms, 0, MAX_HOLD_MS)
    command = {"type": "hold_key", "keys": verify_text(keys), "ms": held_ms}
    return make_write(command, writing)


@commands.command(
    epilog=examples("understudy upload k7e4 report.pdf", "understudy upload --label Photos *.png")
)
@flagged
def upload(
    where: Where,
    writing: Writing,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET] FILE...",
            show_default=False,
            help="The file field, unless flags name it; then your files.",
        ),
    ] = None,
) -> CommandOptions:
    """Choose files of yours in a file field.

    Each is read in your directory and with your rights before anything is sent; where it really
    lies, links followed, must be within [policy] upload_roots of the configuration, if there are
    any. The page learns the file's name and content, not its path.
    """
    target, paths = split_target(where, words, "the files")
    if not paths:
        raise Failure("usage", "no file is given", "name at least one")
    command = {"type": "upload", "target": target}
    return make_write(command, writing, {"files": Files(paths)})


def parse_secret(rest: Sequence[str], stdin: bool, env: str | None) -> Secret | None:
    """Return where the text comes from instead of argv, None for argv; not from two places."""
    if not stdin and env is None:
        return None
    verify_count(rest, 0, "")
    if stdin and env is not None:
        raise Failure("usage", "--stdin and --env are both given", "give one of the two")
    if env is not None and (not env or "=" in env):
        raise Failure("usage", "--env is no name of a variable", "such as --env SHOP_PASSWORD")
    return Secret(env or "")


def _on_target(
    kind: str,
    where: Where,
    writing: Writing,
    words: list[str] | None,
) -> CommandOptions:
    command = {"type": kind, "target": only_target(where, words)}
    return make_write(command, writing)
