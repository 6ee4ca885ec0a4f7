"""``understudy receipt``: what a receipt says, and whether it holds together."""

from understudy_cli.commands.receipt.verbs import commands

__all__ = ["commands"]
