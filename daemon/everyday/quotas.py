"""The quotas of one daemon: its buckets, and the limits that its owner set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from protocol.quotas import Buckets, Charge, Scope, charge_quotas, command_charges

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from daemon.clock import Clock
    from daemon.dispatch import Caller, Reply

_Asked = TypeVar("_Asked")


class Quotas:
    """Counts in memory: a minute is soon over. Without limits it counts nothing."""

    def __init__(self, limits: Mapping[str, int], clock: Clock) -> None:
        self.limits = limits
        self._clock = clock
        self._buckets = Buckets()

    def charge_command(self, principal: str, session_id: str, *, secret_fill: bool) -> None:
        """Count one command everywhere or nowhere. Raises Failure ``quota_exceeded``."""
        self._charge(command_charges(principal, session_id, secret_fill=secret_fill))

    def charge_session(self, principal: str) -> None:
        """Count one session. Raises Failure ``quota_exceeded``."""
        self._charge([Charge(Scope.SESSIONS_PER_ACTOR, principal)])

    def counted(
        self, handler: Callable[[_Asked, Caller], Awaitable[Reply]]
    ) -> Callable[[_Asked, Caller], Awaitable[Reply]]:
        """Return a handler that counts each call as one of its actor's requests first."""

        async def handle(asked: _Asked, caller: Caller) -> Reply:
            self._charge([Charge(Scope.REQUESTS_PER_ACTOR, caller.actor.principal_id)])
            return await handler(asked, caller)

        return handle

    def _charge(self, charges: Iterable[Charge]) -> None:
        now_ms = self._clock.utc_ms()
        self._buckets = charge_quotas(self._buckets, charges, self.limits, now_ms)
