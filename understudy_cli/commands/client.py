"""``understudy client``: programs that act under a name of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions
from understudy_cli.commands.parameters import examples, make_output
from understudy_cli.render import Output, format_members

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host

TOKEN_VARIABLE = "UNDERSTUDY_CLIENT_TOKEN_FILE"  # noqa: S105 - the variable's name, no token
PRIVATE = 0o600
_STREAMS = ("/dev/", "/proc/")
"""What lies below is written to as it is; nothing is kept there."""

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Give programs names of their own: none can touch another's sessions.",
    epilog=examples("understudy client add nightly --token-file nightly.token"),
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The client's name.")]


@dataclass(frozen=True)
class AddOptions:
    """A new client, and the file that its token goes to."""

    name: str
    output: Output
    token_file: str | None = None

    @property
    def writes(self) -> bool:
        """A client is made."""
        return True

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy client list"

    async def run(self, host: Host) -> int:
        """Make sure of the file, register, and hand the token out for the only time."""
        if self.token_file is not None:
            await _verify_new(host, self.token_file)
            await host.prepare(self.token_file)
        reply = await host.call("client.add", {"name": self.name})
        if self.token_file is None:
            return await self.output.report(host, reply, f"{reply.get('token')}\n")
        rest = {name: value for name, value in reply.items() if name != "token"}
        await self._keep(host, f"{reply.get('token')}\n".encode(), self.token_file)
        return await self.output.report(host, rest, "")

    async def _keep(self, host: Host, token: bytes, path: str) -> None:
        try:
            await host.write(path, token, PRIVATE)
        except Failure:
            await host.call("client.remove", {"name": self.name})
            raise


async def _verify_new(host: Host, path: str) -> None:
    """Raise Failure for a file that is there: a token in it has no other copy anywhere."""
    if path.startswith(_STREAMS):
        return
    try:
        await host.resolve(path)
    except Failure as failure:
        if failure.code == "no_such_file":
            return
        raise
    raise Failure(
        "unwritable_file",
        f"{path} is there already, and a token in it would be lost",
        "name a file that is not there, or remove this one first",
    )


@commands.command(
    epilog=examples(
        "understudy client add nightly --token-file nightly.token",
        f"{TOKEN_VARIABLE}=nightly.token understudy session list",
    )
)
def add(
    name: Name,
    token_file: Annotated[
        str | None,
        typer.Option("--token-file", metavar="FILE", help="Write the token to FILE (0600)."),
    ] = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> AddOptions:
    """Register a client; its token is shown once, or written to a private file.

    Whoever calls with UNDERSTUDY_CLIENT_TOKEN_FILE naming the token's file acts as this client,
    and receipts name it.
    """
    return AddOptions(name, make_output(as_json, field), token_file)


@commands.command("list", epilog=examples("understudy client list"))
def list_clients(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """List the clients' names."""
    return CallOptions("client.list", make_output(as_json, field), format_clients)


@commands.command(epilog=examples("understudy client remove nightly"))
def remove(name: Name, as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """Forget a client: its token is good no longer."""
    return CallOptions(
        "client.remove",
        make_output(as_json, field),
        lambda _: "",
        {"name": name},
        writes=True,
        ask="understudy client list",
    )


def format_clients(reply: Mapping[str, object]) -> str:
    """Return one line for each client."""
    return format_members(reply.get("clients"), ("name",), heading=False)
