"""``client.add``, ``client.list`` and ``client.remove``.

Naming clients is the owner's business: a caller that shows a client token may
list them, but neither make nor remove one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from daemon.dispatch import verify_fields
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.clients import Clients
    from daemon.dispatch import Caller, Handler, Params, Reply


def routes(clients: Clients) -> Mapping[str, Handler]:
    """Return the methods over one installation's clients."""

    async def add(params: Params, caller: Caller) -> Reply:
        name = _verified_name(params, caller)
        return {"ok": True, "name": name, "token": clients.add(name)}

    async def list_(params: Params, _: Caller) -> Reply:
        verify_fields(params, {}, {})
        return {"ok": True, "clients": [{"name": name} for name in clients.names()]}

    async def remove(params: Params, caller: Caller) -> Reply:
        name = _verified_name(params, caller)
        clients.remove(name)
        return {"ok": True, "name": name}

    return {"client.add": add, "client.list": list_, "client.remove": remove}


def _verified_name(params: Params, caller: Caller) -> str:
    if caller.actor.client is not None:
        raise Failure(
            "actor",
            "a caller with a client token neither makes nor removes clients",
            "run it without UNDERSTUDY_CLIENT_TOKEN_FILE",
        )
    verify_fields(params, {"name": str}, {})
    return str(params["name"])
