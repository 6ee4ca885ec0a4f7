"""What the thin client does when no daemon answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy_cli import lifecycle
from understudy_cli.app import parse
from understudy_cli.host import Text
from understudy_cli.render import encode_text
from understudy_cli.streams import STDERR, STDOUT

if TYPE_CHECKING:
    from protocol.framing import Command
    from understudy_cli.streams import Streams


def answer_or_start(state: str, command: Command, streams: Streams) -> int | None:
    """Answer what text alone answers (help, a usage error) here; start the daemon for the rest.

    Returns the exit code of an answer, None once a daemon can be reached. Raises
    Failure when none can be started.
    """
    parsed = parse(command.argv, width=command.width)
    if not isinstance(parsed, Text):
        lifecycle.start(state)
        return None
    streams.put(STDOUT, encode_text(parsed.out))
    streams.put(STDERR, encode_text(parsed.err))
    streams.flush()
    return parsed.exit
