"""Who calls: known from the socket and the shown token, never from a request's body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class ActorDocument(TypedDict):
    """The ``actor`` member of replies and receipts."""

    kind: str
    principalId: str
    sessionId: None


@dataclass(frozen=True)
class Actor:
    """The uid at the other end of the socket, with the client whose token was shown."""

    uid: int
    client: str | None = None

    @property
    def principal_id(self) -> str:
        """``uid:N``, or ``uid:N/client:NAME``; two actors are the same when this is."""
        return f"uid:{self.uid}" + (f"/client:{self.client}" if self.client else "")

    def wire(self) -> ActorDocument:
        """Return the document that replies and receipts carry."""
        return {"kind": "local-process", "principalId": self.principal_id, "sessionId": None}
