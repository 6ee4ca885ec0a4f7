"""``understudy workspace``: one fenced tab of its own, made before its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from protocol.untrusted import escape_line
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions, given
from understudy_cli.commands.parameters import examples, make_output, parse_number
from understudy_cli.quoting import quote_page_text
from understudy_cli.render import format_facts, format_members

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = ("workspaceId", "displayId", "captureGeneration", "holder", "phase")
SESSION_KIND = "bounded_cu"
"""The kind of holder that an evidence session asks for."""

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Make a tab before its session, give it a holder, look at it, close it.",
    epilog=examples(
        "understudy workspace create --url https://example.com --holder attempt-1",
        "understudy workspace list",
    ),
)

WorkspaceId = Annotated[
    str, typer.Argument(metavar="WORKSPACE_ID", help='The workspace: "bw-" and 32 hex digits.')
]
HolderKind = Annotated[
    str | None,
    typer.Option("--holder-kind", metavar="KIND", help=f"The holder's kind ({SESSION_KIND})."),
]


@commands.command(
    epilog=examples(
        "understudy workspace create --url https://example.com --holder attempt-1",
        "understudy workspace create --display 120 --viewport 1024x768 --get workspace.workspaceId",
    )
)
def create(
    display: Annotated[
        str | None,
        typer.Option("--display", metavar="N", help="On this display (default: a new one)."),
    ] = None,
    url: flags.Url = None,
    origin: flags.Origins = None,
    viewport: flags.Viewport = None,
    holder: Annotated[
        str | None,
        typer.Option("--holder", metavar="ID", help="Who may begin a session: the attempt's id."),
    ] = None,
    holder_kind: HolderKind = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> CallOptions:
    """Start a browser with one tab, fenced to its origins, and load the page.

    A session binds it by its ids: "session begin --workspace --display --generation --attempt",
    where the attempt is the workspace's holder.
    """
    params = given(
        display_id=None if display is None else parse_number("--display", display, 1, 2**31 - 1),
        url=url,
        origins=origin,
        viewport=viewport,
        holder=holder,
        holder_kind=holder_kind,
    )
    return CallOptions(
        "workspace.create",
        make_output(as_json, field),
        format_workspace,
        params,
        writes=True,
        ask="understudy workspace list",
        progress="starting the browser",
    )


@commands.command(epilog=examples("understudy workspace acquire $workspace --holder attempt-2"))
def acquire(
    workspace: WorkspaceId,
    holder: Annotated[
        str, typer.Option("--holder", metavar="ID", help="The new holder: the attempt's id.")
    ],
    holder_kind: HolderKind = None,
    force: Annotated[bool, typer.Option("--force", help="Take it from another holder.")] = False,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> CallOptions:
    """Make somebody the holder of a workspace; the same holder may ask again."""
    params = given(
        workspace_id=workspace, holder=holder, holder_kind=holder_kind, force=force or None
    )
    return CallOptions(
        "workspace.acquire",
        make_output(as_json, field),
        format_workspace,
        params,
        writes=True,
        ask="understudy workspace list",
    )


@commands.command("list", epilog=examples("understudy workspace list"))
def list_workspaces(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """List your workspaces."""
    return CallOptions("workspace.list", make_output(as_json, field), format_workspaces)


@commands.command(epilog=examples("understudy workspace state $workspace --get stateSha256"))
def state(
    workspace: WorkspaceId, as_json: flags.Json = False, field: flags.Get = None
) -> CallOptions:
    """Tell a workspace's page: url, title, loader id, viewport, and their digest.

    The digest is the SHA-256 of the state document's bytes (stateJson in the JSON answer).
    """
    return CallOptions(
        "workspace.state",
        make_output(as_json, field),
        format_state,
        {"workspace_id": workspace},
    )


@commands.command(epilog=examples("understudy workspace close $workspace"))
def close(
    workspace: WorkspaceId, as_json: flags.Json = False, field: flags.Get = None
) -> CallOptions:
    """Close a workspace and its browser; not while a session holds it."""
    return CallOptions(
        "workspace.close",
        make_output(as_json, field),
        lambda _: f"workspace {escape_line(workspace)} closed\n",
        {"workspace_id": workspace},
        writes=True,
        ask="understudy workspace list",
    )


def format_workspace(reply: Mapping[str, object]) -> str:
    """Return the facts of one workspace."""
    workspace = _member(reply, "workspace")
    url, origins = workspace.get("url"), workspace.get("origins")
    browser = workspace.get("browser")
    facts = [(column, workspace.get(column)) for column in COLUMNS]
    facts.append(("url", quote_page_text(url) if isinstance(url, str) else None))
    facts.append(("origins", " ".join(origins) if isinstance(origins, list) else None))
    facts.append(("browser", browser.get("version") if isinstance(browser, dict) else None))
    return format_facts(facts)


def format_workspaces(reply: Mapping[str, object]) -> str:
    """Return a table of workspaces."""
    return format_members(reply.get("workspaces"), COLUMNS)


def format_state(reply: Mapping[str, object]) -> str:
    """Return the facts of a state document; what the page wrote is quoted."""
    state_document = _member(reply, "state")
    facts = [(name, _shown(value)) for name, value in state_document.items()]
    return format_facts([*facts, ("stateSha256", reply.get("stateSha256"))])


def _shown(value: object) -> object:
    if isinstance(value, str):
        return quote_page_text(value)
    if isinstance(value, dict):
        return " ".join(f"{name} {part}" for name, part in value.items())
    return value


def _member(reply: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = reply.get(name)
    return value if isinstance(value, dict) else {}
