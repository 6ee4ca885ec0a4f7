"""``open``, and ``session begin`` without a job: a session that lasts for hours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.command_failures import CommandFailed
from protocol.errors import Failure
from protocol.leases import SessionGone
from protocol.origins import parse_origin, verify_allowed
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import given
from understudy_cli.commands.everyday.groups import Writing
from understudy_cli.commands.everyday.replies import format_session
from understudy_cli.commands.everyday.running import make_write
from understudy_cli.commands.everyday.tree import commands
from understudy_cli.commands.everyday.words import verify_text
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples
from understudy_cli.commands.session.naming import SESSION_VARIABLE, remember, verify_lasting
from understudy_cli.progress import progress
from understudy_cli.render import members_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.commandline import Host
    from understudy_cli.commands.everyday.running import CommandOptions
    from understudy_cli.render import Output

OnDialog = Annotated[
    str | None,
    typer.Option(
        "--on-dialog",
        metavar="POLICY",
        help="ask (default: held 30 s for dialog accept), accept, dismiss, or default.",
    ),
]
Downloads = Annotated[
    bool, typer.Option("--downloads", help="Let the page's downloads be kept; see download.")
]


@dataclass(frozen=True)
class BeginOptions:
    """An unattended session; ``fields`` are those of ``session.open``."""

    fields: Mapping[str, object]
    output: Output
    writes = True
    ask = "understudy session list"

    async def run(self, host: Host) -> int:
        """Begin; the session is from then on the one last begun from here."""
        try:
            async with progress(host, "starting the browser"):
                reply = await host.call("session.open", self.fields)
        except CommandFailed as failure:
            if "sessionId" in failure.details:  # what comes next is not meant for an older one
                await remember(host, failure.details["sessionId"])
            raise
        await remember(host, members_of(reply, "session").get("sessionId"))
        return await self.output.report(host, reply, format_session(reply))


@dataclass(frozen=True)
class OpenOptions:
    """A page: in the session that is meant, or in a new one when none is."""

    going: CommandOptions
    beginning: BeginOptions
    origins: Sequence[str] = ()
    fixed: Sequence[str] = field(default=())
    """The flags given that only a beginning can heed."""
    new: bool = False
    writes = True

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.going.output

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.going.ask

    async def run(self, host: Host) -> int:
        """Find the session; go there in it, or begin one."""
        session_id = "" if self.new else await self.going.sending.session.look(host)
        if not session_id:
            return await self.beginning.run(host)
        verify_lasting(session_id)
        try:
            held = await _origins_of(host, session_id)
        except SessionGone as gone:
            if not gone.never_opened or self._is_named(host):
                raise
            return await self.beginning.run(host)
        if self.fixed:
            raise Failure(
                "usage",
                f"{', '.join(self.fixed)} can only be said when a session begins,"
                f" and {session_id} is there already",
                '"understudy open --new" begins another one',
            )
        self._verify_origins(held)
        return await self.going.run(host)

    def _is_named(self, host: Host) -> bool:
        """Whether the caller says which session is meant, not the place."""
        named = self.going.sending.session.session_id
        return bool(named or host.environment.get(SESSION_VARIABLE))

    def _verify_origins(self, held: Sequence[str]) -> None:
        """Refuse here what the session would refuse, naming origin and flag."""
        url = str(self.going.command["url"])
        try:
            for address in (url, *self.origins):
                verify_allowed(held, address)
        except Failure as failure:
            if failure.code != "origin":
                raise  # no session would take this address
            named = f"{failure.hint} Another session: understudy open --new URL"
            raise Failure(failure.code, failure.message, named) from None


async def _origins_of(host: Host, session_id: str) -> list[str]:
    reply = await host.call("session.status", {"session_id": session_id})
    known = members_of(reply, "session").get("origins")
    return [str(origin) for origin in known] if isinstance(known, list) else []


@commands.command(
    "open",
    epilog=examples(
        "understudy open https://shop.example/",
        "understudy open http://app:3000/ --origin http://app:3000",
        "understudy open https://shop.example/ --new --viewport 1024x768",
    ),
)
@flagged
def open_page(
    writing: Writing,
    url: Annotated[str, typer.Argument(metavar="URL", help="The page's address.")],
    new: Annotated[
        bool, typer.Option("--new", help="Begin a session even if there is one.")
    ] = False,
    origin: flags.Origins = None,
    viewport: flags.Viewport = None,
    on_dialog: OnDialog = None,
    downloads: Downloads = False,
) -> OpenOptions:
    """Open a page, in the current session, or in a new one when there is none.

    A new session may load documents of the page's origin, of each --origin, and of the same
    site's origins that this first load is redirected through; all are printed. They are fixed
    then. It lasts up to 24 hours, 2 hours without a command. Once the session that was begun
    here has ended, no other takes its place: --new begins one.

    A page that can be used, but has not loaded all of itself within 15 seconds, is open all the
    same; the answer says that it is still loading.
    """
    if new and writing.session is not None:
        raise Failure("usage", "--new and --session are both given", "give one of the two")
    going = make_write({"type": "navigate", "url": verify_text(url)}, writing)
    fields = opening_fields(url, origin, viewport, on_dialog, downloads)
    named = {"--viewport": viewport, "--on-dialog": on_dialog, "--downloads": downloads}
    return OpenOptions(
        going,
        BeginOptions(fields, writing.output),
        [parse_origin(one, explicit=True) for one in origin or ()],
        [flag for flag, value in named.items() if value],
        new,
    )


def opening_fields(
    url: str | None,
    origins: Sequence[str] | None,
    viewport: str | None,
    on_dialog: str | None,
    downloads: bool,
    key: str | None = None,
) -> dict[str, object]:
    """Return the fields of ``session.open``."""
    if on_dialog not in (None, "ask", "accept", "dismiss", "default"):
        raise Failure(
            "usage", "--on-dialog is no policy", "one of ask, accept, dismiss and default"
        )
    return given(
        url=url,
        origins=origins,
        viewport=viewport,
        on_dialog=on_dialog,
        downloads=downloads or None,
        key=key,
    )
