"""What the thin client does when no daemon answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy_cli import lifecycle
from understudy_cli.streams import STDERR, STDOUT

if TYPE_CHECKING:
    from protocol.commandline import Text
    from protocol.framing import Command
    from understudy_cli.streams import Streams


def answer_or_start(state: str, command: Command, streams: Streams) -> int | None:
    """Answer what text alone answers (help, a usage error) here; start the daemon for the rest.

    Returns the exit code of an answer, None once a daemon can be reached. Raises
    Failure when none can be started.
    """
    answers = _answer(command) if "--help" in command.argv else []

    def is_wanted() -> bool:
        answers.extend(_answer(command))
        return not answers

    if not answers:  # help needs no state directory either
        lifecycle.start(state, is_wanted)
    if not answers:
        return None
    text = answers[0]
    streams.put(STDOUT, text.out.encode("utf-8", "surrogateescape"))
    streams.put(STDERR, text.err.encode("utf-8", "surrogateescape"))
    streams.flush()
    return text.exit


def _answer(command: Command) -> list[Text]:
    """Return the text that answers a command line, none when it is to be run.

    Of many first commands at once only the one that is to start the daemon pays
    for the command tree.
    """
    from protocol.commandline import Text  # noqa: PLC0415
    from understudy_cli.app import parse  # noqa: PLC0415

    parsed = parse(command.argv, width=command.width)
    return [parsed] if isinstance(parsed, Text) else []
