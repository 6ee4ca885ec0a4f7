"""The verbs that stand at the top of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from typer.models import CommandInfo

commands = typer.Typer(add_completion=False, rich_markup_mode=None)


def name_of(verb: CommandInfo) -> str:
    """Return the word of a verb: the one it was given, or its function's name."""
    return str(verb.name or getattr(verb.callback, "__name__", ""))
