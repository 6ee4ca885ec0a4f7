"""The whole noun ``session``, for the command tree."""

from understudy_cli.commands.session import lasting, starting, verbs
from understudy_cli.commands.session.tree import commands

__all__ = ["commands", "lasting", "starting", "verbs"]
