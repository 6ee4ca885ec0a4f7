"""How a reply or a failure leaves: short text, one JSON object, or one field of it.

stdout carries results only. In text mode failures go to stderr; usage errors
always go to stderr alone. A character that UTF-8 cannot carry (a lone surrogate)
becomes U+FFFD.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.untrusted import escape_line
from understudy_cli.exits import DONE, PENDING, UNKNOWN, USAGE, exit_of
from understudy_cli.quoting import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.commandline import Host

_TOLD = ("seen", "dialog")
"""Members of a failure's body, beyond those of each, that a person is shown too."""
OUTPUT_VARIABLE = "UNDERSTUDY_OUTPUT"
_TURNING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


OUTPUT_FORMS = ("json", "text", "")


def verify_output_variable(host: Host) -> None:
    """Raise a usage failure for a form of output that there is not: a script relies on it."""
    if host.environment.get(OUTPUT_VARIABLE, "") not in OUTPUT_FORMS:
        raise Failure(
            "usage",
            f"{OUTPUT_VARIABLE} names a form of output that there is not",
            f'set {OUTPUT_VARIABLE} to "json" or "text", or unset it',
        )


def encode_text(text: str) -> bytes:
    """Return valid UTF-8, lone surrogates replaced by U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def encode_object(value: object) -> bytes:
    """Return one JSON value as one line, whatever a reader takes for a line's end.

    Characters that end a line, control a terminal or turn the direction of text are escaped.
    """
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return encode_text(_TURNING.sub(lambda one: f"\\u{ord(one[0]):04x}", line) + "\n")


def encode_failure(failure: Failure) -> bytes:
    """Return a failure as the lines that a person reads on stderr."""
    lines = [f"understudy: {escape_line(failure.message)}"]
    if failure.hint:
        lines.append(f"hint: {escape_line(failure.hint)}")
    lines += _detail_lines({**failure.body()}, failure.code)
    return encode_text("".join(line + "\n" for line in lines))


def _detail_lines(body: Mapping[str, object], code: str) -> Iterator[str]:
    for name in _TOLD:
        if body.get(name):
            yield f"{name}: {show_value(body[name])}"
    if body.get("pageErrors"):
        yield f"page errors: {show_value(body['pageErrors'])}; see understudy session log --page"
    if exit_of(code) in (UNKNOWN, PENDING) and body.get("commandId"):
        yield f"command: {show_value(body['commandId'])}"


def format_facts(facts: Sequence[tuple[str, object]]) -> str:
    """Return aligned ``name  value`` lines; facts whose value is None are left out.

    A value that could leave its line is escaped.
    """
    known = [(name, _line(str(value))) for name, value in facts if value is not None]
    width = max((len(name) for name, _ in known), default=0)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in known)


def format_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows in columns two spaces apart, without trailing blanks."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "".join(line.rstrip() + "\n" for line in lines)


def format_members(members: object, columns: Sequence[str], *, heading: bool = True) -> str:
    """Return a table of a reply's list of objects, or nothing when it is empty."""
    if not isinstance(members, list) or not members:
        return ""
    rows = [[_format_cell(member, column) for column in columns] for member in members]
    return format_table([columns, *rows] if heading else rows)


def _format_cell(member: object, column: str) -> str:
    value = member.get(column) if isinstance(member, dict) else None
    return "-" if value is None else _line(str(value))


def _line(text: str) -> str:
    """Return text that stays on its line; text that was escaped before is left alone."""
    return text if text.isprintable() else escape_line(text)


def members_of(value: object, name: str) -> Mapping[str, object]:
    """Return a member that is an object; an empty one when it is none."""
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def objects_of(value: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    """Return the objects of a member that is a list; none when it is none."""
    members = value.get(name)
    return [one for one in members if isinstance(one, dict)] if isinstance(members, list) else []


def parse_field(text: str) -> tuple[str, ...]:
    """Return the members that a dotted path names; a usage failure for an empty one."""
    members = tuple(text.split("."))
    if not all(members):
        raise Failure(
            "usage",
            f"--get {text!r} is no field",
            'name a member of the JSON answer, with dots for deeper ones: "--get frame.sha256"',
        )
    return members


def select_field(reply: object, members: Sequence[str]) -> object:
    """Return the value at a path of members and list positions; KeyError when absent."""
    value = reply
    for member in members:
        if isinstance(value, dict):
            value = value[member]
        elif isinstance(value, list) and member.isdecimal() and int(member) < len(value):
            value = value[int(member)]
        else:
            raise KeyError(member)
    return value


def list_fields(reply: Mapping[str, object], members: Sequence[str]) -> str:
    """Return the paths that go on from as much of a path as leads somewhere."""
    value: object = reply
    known: list[str] = []
    for member in members:
        try:
            value = select_field(value, [member])
        except KeyError:
            break
        known.append(member)
    path = "".join(f"{member}." for member in known)
    if isinstance(value, dict) and value:
        return ", ".join(f"{path}{name}" for name in value)
    if isinstance(value, list) and value:
        return f"{path}0" if len(value) == 1 else f"{path}0 to {path}{len(value) - 1}"
    return f"nothing below {'.'.join(known)}"


def format_field(value: object) -> str:
    """Return a selected value as one line: strings as they are, the rest as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Output:
    """How the caller wants the answer; ``--json`` and ``--get`` of every command."""

    as_json: bool = False
    field: tuple[str, ...] = ()

    def wants_json(self, host: Host) -> bool:
        """Return whether the whole answer is to be one JSON object."""
        return self.as_json or host.environment.get(OUTPUT_VARIABLE) == "json"

    async def report(self, host: Host, reply: Mapping[str, object], text: str) -> int:
        """Print a success: one field, the object, or ``text``. Return 0."""
        if self.field:
            await self._report_field(host, reply)
        elif self.wants_json(host):
            await host.out(encode_object(reply))
        elif text:
            await host.out(encode_text(text))
        return DONE

    async def _report_field(self, host: Host, reply: Mapping[str, object]) -> None:
        try:
            line = format_field(select_field(reply, self.field))
        except KeyError:
            raise Failure(
                "no_such_field",
                f"the answer has no field {'.'.join(self.field)}; the command itself was done",
                f"there is: {list_fields(reply, self.field)}",
            ) from None
        await host.out(encode_text((escape_line(line) if host.stdout_tty else line) + "\n"))

    async def report_failure(self, host: Host, failure: Failure) -> int:
        """Print a failure where it belongs, and return its exit code."""
        return await self.report_error(host, failure, {"ok": False, "error": failure.body()})

    async def report_error(self, host: Host, failure: Failure, reply: Mapping[str, object]) -> int:
        """Print a failed reply that was received whole, and return its exit code."""
        exit_code = exit_of(failure.code)
        if failure.code == "usage":
            await host.err(encode_failure(failure))
            return USAGE
        if self.field:
            await self._report_error_field(host, reply)
        elif self.wants_json(host):
            await host.out(encode_object(reply))
            return exit_code
        await host.err(encode_failure(failure))
        return exit_code

    async def _report_error_field(self, host: Host, reply: Mapping[str, object]) -> None:
        if self.field[0] not in ("ok", "error"):
            return
        try:
            line = format_field(select_field(reply, self.field))
        except KeyError:
            return
        await host.out(encode_text(line + "\n"))
