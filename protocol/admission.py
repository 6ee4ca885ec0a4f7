"""Whether a command may begin: what its id says, then what its session says.

The order is that of behaviour.md §1.0.3 for one process: the id first, so that a lost
answer can always be asked for again, even when the session would refuse the command.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from protocol.canonical import encode_canonical
from protocol.errors import Failure
from protocol.writes import ACTIVE, RETRYABLE, Kind, Result, State

MAX_COMMAND_ID_CHARACTERS: Final = 128


@dataclass(frozen=True, slots=True)
class Known:
    """What the journal knows of a command id: whose fingerprint, which attempt, how far.

    ``judged``: "done" or "not done", what the caller has said of an unknown outcome.
    """

    fingerprint: str
    attempt: int
    state: State
    result: Result | None = None
    judged: str = ""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides, besides its id, whether a command may begin now.

    ``reachable``: the browser is there. ``restarted``: it is another one than at the
    session's beginning, so that no write is let through until its end. ``busy``: the
    session can take no further command.
    ``commands``: how many different ids it has taken; ``command_cap``: how many it may.
    """

    reachable: bool = True
    writes_blocked: bool = False
    restarted: bool = False
    busy: bool = False
    commands: int = 0
    command_cap: int | None = None


@dataclass(frozen=True, slots=True)
class Execute:
    """Admit it as this attempt, counted from 1; above 1 it is a safe retry."""

    attempt: int


@dataclass(frozen=True, slots=True)
class Replay:
    """It has completed before: answer with that result, and do nothing."""

    result: Result


@dataclass(frozen=True, slots=True)
class Pending:
    """It is running now: wait for it, or answer that it is pending."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with this failure, and store nothing."""

    failure: Failure


Decision = Execute | Replay | Pending | Refuse


def decide_admission(
    known: Known | None, fingerprint: str, kind: Kind, now: Circumstances
) -> Decision:
    """Return what to do with a command whose id the journal knows, or does not.

    The caller has judged before that the session is there, the actor's and not ended, and
    judges after it whether quotas allow it.
    """
    if known is not None:
        if not hmac.compare_digest(known.fingerprint, fingerprint):
            return Refuse(id_conflict())
        if known.state not in RETRYABLE:
            return _as_recorded(known)
    refusal = check_start(kind, now) or _check_room(known, now)
    if refusal is not None:
        return Refuse(refusal)
    return Execute(1 if known is None else known.attempt + 1)


def check_start(kind: Kind, now: Circumstances) -> Failure | None:
    """Return why a command may not start, None if it may; asked again when its turn comes."""
    if not now.reachable:
        return Failure(
            "browser_unavailable",
            "The session's browser cannot be reached at the moment",
            "Nothing was started; see session status, and send the same command again.",
            safe_to_retry=True,
        )
    if kind is Kind.WRITE and now.restarted:
        return browser_restarted()
    if kind is Kind.WRITE and now.writes_blocked:
        return writes_blocked()
    return None


def fingerprint_of(key: bytes, command: Mapping[str, object], *, dry_run: bool) -> str:
    """Return the keyed digest by which two sendings of one id are the same: 64 hex digits.

    HMAC-SHA-256 under the installation's key over canonical JSON, so that what was typed
    cannot be guessed from it. Raises TypeError for a value that has no canonical form.
    """
    text = encode_canonical({"command": dict(command), "dryRun": dry_run})
    return hmac.digest(key, text.encode(), "sha256").hex()


def parse_command_id(text: object) -> str:
    """Return a caller's command id: 1 to 128 printable ASCII characters, no blank.

    It is compared and shown, never a path. Raises Failure ``invalid_request``.
    """
    if (
        isinstance(text, str)
        and 1 <= len(text) <= MAX_COMMAND_ID_CHARACTERS
        and all("!" <= character <= "~" for character in text)
    ):
        return text
    raise Failure(
        "invalid_request",
        f"A command id is 1 to {MAX_COMMAND_ID_CHARACTERS} printable ASCII characters, no blank",
        "Leave it out to have one made.",
    )


def _check_room(known: Known | None, now: Circumstances) -> Failure | None:
    """Return why there is no room for it; a retry is no new command."""
    if now.busy:
        return _busy()
    if known is None and now.command_cap is not None and now.commands >= now.command_cap:
        return _cap_reached(now.command_cap)
    return None


def _as_recorded(known: Known) -> Decision:
    if known.state in ACTIVE:
        return Pending()
    if known.state is State.COMPLETED and known.result is not None:
        return Replay(known.result)
    return Refuse(outcome_judged(known.judged) if known.judged else outcome_unknown())


def id_conflict() -> Failure:
    """Return the failure of an id that was used for another command."""
    return Failure(
        "command_id_conflict",
        "This id was used before for a command with other contents",
        "Nothing was started. Use a new id for a new command.",
    )


def outcome_unknown() -> Failure:
    """Return the failure of a write that may or may not have reached the page."""
    return Failure(
        "outcome_unknown",
        "This write may have reached the page, and nobody knows whether it did",
        "Do not send it again. Look at the page, then say what you found: understudy session"
        " resolve ID --done or --not-done.",
    )


def outcome_judged(judgement: str) -> Failure:
    """Return the failure of a write whose unknown outcome the caller has judged since."""
    return Failure(
        "outcome_unknown",
        f"This write may have reached the page; it was resolved as {judgement}",
        "Nothing was sent now. A new id does it again, should that be wanted.",
    )


def writes_blocked() -> Failure:
    """Return the failure of a new write after one whose outcome is unknown."""
    return Failure(
        "outcome_unknown",
        "Nothing was started: an earlier write of this session may have reached the page,"
        " and until that is resolved no other write is let through",
        "See session log for which one, look at the page, and say what you found: understudy"
        " session resolve ID --done or --not-done. Reads work.",
    )


def browser_restarted() -> Failure:
    """Return the failure of a new write in a session whose browser is not its first one."""
    return Failure(
        "outcome_unknown",
        "Nothing was started: the session's browser was restarted, what the page held is gone,"
        " and no write is let through any more",
        "Reads and session log work. Close the session and begin another one.",
    )


def pending(command_id: str) -> Failure:
    """Return the failure of an answer that is asked for before there is one."""
    ask = f"Ask again: understudy poll {command_id}"
    return Failure("pending", "The command is still running", ask)


def not_started() -> Failure:
    """Return the failure of a command that ended before anything was done."""
    return Failure(
        "not_started",
        "The command ended before anything was done",
        "It is safe to send the same command again.",
        safe_to_retry=True,
    )


def timed_out() -> Failure:
    """Return the failure of a read or a dry run that did not end in time."""
    return Failure(
        "timed_out",
        "The command did not end in time; it sent no input",
        "It is safe to send the same command again.",
        safe_to_retry=True,
    )


def _busy() -> Failure:
    return Failure(
        "session_busy",
        "The session can take no further command at the moment",
        "Nothing was started; send it again when what runs has ended.",
        safe_to_retry=True,
    )


def _cap_reached(cap: int) -> Failure:
    return Failure(
        "command_cap_reached",
        f"The session has taken {cap} commands, which is all it may",
        "Close it and open another; [quotas] of the configuration sets the number.",
    )
