"""``understudy session``: evidence sessions, from begin to close."""

from understudy_cli.commands.session.verbs import commands

__all__ = ["commands"]
