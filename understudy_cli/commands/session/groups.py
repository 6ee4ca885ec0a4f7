"""Flags that the verbs of a session share; see `understudy_cli.commands.grouping`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy_cli.commands import parameters as flags
from understudy_cli.commands.session.delivery import Delivery
from understudy_cli.commands.session.naming import (
    SessionName,
    parse_session,
    require_sequence,
    verify_evidence,
)

if TYPE_CHECKING:
    from understudy_cli.render import Output


@dataclass(frozen=True)
class Asking:
    """Which session is asked, whether by one JSON object, and how to answer."""

    proof: flags.SessionArgument = None
    session: flags.Session = None
    request: flags.Request = None
    as_json: flags.Json = False
    field: flags.Get = None

    @property
    def name(self) -> SessionName:
        """The session as it was named; usage failure when it is named twice or empty."""
        return parse_session(self.proof, self.session)

    @property
    def output(self) -> Output:
        """How to answer; usage failure for a field that is none."""
        return flags.make_output(self.as_json, self.field)

    @property
    def named(self) -> dict[str, object]:
        """What was given besides a whole request, by the flag's name."""
        return {"SESSION_ID": self.proof, "--session": self.session}


@dataclass(frozen=True)
class Stepping(Asking):
    """How a session is taken one step on."""

    sequence: flags.Sequence = None

    @property
    def named(self) -> dict[str, object]:
        """See Asking."""
        return {**super().named, "--sequence": self.sequence}

    def count(self, verb: str) -> int:
        """Return the sequence; usage failure without one, and for a session that has none."""
        verify_evidence(self.name.session_id, verb)
        return require_sequence(self.sequence)


@dataclass(frozen=True)
class Framing:
    """Where the reply's frame goes."""

    frame: flags.Frame = None

    def deliver(self, output: Output, receipt: str | None = None) -> Delivery:
        """Return where a reply's parts go."""
        return Delivery(output, self.frame, receipt)
