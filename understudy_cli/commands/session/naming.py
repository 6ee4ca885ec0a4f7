"""Which session a command means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.parameters import parse_number
from understudy_cli.render import encode_failure

if TYPE_CHECKING:
    from protocol.commandline import Host

LASTING = "us-"
"""How the id of a session without a job begins."""
EVIDENCE = "ecup-"
"""How the id of an evidence session begins."""
SESSION_VARIABLE = "UNDERSTUDY_SESSION"
INSTEAD = {
    "actions": '"understudy batch" does commands in order there',
    "observe": '"understudy snapshot" and "understudy screenshot" look at its page',
    "close": 'without --sequence "understudy session close" closes it',
}
"""What does in a session without a job what a verb does in an evidence session."""
HIGHEST_SEQUENCE = 2**31 - 1


@dataclass(frozen=True)
class SessionName:
    """A session's id as it was named, or empty: then the variable names it, or the place."""

    session_id: str = ""

    @property
    def is_evidence(self) -> bool:
        """Whether an evidence session is named; False when nothing is."""
        return bool(self.session_id) and not self.is_lasting

    @property
    def is_lasting(self) -> bool:
        """Whether a session without a job is named."""
        return self.session_id.startswith(LASTING)

    async def find(self, host: Host) -> str:
        """Return the session's id; usage failure when nothing names one. Never guesses."""
        session_id = await self.look(host)
        if not session_id:
            raise Failure(
                "usage",
                f"no session is named, and none was begun from this {_place_word(host)}",
                f'"understudy open URL" begins one; --session or {SESSION_VARIABLE} names one;'
                ' "understudy session list" shows yours',
            )
        return session_id

    async def find_evidence(self, host: Host, verb: str) -> str:
        """Return the session's id; usage failure for one that is no evidence session."""
        session_id = await self.find(host)
        verify_evidence(session_id, verb)
        return session_id

    async def find_lasting(self, host: Host) -> str:
        """Return the session's id; usage failure for an evidence session."""
        session_id = await self.find(host)
        verify_lasting(session_id)
        return session_id

    async def look(self, host: Host) -> str:
        """Return the session's id, empty when nothing names one.

        The session that was last begun from this place is meant even if it has ended.
        """
        named = self.session_id or host.environment.get(SESSION_VARIABLE, "")
        place = place_of(host)
        if named or not place:
            return named
        reply = await host.call("session.current", place)
        return str(reply.get("sessionId") or "")

    @property
    def ask(self) -> str:
        """The command that tells how this session stands."""
        return f"understudy session status {self.session_id}".rstrip()


def place_of(host: Host) -> dict[str, object]:
    """Return the caller's place: its terminal session, or without one its directory."""
    if host.terminal:
        return {"terminal": host.terminal}
    return {"cwd": host.cwd} if host.cwd else {}


async def remember(host: Host, session_id: object) -> None:
    """Make a session the one last begun from here; that this failed is said, no more."""
    place = place_of(host)
    if not place:
        return
    try:
        await host.call("session.remember", {"session_id": session_id, **place})
    except Failure as failure:
        text = f"the session will have to be named: {failure.message}"
        await host.err(encode_failure(Failure(failure.code, text, "")))


def _place_word(host: Host) -> str:
    return "terminal" if host.terminal else "directory"


def parse_session(argument: str | None, option: str | None) -> SessionName:
    """Return the session that the first argument or ``--session`` names; not two of them."""
    if argument is not None and option is not None and argument != option:
        raise Failure(
            "usage",
            "two different sessions are named",
            "give its id once, as the first argument or by --session",
        )
    named = argument if argument is not None else option
    if named == "":
        hint = f'it reads "{LASTING}" or "{EVIDENCE}", and 32 hex digits'
        raise Failure("usage", "the session's id is empty", hint)
    return SessionName(named or "")


def verify_evidence(session_id: str, verb: str) -> None:
    """Raise a usage failure when a session has no job, and so nothing that the verb could do."""
    if SessionName(session_id).is_lasting:
        ending = f'"understudy session close {session_id}" ends it'
        kind = f'"session {verb}" with a sequence is for those'
        message = f"{session_id} is no evidence session; {kind}"
        raise Failure("usage", message, INSTEAD.get(verb, ending))


def verify_lasting(session_id: str) -> None:
    """Raise a usage failure for an evidence session, which takes no everyday commands."""
    if session_id.startswith(EVIDENCE):
        message = f"{session_id} is an evidence session, which takes no everyday commands"
        instead = '"understudy session actions" acts in it; "understudy open --new URL" begins'
        raise Failure("usage", message, f"{instead} another session")


def require_sequence(sequence: str | None) -> int:
    """Return the sequence; usage failure without one, because nothing guesses it."""
    if sequence is None:
        raise Failure(
            "usage",
            "--sequence is missing",
            "each change carries the session's current sequence; the last answer had it,"
            ' and "session status" has it',
        )
    return parse_number("--sequence", sequence, 0, HIGHEST_SEQUENCE)
