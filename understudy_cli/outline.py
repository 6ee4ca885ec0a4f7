"""The command tree as plain data: what manuals and completions are made from."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy_cli.app import command_tree

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Flag:
    """One option; ``value`` is the metavariable of its value, empty for a switch."""

    name: str
    value: str
    help: str
    required: bool


@dataclass(frozen=True)
class Argument:
    """One positional argument, by its metavariable."""

    name: str
    help: str


@dataclass(frozen=True)
class Command:
    """A command with its flags, or a noun with its commands."""

    name: str
    path: tuple[str, ...]
    """The words after ``understudy``; empty for the root."""
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    """Lines as they are shown, with their continuation lines."""
    flags: tuple[Flag, ...]
    arguments: tuple[Argument, ...]
    commands: tuple[Command, ...]

    @property
    def summary(self) -> str:
        """The first paragraph, a sentence."""
        return self.paragraphs[0]

    @property
    def words(self) -> str:
        """The whole command, as it is typed."""
        return " ".join(("understudy", *self.path))

    def walk(self) -> Iterator[Command]:
        """Yield this command and all below it, in order."""
        yield self
        for command in self.commands:
            yield from command.walk()


def outline() -> Command:
    """Return the tree of all commands."""
    return _outline(command_tree(), ())


def _outline(node: object, path: tuple[str, ...]) -> Command:
    help_text = inspect.cleandoc(str(getattr(node, "help", "") or ""))
    parameters = list(getattr(node, "params", ()))
    below = getattr(node, "commands", {})
    return Command(
        name=path[-1] if path else "understudy",
        path=path,
        paragraphs=tuple(" ".join(part.split()) for part in help_text.split("\n\n") if part),
        examples=tuple(str(getattr(node, "epilog", "")).split("\n  ")[1:]),
        flags=tuple(_flag(one) for one in parameters if one.param_type_name == "option"),
        arguments=tuple(_argument(one) for one in parameters if one.param_type_name == "argument"),
        commands=tuple(_outline(one, (*path, name)) for name, one in below.items()),
    )


def _flag(parameter: object) -> Flag:
    names: list[str] = getattr(parameter, "opts", [])
    is_switch = getattr(parameter, "is_flag", False)
    return Flag(
        name=names[0],
        value="" if is_switch else str(getattr(parameter, "metavar", "") or ""),
        help=str(getattr(parameter, "help", "")),
        required=bool(getattr(parameter, "required", False)),
    )


def _argument(parameter: object) -> Argument:
    return Argument(str(getattr(parameter, "metavar", "")), str(getattr(parameter, "help", "")))
