"""What the client itself has to say when a command did not reach its end.

In the caller's form: one JSON object on stdout, or lines on stderr. Heavy
imports are fine here, nothing waits for a failure.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.framing import FrameInvalid
from understudy_cli.conversation import LineLost, Refused
from understudy_cli.exits import INTERNAL, exit_of
from understudy_cli.render import OUTPUT_VARIABLE, encode_failure, encode_object
from understudy_cli.streams import STDERR, STDOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from understudy_cli.streams import Streams


def report(error: Exception, argv: Sequence[str], streams: Streams) -> int:
    """Print an expected error and return its exit code; raise any other again."""
    failure = explain(error)
    if _wants_json(argv) and failure.code != "usage":
        streams.put(STDOUT, encode_object({"ok": False, "error": failure.body()}))
    else:
        streams.put(STDERR, encode_failure(failure))
    streams.flush()
    return exit_of(failure.code) or INTERNAL


def explain(error: Exception) -> Failure:
    """Return what an error of the client means for its caller; raise one of ours."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, LineLost):
        return _explain_lost(error)
    if isinstance(error, Refused):
        return Failure(error.code, error.message, error.hint)
    if isinstance(error, FrameInvalid):
        hint = "pass long content by a file or by standard input"
        return Failure("usage", "the command line is too long", hint)
    raise error


def _explain_lost(lost: LineLost) -> Failure:
    if not lost.is_accepted:
        return Failure(
            "not_started",
            "the daemon did not take the command; nothing was started",
            'run it again; "understudy daemon logs" may tell why',
            safe_to_retry=True,
        )
    if lost.idle:
        return Failure(
            "not_started",
            f"the line to the daemon was lost while standard input was awaited; {lost.idle}",
            "what was not sent can be sent again",
            safe_to_retry=True,
        )
    if lost.writes:
        return Failure(
            "outcome_unknown",
            "the line to the daemon was lost while the command ran; its outcome is unknown",
            f"do not run it again before you have asked: {lost.ask}",
        )
    return Failure(
        "not_started",
        "the line to the daemon was lost while the command ran; it only reads",
        "run it again",
        safe_to_retry=True,
    )


def _wants_json(argv: Sequence[str]) -> bool:
    """Return whether a command of this argv answers in JSON; ``--request`` always does."""
    words = argv[: argv.index("--")] if "--" in argv else argv
    options = {word.partition("=")[0] for word in words}
    if "--get" in options:
        return False
    return bool(options & {"--json", "--request"}) or os.environ.get(OUTPUT_VARIABLE) == "json"
