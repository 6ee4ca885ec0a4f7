"""``display.create``, ``display.list`` and ``display.destroy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from daemon.dispatch import verify_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.displays import Displays

_RANGE = {"min_display_id": int, "max_display_id": int}


def routes(displays: Displays) -> Mapping[str, Handler]:
    """Return the methods of displays."""
    handlers = DisplayHandlers(displays)
    return {
        "display.create": handlers.create,
        "display.list": handlers.list,
        "display.destroy": handlers.destroy,
    }


class DisplayHandlers:
    """Methods on the displays of the caller."""

    def __init__(self, displays: Displays) -> None:
        self._displays = displays

    async def create(self, params: Params, caller: Caller) -> Reply:
        """``{min_display_id?, max_display_id?}`` -> ``{display}``."""
        verify_fields(params, {}, _RANGE)
        display = self._displays.create(
            caller.actor.principal_id,
            minimum=cast("int | None", params.get("min_display_id")),
            maximum=cast("int | None", params.get("max_display_id")),
        )
        return {"ok": True, "display": display.wire()}

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{}`` -> ``{displays}``."""
        verify_fields(params, {}, {})
        mine = self._displays.list(caller.actor.principal_id)
        return {"ok": True, "displays": [display.wire() for display in mine]}

    async def destroy(self, params: Params, caller: Caller) -> Reply:
        """``{display_id}`` -> ``{display}``, as it was."""
        verify_fields(params, {"display_id": int}, {})
        number = cast("int", params["display_id"])
        display = self._displays.destroy(caller.actor.principal_id, number)
        return {"ok": True, "display": display.wire()}
