"""A session that one command holds from begin to close, keeping count itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.errors import PROOF_PREFIX, Failure
from understudy_cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host

_ENDED = {PROOF_PREFIX + name for name in ("closed", "expired", "not-found")}


class HeldSession:
    """A session with the sequence that its next operation must carry."""

    def __init__(self, host: Host, begun: Mapping[str, object]) -> None:
        """Take over from the reply to a begin."""
        self._host = host
        self.proof_id = str(begun["proofId"])
        self._sequence = begun["sequence"]

    async def do(self, verb: str, doing: str, **fields: object) -> dict[str, object]:
        """Do one operation, and keep the sequence of its reply. Raise its Failure."""
        params = {"proof_id": self.proof_id, "sequence": self._sequence, **fields}
        async with progress(self._host, doing):
            reply = await self._host.call(f"session.{verb}", params)
        self._sequence = reply["sequence"]
        return reply

    async def give_up(self, failure: Failure) -> Failure:
        """Abort, and return the failure with what became of the session."""
        try:
            await self.do("abort", "aborting")
        except Failure as refused:
            ended = refused.code in _ENDED
            fate = "had ended by then" if ended else f"could not be aborted ({refused.message})"
            return self._with_fate(failure, fate)
        return self._with_fate(failure, "was aborted")

    def _with_fate(self, failure: Failure, fate: str) -> Failure:
        message = f"{failure.message}; session {self.proof_id} {fate}, and there is no receipt"
        return Failure(failure.code, message, failure.hint)
