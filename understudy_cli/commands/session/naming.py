"""Which session a command means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.parameters import parse_number

if TYPE_CHECKING:
    from understudy_cli.host import Host

SESSION_VARIABLE = "UNDERSTUDY_SESSION"
HIGHEST_SEQUENCE = 2**31 - 1


@dataclass(frozen=True)
class SessionName:
    """A proof id as it was named, or empty: then the variable names it."""

    proof_id: str = ""

    def find(self, host: Host) -> str:
        """Return the proof id; usage failure when nothing names one. Never guesses."""
        proof_id = self.proof_id or host.environment.get(SESSION_VARIABLE, "")
        if not proof_id:
            raise Failure(
                "usage",
                "no session is named",
                f"give its proof id, or set {SESSION_VARIABLE};"
                ' "understudy session list" shows yours',
            )
        return proof_id

    @property
    def ask(self) -> str:
        """The command that tells how this session stands."""
        return f"understudy session status {self.proof_id}".rstrip()


def parse_session(argument: str | None, option: str | None) -> SessionName:
    """Return the session that the first argument or ``--session`` names; not two of them."""
    if argument is not None and option is not None and argument != option:
        raise Failure(
            "usage",
            "two different sessions are named",
            "give the proof id once, as the first argument or by --session",
        )
    named = argument if argument is not None else option
    if named == "":
        raise Failure("usage", "the proof id is empty", 'it reads "ecup-" and 32 hex digits')
    return SessionName(named or "")


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
