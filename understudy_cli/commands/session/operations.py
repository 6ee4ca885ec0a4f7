"""Operations on a session that exists: actions, freeze, finish, close, abort, status."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from understudy_cli.commands.session.replies import format_end, format_reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from understudy_cli.commands.session.delivery import Delivery
    from understudy_cli.commands.session.naming import SessionName
    from understudy_cli.documents import Document
    from understudy_cli.render import Output

ENDING = ("close", "abort")


@dataclass(frozen=True)
class OperationOptions:
    """One operation: its literal fields, and those that hold a document."""

    verb: str
    session: SessionName
    delivery: Delivery
    fields: Mapping[str, object] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.delivery.output

    @property
    def writes(self) -> bool:
        """Every operation but status changes the session."""
        return self.verb != "status"

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.session.ask

    def within(self, session: SessionName) -> OperationOptions:
        """Return the same operation on this session."""
        return replace(self, session=session)

    async def run(self, host: Host) -> int:
        """Read the documents, make sure of the files, call, deliver."""
        params = {"proof_id": await self.session.find_evidence(host, self.verb), **self.fields}
        for name, document in self.documents.items():
            params[name] = await document.read_text(host)
        await self.delivery.prepare(host)
        reply = await host.call(f"session.{self.verb}", params)
        rest = await self.delivery.deliver(host, reply)
        text = format_end(rest) if self.verb in ENDING else format_reply(rest)
        return await self.output.report(host, rest, text)
