r"""``batch``: commands from stdin, one grant, every step's result in order.

The commands are one JSON list, or one a line: as JSON objects, or as this command line
has them (``click k7e14``). All of them are read and understood before anything is sent.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, cast

import typer

from protocol.canonical import JsonRefused, digest, parse_json
from protocol.command_fields import MAX_BATCH, READS, TYPES, parse_batch
from protocol.errors import Failure
from protocol.untrusted import escape_line
from understudy_cli.commands.everyday.groups import Reading
from understudy_cli.commands.everyday.replies import fact_lines, format_page
from understudy_cli.commands.everyday.running import CommandOptions, make_sending, parse_patience
from understudy_cli.commands.everyday.tree import commands
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples
from understudy_cli.commands.session.requests import failure_of
from understudy_cli.exits import DONE, FAILED, NOT_STARTED, exit_of
from understudy_cli.render import encode_failure, members_of, objects_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.commandline import Host
    from understudy_cli.commands.everyday.running import Sending
    from understudy_cli.render import Output

BATCH_LIMIT_BYTES = 8 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class BatchOptions:
    """A batch whose commands come from stdin."""

    sending: Sending
    output: Output
    bail: bool
    writes = True

    @property
    def ask(self) -> str:
        """See Invocation. An id that the steps give is not known before they are read."""
        return self.sending.ask if self.sending.command_id else "understudy session log"

    async def run(self, host: Host) -> int:
        """Read and check everything, send, tell every step; the first failure's exit code."""
        steps = parse_steps(await host.read("-", BATCH_LIMIT_BYTES))
        sending = replace(self.sending, command_id=self.sending.command_id or id_of_steps(steps))
        params = {**await sending.params(host), "commands": steps, "bail": self.bail}
        try:
            reply = await host.call("command.batch", params)
        except Failure as failure:
            return await self._report_failed(host, failure)
        code = exit_of_steps(reply)
        if code == DONE:
            return await self.output.report(host, reply, format_steps(reply))
        await self.output.report(host, {**reply, "ok": False}, format_steps(reply))
        return code

    async def _report_failed(self, host: Host, failure: Failure) -> int:
        """Tell a batch that failed as a whole, with the steps it got to."""
        body = dict(failure.body())
        steps = format_steps(body)
        if steps and not (self.output.field or self.output.wants_json(host)):
            await host.out(steps.encode())
        return await self.output.report_failure(host, failure)


@commands.command(
    epilog=examples(
        "printf 'fill --label Name Ann\\nclick --text Save\\n' | understudy batch",
        "understudy batch --id order-7 < steps.json",
    )
)
@flagged
def batch(
    reading: Reading,
    no_bail: Annotated[
        bool, typer.Option("--no-bail", help="Go on after a step that failed.")
    ] = False,
) -> BatchOptions:
    """Do commands from standard input, in order, under one id.

    They are a JSON list of objects such as {"type":"click","target":{"ref":"k7e14"}}, or one
    command a line: such an object, or the words that follow "understudy". All are checked before
    the first is sent. It ends at the first step that fails; the exit code is that step's, but 13
    in place of 9 once a step has written: the batch as a whole is not safe to send again.

    A batch has one id: that of --id, or one made of its steps' ids when each step has an "id".
    Sent again under the same id, nothing is done twice and the first results are told. Only the
    batch's id makes that safe; a step's "id" names its result, and no two steps may share one.
    """
    sending = make_sending(reading, parse_patience(reading.timeout))
    return BatchOptions(sending, reading.output, bail=not no_bail)


def parse_steps(content: bytes) -> Sequence[Mapping[str, object]]:
    """Return the commands that stdin spells. Raises Failure ``invalid_request``."""
    try:
        text = content.removeprefix(_BOM).decode()
    except UnicodeDecodeError:
        raise _refused("what stdin holds is not UTF-8") from None
    if not text.strip():
        raise _refused("stdin holds no command")
    if text.lstrip().startswith("["):
        steps: object = _parse_json("the list", text)
    else:
        lines = enumerate(text.splitlines(), 1)
        steps = [_parse_line(number, line) for number, line in lines if line.strip()]
    parse_batch(steps)
    return cast("Sequence[Mapping[str, object]]", steps)


