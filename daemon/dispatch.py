"""From a method's name to its handler, the same for both doors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    from protocol.actors import Actor

Params = Mapping[str, object]
Reply = dict[str, object]


@dataclass(frozen=True)
class Caller:
    """On whose behalf a handler works: taken from the socket, never from params.

    ``browser`` is the one that the caller's environment names, "" for none.
    """

    actor: Actor
    browser: str = ""


Handler = Callable[[Params, Caller], Awaitable[Reply]]
"""One method. Returns the whole reply (``ok`` true); raises Failure."""

RequestHandler = Callable[[bytes, Caller], Awaitable[Reply]]
"""The raw evidence request: bytes as the caller wrote them. Raises Failure."""


class MethodUnknown(Failure):
    """No handler has this name."""

    def __init__(self) -> None:
        super().__init__(
            "invalid_request",
            "this method is not offered",
            'the methods are listed in "man understudy-protocol"',
        )


class Dispatcher:
    """Routes calls by name; the handlers themselves decide what an actor may see."""

    def __init__(self, routes: Mapping[str, Handler], request: RequestHandler) -> None:
        self._routes = dict(routes)
        self._request = request

    async def call(self, actor: Actor, method: str, params: Params, *, browser: str = "") -> Reply:
        """Return the reply of one method; raises Failure (`MethodUnknown` for no such)."""
        handler = self._routes.get(method)
        if handler is None:
            raise MethodUnknown
        return await handler(params, Caller(actor, browser))

    async def request(self, actor: Actor, raw: bytes, *, browser: str = "") -> Reply:
        """Return the reply to one raw evidence request; a failure is a reply too."""
        try:
            return await self._request(raw, Caller(actor, browser))
        except Failure as failure:
            return {"ok": False, "error": failure.body()}


def join_routes(*parts: Mapping[str, Handler]) -> dict[str, Handler]:
    """Return one table; two handlers of one name are a mistake of ours (ValueError)."""
    joined: dict[str, Handler] = {}
    for part in parts:
        twice = joined.keys() & part.keys()
        if twice:
            raise ValueError(f"two handlers for {', '.join(sorted(twice))}")
        joined.update(part)
    return joined


def verify_fields(
    params: Params, required: Mapping[str, type], optional: Mapping[str, type]
) -> None:
    """Raise Failure ``invalid_request`` unless params has these fields, of these types, only.

    A boolean is no integer; an optional field may be null.
    """
    for name in required:
        if name not in params:
            raise _field_failure(f"the field {name} is missing")
    for name, value in params.items():
        kind = required.get(name) or optional.get(name)
        if kind is None:
            raise _field_failure("params has a field that this method does not know")
        if not (type(value) is kind or (value is None and name in optional)):
            raise _field_failure(f"the field {name} is not of type {kind.__name__}")


def _field_failure(message: str) -> Failure:
    return Failure("invalid_request", message, 'see "man understudy-protocol" for its fields')
