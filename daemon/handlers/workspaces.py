"""``workspace.create``, ``acquire``, ``list``, ``state`` and ``close``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from daemon.dispatch import verify_fields
from daemon.fence import decide_origins
from daemon.tab import TabGone, TabSilent
from daemon.workspaces import BOUNDED_CU, Cleanup, Workspace, WorkspaceOrder, Workspaces
from protocol.canonical import digest_bytes, encode_canonical
from protocol.errors import Failure
from protocol.names import MAX_ATTEMPT_CHARACTERS, is_attempt_id, parse_name
from protocol.viewports import DEFAULT_VIEWPORT, parse_viewport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.tab import Tab

_CREATE = {"display_id": int, "url": str, "origins": list, "holder": str, "holder_kind": str}
_ACQUIRE = {"holder_kind": str, "force": bool}
_WORKSPACE = {"workspace_id": str}


def routes(workspaces: Workspaces, policy_origins: Sequence[str]) -> Mapping[str, Handler]:
    """Return the methods of workspaces."""
    handlers = WorkspaceHandlers(workspaces, policy_origins)
    return {
        "workspace.create": handlers.create,
        "workspace.acquire": handlers.acquire,
        "workspace.list": handlers.list,
        "workspace.state": handlers.state,
        "workspace.close": handlers.close,
    }


class WorkspaceHandlers:
    """Methods on the workspaces of the caller."""

    def __init__(self, workspaces: Workspaces, policy_origins: Sequence[str]) -> None:
        self._workspaces = workspaces
        self._policy_origins = policy_origins

    async def create(self, params: Params, caller: Caller) -> Reply:
        """``{display_id?, url?, origins?, viewport?, holder?, holder_kind?}`` -> workspace."""
        order = replace(parse_order(params, self._policy_origins), browser=caller.browser)
        made = await self._workspaces.create(caller.actor.principal_id, order)
        return {"ok": True, "workspace": made.wire()}

    async def acquire(self, params: Params, caller: Caller) -> Reply:
        """``{workspace_id, holder, holder_kind?, force?}`` -> ``{workspace}``."""
        verify_fields(params, {**_WORKSPACE, "holder": str}, _ACQUIRE)
        holder, kind = parse_holder(params)
        workspace = self._find(params, caller)
        self._workspaces.acquire(workspace, holder, kind, force=bool(params.get("force")))
        return {"ok": True, "workspace": workspace.wire()}

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{}`` -> ``{workspaces}``."""
        verify_fields(params, {}, {})
        mine = self._workspaces.list(caller.actor.principal_id)
        return {"ok": True, "workspaces": [workspace.wire() for workspace in mine]}

    async def state(self, params: Params, caller: Caller) -> Reply:
        """``{workspace_id}`` -> ``{state, stateSha256, stateJson}``; a pure read."""
        verify_fields(params, _WORKSPACE, {})
        return await read_state(self._find(params, caller).tab)

    async def close(self, params: Params, caller: Caller) -> Reply:
        """``{workspace_id}`` -> ``{workspace, cleanupComplete}``."""
        verify_fields(params, _WORKSPACE, {})
        workspace = self._find(params, caller)
        cleanup = await self._workspaces.close(workspace)
        complete = cleanup is Cleanup.DONE
        return {"ok": True, "workspace": workspace.wire(), "cleanupComplete": complete}

    def _find(self, params: Params, caller: Caller) -> Workspace:
        workspace_id = cast("str", params["workspace_id"])
        return self._workspaces.get(caller.actor.principal_id, workspace_id)


async def read_state(tab: Tab) -> Reply:
    """Return a page's state document, its digest and its canonical text.

    Raises Failure ``timed_out``, ``gone`` or ``busy``.
    """
    try:
        state = (await tab.read_state()).wire()
    except TabSilent as silent:
        raise Failure(
            "timed_out",
            f"The page did not tell its state in time: {silent}",
            "the page is busy or stands still; nothing was changed: try again",
            safe_to_retry=True,
        ) from silent
    except TabGone as gone:
        raise Failure("gone", str(gone), "close the workspace and create another") from gone
    text = encode_canonical(state)
    digest = digest_bytes(text.encode())
    return {"ok": True, "state": state, "stateSha256": digest, "stateJson": text}


def parse_order(params: Params, policy_origins: Sequence[str]) -> WorkspaceOrder:
    """Return what ``workspace.create`` asks for.

    Raises Failure ``invalid_request``, ``origin``, ``policy``.
    """
    rest = {name: value for name, value in params.items() if name != "viewport"}
    verify_fields(rest, {}, _CREATE)
    viewport = params.get("viewport")
    holder, kind = parse_holder(params)
    url = cast("str | None", params.get("url"))
    origins = decide_origins(url, _texts(params.get("origins") or []), policy_origins)
    return WorkspaceOrder(
        viewport=DEFAULT_VIEWPORT if viewport is None else parse_viewport(viewport),
        origins=origins,
        display_id=cast("int | None", params.get("display_id")),
        url=url,
        holder=holder,
        holder_kind=kind,
    )


def parse_holder(params: Params) -> tuple[str, str]:
    """Return holder and kind; without a holder both are empty."""
    holder, kind = params.get("holder"), params.get("holder_kind")
    if holder is None:
        if kind is not None:
            raise _refused("a holder kind needs a holder")
        return "", ""
    if not isinstance(holder, str) or not is_attempt_id(holder):
        raise _refused(
            f"a holder is 1 to {MAX_ATTEMPT_CHARACTERS} characters, none a control character"
        )
    return holder, parse_name(BOUNDED_CU if kind is None else cast("str", kind), "holder kind")


def _texts(values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _refused("origins is a list of texts")
    return values


def _refused(message: str) -> Failure:
    return Failure("invalid_request", message, 'see "man understudy-protocol" for its fields')
