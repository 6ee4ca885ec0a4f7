"""Commands that are one call of one daemon method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from understudy_cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.commandline import Host
    from understudy_cli.render import Output

    Format = Callable[[Mapping[str, object]], str]


@dataclass(frozen=True)
class CallOptions:
    """A method with its parameters, and the text for its success."""

    method: str
    output: Output
    format: Format
    params: Mapping[str, object] = field(default_factory=dict)
    writes: bool = False
    ask: str = "understudy daemon status"
    progress: str = ""
    """What a person is shown while it takes long; nothing when empty."""

    async def run(self, host: Host) -> int:
        """Call, and answer."""
        async with progress(host, self.progress):
            reply = await host.call(self.method, self.params)
        return await self.output.report(host, reply, self.format(reply))


def given(**values: object) -> dict[str, object]:
    """Return those parameters that were given: not None, and no empty list."""
    return {name: value for name, value in values.items() if value is not None and value != []}
