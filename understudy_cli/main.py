"""The console script ``understudy``: as little as possible between a shell and the daemon.

Everything imported here and in ``client`` is paid for by every command, so this
imports little more than what the interpreter has loaded anyway. The first two words alone
decide whether the command runs in this process.
"""

from __future__ import annotations

import os
import sys

OFFLINE_NOUNS = ("daemon", "receipt", "completion", "help")


def runs_offline(argv: list[str]) -> bool:
    """Return whether a command needs no daemon, by its first two words alone."""
    first, second = (*argv[:2], "", "")[:2]
    return not first or first.startswith("-") or first in OFFLINE_NOUNS or second == "--help"


def main() -> int:
    """Run the command line of this process and return its exit code.

    A command that ran in the daemon ends the process here.
    """
    argv = sys.argv[1:]
    if argv[:1] == ["--"]:  # it ends options, and before the first word there are none
        del argv[0]
    if runs_offline(argv):
        return _run_offline(argv)
    from understudy_cli import client  # noqa: PLC0415

    # all is written and nothing is to be cleaned up: the interpreter's own end would take longer
    # than the whole of the client's work
    os._exit(client.run(argv))


def _run_offline(argv: list[str]) -> int:
    """Run the command tree here: a quarter of a second that other commands do not pay."""
    from understudy_cli import lifecycle, offline  # noqa: PLC0415

    try:
        return offline.run(argv, lifecycle.methods())
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
