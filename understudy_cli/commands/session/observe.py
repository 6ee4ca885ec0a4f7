"""``session observe``: record the page's state, then capture the one observation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.session.delivery import PRIVATE
from understudy_cli.commands.session.replies import format_reply

if TYPE_CHECKING:
    from protocol.commandline import Host
    from understudy_cli.commands.session.delivery import Delivery
    from understudy_cli.commands.session.naming import SessionName
    from understudy_cli.render import Output


@dataclass(frozen=True)
class ObserveOptions:
    """An observation, with the caller's own digest or the state that we record."""

    session: SessionName
    sequence: int
    delivery: Delivery
    pre_observation: str | None = None
    """The caller's digest of what it looked at itself; None: our state document's."""
    state: str | None = None
    """The file that the state document is written to."""

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.delivery.output

    @property
    def writes(self) -> bool:
        """An observation moves the session on."""
        return True

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.session.ask

    async def run(self, host: Host) -> int:
        """Make sure of the files, record the state unless given, observe, deliver."""
        proof_id = await self.session.find_evidence(host, "observe")
        await self.delivery.prepare(host)
        digest = self.pre_observation
        if digest is None:
            digest = await record_state(host, proof_id, self.state)
        params = {
            "proof_id": proof_id,
            "sequence": self.sequence,
            "pre_observation_sha256": digest,
        }
        reply = await host.call("session.observe", params)
        rest = await self.delivery.deliver(host, reply)
        return await self.output.report(host, rest, format_reply(rest))


async def record_state(host: Host, proof_id: str, path: str | None) -> str:
    """Return the digest of the session's state document; write its bytes to ``path``."""
    if path is not None:
        await host.prepare(path)
    data = await fetch_state(host, proof_id)
    if path is not None:
        await host.write(path, data, PRIVATE)
    return hashlib.sha256(data).hexdigest()


async def fetch_state(host: Host, proof_id: str) -> bytes:
    """Return the bytes of the session's state document."""
    reply = await host.call("session.state", {"proof_id": proof_id})
    document = reply.get("stateJson")
    if not isinstance(document, str):
        raise Failure("internal", "the daemon's answer holds no state", "look into the log")
    return document.encode()
