"""All verbs of everyday use and their small nouns, for the command tree."""

from understudy_cli.commands.everyday import asking, batch, fields, opening, pages, pointer
from understudy_cli.commands.everyday.answers import dialogs, downloads, popups
from understudy_cli.commands.everyday.tree import commands, name_of

ORDER = (
    *("open", "snapshot", "click", "fill", "type", "press", "select", "check", "uncheck"),
    *("clear", "focus", "hover", "hold", "drag", "scroll", "upload", "read", "wait"),
    *("screenshot", "back", "forward", "reload", "batch", "poll"),
)
"""How the verbs are listed: the first ones first."""

commands.registered_commands.sort(key=lambda one: ORDER.index(name_of(one)))

__all__ = [
    "asking",
    "batch",
    "commands",
    "dialogs",
    "downloads",
    "fields",
    "opening",
    "pages",
    "pointer",
    "popups",
]
