"""``session pipe``: one raw request a line in, one reply a line out, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.session.requests import failure_of
from understudy_cli.exits import DONE, exit_of
from understudy_cli.render import Output, encode_object

if TYPE_CHECKING:
    from protocol.commandline import Host

LINE_LIMIT_BYTES = 1 << 20
"""Longest line that is read; a longer one ends the pipe, since its end is unknown."""


@dataclass(frozen=True)
class PipeOptions:
    """Requests from stdin until its end; a failed one does not stop the next."""

    output: Output

    @property
    def writes(self) -> bool:
        """The requests may change sessions."""
        return True

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy session list"

    async def run(self, host: Host) -> int:
        """Answer each line; return the exit code of the first failure, 0 without one."""
        first = DONE
        while True:
            try:
                line = await host.read_line(LINE_LIMIT_BYTES)
            except Failure as failure:
                await host.out(encode_object({"ok": False, "error": failure.body()}))
                return first or exit_of(failure.code)
            if line is None:
                return first
            if line.strip():
                answered = await _answer(host, line)
                first = first or answered


async def _answer(host: Host, line: bytes) -> int:
    reply = await host.request(line)
    await host.out(encode_object(reply))
    return DONE if reply.get("ok") is True else exit_of(failure_of(reply).code)
