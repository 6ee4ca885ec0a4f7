"""``poll``: what became of a command that was sent before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from understudy_cli.commands.everyday.groups import Answering
from understudy_cli.commands.everyday.replies import format_state
from understudy_cli.commands.everyday.tree import commands
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples
from understudy_cli.exits import DONE, FAILED, NOT_STARTED, PENDING, UNKNOWN, exit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from understudy_cli.render import Output

EXIT_OF_STATE = {
    "preparing": PENDING,
    "granted": PENDING,
    "completed": DONE,
    "not_started": NOT_STARTED,
    "timed_out": NOT_STARTED,
    "unknown": UNKNOWN,
}


@dataclass(frozen=True)
class PollOptions:
    """A command by its id, in any session of the caller's unless one is named."""

    command_id: str
    session_id: str
    output: Output
    writes = False
    ask = "understudy session list"

    async def run(self, host: Host) -> int:
        """Ask, tell, and exit as the command itself would."""
        params = {"command_id": self.command_id}
        if self.session_id:
            params["session_id"] = self.session_id
        reply = await host.call("command.poll", params)
        await self.output.report(host, reply, format_state(reply))
        return exit_of_state(reply)


@commands.command(epilog=examples("understudy poll order-7", "understudy poll order-7 --get state"))
@flagged
def poll(
    answering: Answering,
    command_id: Annotated[str, typer.Argument(metavar="ID", help="The command's id.")],
) -> PollOptions:
    """Tell what became of a command; never does it again.

    The exit code is the command's own: 0 done, 5 still running, 4 unknown, 9 not started and
    safe to send again, or that of its failure.
    """
    return PollOptions(command_id, answering.name.session_id, answering.output)


def exit_of_state(reply: Mapping[str, object]) -> int:
    """Return the exit code of a command as it stands."""
    code = EXIT_OF_STATE.get(str(reply.get("state")), FAILED)
    if code != DONE or reply.get("status") != "failed":
        return code
    return exit_of(str(reply["code"])) if reply.get("code") else FAILED
