"""The nouns ``dialog``, ``popup`` and ``download``: what the page brought up by itself."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands.calls import given
from understudy_cli.commands.everyday.groups import Answering, Calling
from understudy_cli.commands.everyday.replies import (
    format_dialog,
    format_download,
    format_popup,
    format_reply,
)
from understudy_cli.commands.everyday.running import make_sending
from understudy_cli.commands.everyday.words import verify_text
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples, parse_number
from understudy_cli.commands.session.delivery import PRIVATE
from understudy_cli.render import members_of, objects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.commandline import Host
    from understudy_cli.commands.everyday.running import Sending
    from understudy_cli.commands.session.naming import SessionName
    from understudy_cli.render import Output

    Format = Callable[[Mapping[str, object]], str]

HIGHEST = 2**31 - 1

dialogs = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Answer the dialogs of a page: alert, confirm, prompt, leaving.",
    epilog=examples("understudy dialog list", "understudy dialog accept"),
)
popups = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="List new windows, which are closed before their first request, and open one here.",
    epilog=examples("understudy popup list", "understudy popup open 1"),
)
downloads = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="List what a session that may do so has downloaded, and save it.",
    epilog=examples("understudy download list", "understudy download save 1 report.csv"),
)

Number = Annotated[str, typer.Argument(metavar="N", help="Its number in the list.")]


@dataclass(frozen=True)
class SessionCall:
    """One method of the session that is meant."""

    method: str
    session: SessionName
    output: Output
    format: Format
    params: Mapping[str, object] = field(default_factory=dict)
    writes: bool = False

    @property
    def ask(self) -> str:
        """See Invocation."""
        return f"understudy {self.method.partition('.')[0]} list"

    async def call(self, host: Host) -> dict[str, object]:
        """Return the method's reply."""
        params = {"session_id": await self.session.find_lasting(host), **self.params}
        return await host.call(self.method, params)

    async def run(self, host: Host) -> int:
        """Call, and answer."""
        reply = await self.call(host)
        return await self.output.report(host, reply, self.format(reply))


@dataclass(frozen=True)
class WriteCall:
    """A method that acts on the session that is meant, under an id as a command does."""

    method: str
    sending: Sending
    output: Output
    format: Format
    params: Mapping[str, object]
    writes = True

    @property
    def ask(self) -> str:
        """See Invocation."""
        return self.sending.ask

    async def run(self, host: Host) -> int:
        """Call, and answer."""
        params = {**await self.sending.params(host), **self.params}
        reply = await host.call(self.method, params)
        return await self.output.report(host, reply, self.format(reply))


@dataclass(frozen=True)
class SaveOptions:
    """A download, and the file that it is saved to."""

    fetching: SessionCall
    path: str
    writes = False
    ask = "understudy download list"

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.fetching.output

    async def run(self, host: Host) -> int:
        """Make sure of the file, fetch, write."""
        await host.prepare(self.path)
        reply = await self.fetching.call(host)
        download = members_of(reply, "download")
        content = download.get("contentBase64")
        if not isinstance(content, str):
            raise Failure("internal", "the daemon's answer holds no file", "look into its log")
        await host.write(self.path, base64.b64decode(content), PRIVATE)
        rest = {name: value for name, value in download.items() if name != "contentBase64"}
        told = {**reply, "download": {**rest, "file": self.path}}
        return await self.output.report(host, told, self.fetching.format(told))


@dialogs.command("list", epilog=examples("understudy dialog list"))
@flagged
def list_dialogs(answering: Answering) -> SessionCall:
    """List the session's dialogs, the newest 50, with what became of each."""
    return SessionCall("dialog.list", answering.name, answering.output, _lines("dialogs"))


@dialogs.command(
    epilog=examples("understudy dialog accept", "understudy dialog accept 'Ann Example'")
)
@flagged
def accept(
    calling: Calling,
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", show_default=False, help="What a prompt is answered."),
    ] = None,
) -> WriteCall:
    """Accept the open dialog; a prompt without TEXT with the text that it offers."""
    params = given(text=None if text is None else verify_text(text))
    return _answer("accept", calling, params)


@dialogs.command(epilog=examples("understudy dialog dismiss"))
@flagged
def dismiss(calling: Calling) -> WriteCall:
    """Dismiss the open dialog."""
    return _answer("dismiss", calling, {})


@popups.command("list", epilog=examples("understudy popup list"))
@flagged
def list_popups(answering: Answering) -> SessionCall:
    """List the new windows that the page asked for, by the address first asked for."""
    return SessionCall("popup.list", answering.name, answering.output, _lines("popups"))


@popups.command("open", epilog=examples("understudy popup open 1"))
@flagged
def open_popup(calling: Calling, number: Number) -> WriteCall:
    """Load a popup's address in the session's own tab, if its origin is allowed."""
    params = {"number": parse_number("N", number, 1, HIGHEST)}
    sending, output = make_sending(calling), calling.output
    return WriteCall("popup.open", sending, output, _format_opened, params)


@downloads.command("list", epilog=examples("understudy download list"))
@flagged
def list_downloads(answering: Answering) -> SessionCall:
    """List the session's downloads, with size and SHA-256 once each is complete."""
    return SessionCall("download.list", answering.name, answering.output, _lines("downloads"))


@downloads.command(epilog=examples("understudy download save 1 report.csv"))
@flagged
def save(
    answering: Answering,
    number: Number,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
) -> SaveOptions:
    """Write a complete download to a file of yours; a private one."""
    params = {"number": parse_number("N", number, 1, HIGHEST)}
    fetching = SessionCall("download.save", answering.name, answering.output, _format_saved, params)
    return SaveOptions(fetching, file)


def _answer(verb: str, calling: Calling, params: Mapping[str, object]) -> WriteCall:
    sending, output = make_sending(calling), calling.output
    return WriteCall(f"dialog.{verb}", sending, output, _format_answered, params)


def _format_opened(reply: Mapping[str, object]) -> str:
    return format_reply(reply, "")


def _format_answered(reply: Mapping[str, object]) -> str:
    dialog = members_of(reply, "dialog")
    return "ok\n" + (f"{format_dialog(dialog)}\n" if dialog else "")


def _format_saved(reply: Mapping[str, object]) -> str:
    return f"{format_download(members_of(reply, 'download'))}\n"


_FORMATS: Mapping[str, Format] = {
    "dialogs": format_dialog,
    "popups": format_popup,
    "downloads": format_download,
}


def _lines(members: str) -> Format:
    return lambda reply: "".join(
        f"{_FORMATS[members](one)}\n" for one in objects_of(reply, members)
    )
