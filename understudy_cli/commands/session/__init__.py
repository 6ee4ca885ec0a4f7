"""``understudy session``: evidence sessions, from begin to close."""

from understudy_cli.commands.session import starting, verbs
from understudy_cli.commands.session.tree import commands

__all__ = ["commands", "starting", "verbs"]