def id_of_steps(steps: Sequence[Mapping[str, object]]) -> str:
    """Return the id of a batch whose every step has one, empty for any other.

    The same steps sent again are then the same batch, and nothing is done twice.
    """
    ids = [step.get("id") for step in steps]
    if not all(ids):
        return ""
    return "steps-" + digest("understudy-batch-steps-v1", ids)[:32]


def exit_of_steps(reply: Mapping[str, object]) -> int:
    """Return the exit code of the first step that failed, 0 when none did.

    A step that may be tried again makes no batch that may be: what other steps wrote would be
    written twice. That is a failed action (13).
    """
    steps = objects_of(reply, "steps")
    for step in steps:
        if step.get("outcome") in ("failed", "unknown"):
            code = exit_of(failure_of(step).code) if step.get("error") else FAILED
            return FAILED if code == NOT_STARTED and any(map(_has_written, steps)) else code
    return FAILED if reply.get("status") == "failed" else DONE


def _has_written(step: Mapping[str, object]) -> bool:
    return step.get("outcome") != "not_run" and step.get("type") not in READS


def format_steps(reply: Mapping[str, object]) -> str:
    """Return one line for each step, what it found beneath it, and where the tab is."""
    lines = ["(done before; not done again)"] if reply.get("replayed") else []
    lines += [line for step in objects_of(reply, "steps") for line in _step_lines(step)]
    return "".join(f"{line}\n" for line in lines) + format_page(reply)


def _step_lines(step: Mapping[str, object]) -> list[str]:
    words = [str(step.get(name)) for name in ("index", "id", "type") if step.get(name) is not None]
    outcome = str(step.get("outcome", ""))
    words.append(str(step.get("status") or outcome) if outcome == "done" else outcome)
    lines = [" ".join(words)]
    if step.get("error"):
        failed = encode_failure(failure_of(step)).decode().replace("understudy: ", "error: ")
        lines += [f"  {line}" for line in failed.splitlines()]
        lines += [
            f"  {line}" for line in fact_lines({"seen": members_of(step, "error").get("seen")})
        ]
    found = members_of(step, "result")
    tree = found.get("diff", found.get("lines"))
    if not isinstance(tree, list):
        return lines + [f"  {line}" for line in fact_lines(found)]
    # indented more than any line of ours, so that none of them can be taken for one
    return lines + [f"    {escape_line(str(line))}" for line in tree]


def _parse_line(number: int, line: str) -> object:
    if line.lstrip().startswith("{"):
        return _parse_json(f"line {number}", line)
    try:
        words = shlex.split(line)
    except ValueError:
        raise _refused(f"line {number} has a quote that is not closed") from None
    return _parse_words(number, words)


def _parse_words(number: int, words: Sequence[str]) -> object:
    """Return the command that a line of words is, as the command line has it."""
    from understudy_cli.app import Reported, parse  # noqa: PLC0415 - the tree holds this command

    parsed = parse(words, width=80)
    if not isinstance(parsed, Reported):
        said = getattr(parsed, "err", "").partition("\n")[0].removeprefix("understudy: ")
        raise _refused(f"line {number}: {said or 'this is no command'}")
    options = parsed.options
    if not isinstance(options, CommandOptions):
        raise _not_held(number, "a batch cannot hold this command")
    if options.late:
        raise _not_held(number, "a batch's stdin holds its commands, and it reads no file")
    if options.sending.is_special:
        raise _refused(f"line {number} says how it is sent, which is said of the batch alone")
    return dict(options.command)


def _not_held(number: int, why: str) -> Failure:
    hint = (
        f"it holds JSON objects of the types {', '.join(TYPES)}, as in"
        ' {"type":"navigate","url":"https://shop.example/"}; nothing was sent'
    )
    return Failure("invalid_request", f"line {number}: {why}", hint)


def _parse_json(what: str, text: str) -> object:
    try:
        return parse_json(text, limit_bytes=BATCH_LIMIT_BYTES, floats=True)
    except JsonRefused as failure:
        raise _refused(f"{what} is not JSON, or is cut off ({failure.message})") from None


def _refused(message: str) -> Failure:
    hint = f"a JSON list of 1 to {MAX_BATCH} commands, or one command a line; nothing was sent"
    return Failure("invalid_request", message, hint)
