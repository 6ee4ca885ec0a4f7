"""One command of an everyday session: sent under an id, waited for, and told."""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING, Protocol

from protocol.command_fields import MAX_WAIT_MS, parse_command
from protocol.commandline import COMMAND_ID
from protocol.errors import Failure
from understudy_cli.commands.calls import given
from understudy_cli.commands.everyday.replies import format_read, format_reply, nonce_of
from understudy_cli.commands.everyday.words import verify_text
from understudy_cli.commands.parameters import parse_number
from understudy_cli.commands.session.naming import SessionName
from understudy_cli.render import encode_text, members_of
from understudy_cli.usage import OTHER_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.commandline import Host
    from understudy_cli.commands.everyday.groups import Calling, Reading, Writing
    from understudy_cli.render import Output

    Format = Callable[[Mapping[str, object], str], str]

EXPECTED = ("url", "text", "gone", "state")
SPOKEN = (
    "warning: the text of a password field stood in the command line, where other programs"
    " can read it; --env NAME or --stdin keeps it out"
)
PROTOCOL_PAGE = "understudy-protocol(7)"
LONGEST_WAIT_S = MAX_WAIT_MS // 1000


class Late(Protocol):
    """A field of a command that is only known once its caller's side was asked."""

    async def read(self, host: Host) -> object:
        """Return the field's value; raise its Failure."""
        ...


@dataclass(frozen=True)
class Sending:
    """How a command goes out: in which session, under which id, waited for how long."""

    session: SessionName
    command_id: str = ""
    wait_s: int | None = None
    dry_run: bool = False

    @property
    def is_special(self) -> bool:
        """Whether anything but the command itself was said."""
        return self != Sending(SessionName())

    def id_of(self, host: Host) -> str:
        """Return the command's id: the caller's, or that of this call."""
        return self.command_id or host.command_id

    @property
    def ask(self) -> str:
        """The command that tells how this one ended."""
        named = f" --session {self.session.session_id}" if self.session.session_id else ""
        asked = quote(self.command_id) if self.command_id else COMMAND_ID
        return f"understudy poll {asked}{named}"

    async def params(self, host: Host) -> dict[str, object]:
        """Return the parameters that every command has."""
        return given(
            session_id=await self.session.find_lasting(host),
            command_id=self.id_of(host),
            dry_run=self.dry_run or None,
            wait_s=self.wait_s,
        )


@dataclass(frozen=True)
class CommandOptions:
    """A command with its fields; ``late`` are those that the caller's side is asked for."""

    command: Mapping[str, object]
    sending: Sending
    output: Output
    writes: bool = True
    format: Format = format_reply
    late: Mapping[str, Late] = field(default_factory=dict)
    has_text: bool = False
    """Whether it was given a text by the command line, which other programs can read."""

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.sending.ask

    async def run(self, host: Host) -> int:
        """Ask for what is missing, send, tell."""
        reply = await self.call(host)
        if self.has_text and members_of(reply, "result").get("secret"):
            await host.err(encode_text(f"understudy: {SPOKEN}\n"))
        return await self.output.report(host, reply, self.format(reply, nonce_of(host)))

    async def call(self, host: Host) -> dict[str, object]:
        """Return the reply to the command, once what is missing was asked for."""
        params, command = await self.sending.params(host), dict(self.command)
        for name, late in self.late.items():
            command[name] = await late.read(host)
        params["command"] = command
        return await host.call("command.run", params)


def make_read(
    command: Mapping[str, object], reading: Reading, format_text: Format = format_read
) -> CommandOptions:
    """Return the options of a read; usage failure for a command that is none."""
    sending = make_sending(reading, parse_patience(reading.timeout))
    output = reading.output
    return CommandOptions(verified(command), sending, output, writes=False, format=format_text)


def make_write(
    command: Mapping[str, object], writing: Writing, late: Mapping[str, Late] | None = None
) -> CommandOptions:
    """Return the options of a write; usage failure for a command that is none."""
    expected = parse_expectation(writing.expect)
    whole = command if expected is None else {**command, "expect": expected}
    wait_s = parse_patience(writing.timeout)
    sending = make_sending(writing, wait_s, dry_run=writing.dry_run)
    checked = whole if late else verified(whole)
    has_text = "text" in command
    return CommandOptions(checked, sending, writing.output, late=late or {}, has_text=has_text)


def make_sending(calling: Calling, wait_s: int | None = None, *, dry_run: bool = False) -> Sending:
    """Return how a command goes out; ``wait_s`` is None to wait for its end."""
    if calling.no_wait and wait_s is not None:
        raise Failure("usage", "--no-wait and --timeout are both given", "give one of the two")
    if calling.command_id is not None and not calling.command_id:
        raise Failure("usage", "--id is empty", "an id has 1 to 128 characters")
    waited_s = 0 if calling.no_wait else wait_s
    return Sending(calling.name, calling.command_id or "", waited_s, dry_run)


def parse_patience(text: str | None) -> int | None:
    """Return for how many whole seconds an answer is waited for, None for its end."""
    return None if text is None else parse_number("--timeout", text, 1, LONGEST_WAIT_S)


def parse_expectation(text: str | None) -> dict[str, object] | None:
    """Return the expectation that ``WHAT=VALUE`` names."""
    if text is None:
        return None
    what, equals, value = text.partition("=")
    if what not in EXPECTED or not equals or not value:
        hint = "write url=URL, text=TEXT, gone=TEXT or state=STATE"
        raise Failure("usage", "--expect is no expectation", hint)
    return {what: verify_text(value)}


def verified(command: Mapping[str, object]) -> Mapping[str, object]:
    """Return a command that the daemon will take; a usage failure says why it would not."""
    try:
        parse_command(command)
    except Failure as failure:
        raise Failure("usage", failure.message, _hint_here(failure.hint, command)) from None
    return command


def _hint_here(hint: str, command: Mapping[str, object]) -> str:
    """Return a hint for who wrote the verb, and not the request that came of it."""
    if PROTOCOL_PAGE not in hint:
        return hint
    kind = str(command["type"])
    return f'"understudy {OTHER_NAMES.get(kind, kind)} --help" shows how it is used'
