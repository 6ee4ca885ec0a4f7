"""``screenshot``: the picture goes to a file of the caller's, the rest is the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy_cli.commands.session.delivery import PRIVATE, decode_picture
from understudy_cli.commands.session.replies import format_frame
from understudy_cli.render import members_of

if TYPE_CHECKING:
    from protocol.commandline import Host
    from understudy_cli.commands.everyday.running import CommandOptions
    from understudy_cli.render import Output


@dataclass(frozen=True)
class PictureOptions:
    """A screenshot, and the file that it is written to."""

    taking: CommandOptions
    path: str
    writes = False

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.taking.output

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.taking.ask

    async def run(self, host: Host) -> int:
        """Make sure of the file, take the picture, write it."""
        await host.prepare(self.path)
        reply = await self.taking.call(host)
        frame = members_of(reply, "result")
        await host.write(self.path, decode_picture(frame), PRIVATE)
        rest = {name: value for name, value in frame.items() if name != "pngBase64"}
        told = {**reply, "result": {**rest, "file": self.path}}
        return await self.output.report(host, told, f"picture {format_frame(rest)}\n")
