"""The downloads of one browser: into one private directory, under plain names, or refused.

Chromium writes each into the directory under an id of its own. Only once it is whole does
it get its plain name there, never that of another file, and only then are size and digest
told. A download is refused, like a navigation, by where it comes from.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import trio

from cdp.background import running
from cdp.errors import CdpError
from cdp.filenames import numbered_name, plain_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from cdp.connection import Connection
    from cdp.messages import Event

FILE_BYTES = 1 << 30
"""A larger download is broken off."""
DOWNLOAD_LIMIT = 256
"""Downloads of one browser's life; more of them are refused."""
REFUSED_LIMIT = 256
"""The newest refusals that are remembered; all are counted."""
URL_LIMIT = 8192
"""Code points kept of an address."""
NAME_ATTEMPTS = 1000

_CHUNK = 1 << 20


class State(StrEnum):
    """How far a download has come; only ``complete`` has a file."""

    running = "running"
    complete = "complete"
    failed = "failed"
    refused = "refused"


@dataclass(frozen=True, slots=True)
class Download:
    """One download. ``name`` is plain and page text, as ``url`` is.

    ``path``, ``size_bytes`` and ``sha256`` (hex) are None until it is complete.
    ``problem`` says in our words why there is no file.
    """

    number: int
    name: str
    url: str
    state: State
    path: Path | None = None
    size_bytes: int | None = None
    sha256: str | None = None
    problem: str = ""


class Downloads:
    """What a browser downloads, counted from 1 in order of beginning.

    Without a directory everything is refused. ``decide`` says by URL whether a download
    may come from there; it must not block or raise. What the frame ``frame_id`` made
    itself (``data:``) comes from no other place than that frame's page.
    """

    def __init__(
        self,
        connection: Connection,
        directory: Path | None,
        decide: Callable[[str], bool],
        frame_id: str,
    ) -> None:
        self._frame_id = frame_id
        self._connection = connection
        self._directory = directory
        self._decide = decide
        self._numbers: dict[str, int] = {}  # guid -> number, of those that were let begin
        self._whole, self._arrived = trio.open_memory_channel[str](DOWNLOAD_LIMIT)
        self._changed = trio.Event()
        self.records: dict[int, Download] = {}
        self.count = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Handle the browser's events for the length of the block."""
        with ExitStack() as stack:
            for method, handle in (
                ("Browser.downloadWillBegin", self._begun),
                ("Browser.downloadProgress", self._progressed),
            ):
                stack.enter_context(self._connection.handler(method, handle))
            yield

    async def switch_on(self) -> None:
        """Let the browser download, or only tell of what it refuses."""
        if self._directory is None:
            wanted = {"behavior": "deny"}
        else:
            await trio.to_thread.run_sync(lambda path: path.mkdir(mode=0o700), self._directory)
            wanted = {"behavior": "allowAndName", "downloadPath": str(self._directory)}
        await self._connection.pipeline(
            [("Browser.setDownloadBehavior", {**wanted, "eventsEnabled": True})]
        )

    async def finish(self) -> None:
        """Name and measure what is whole, one after another; runs for ever."""
        async for guid in self._arrived:
            number = self._numbers[guid]
            download = self.records[number]
            directory = self._directory
            if directory is None:
                continue
            try:
                done = await trio.to_thread.run_sync(_keep, directory, guid, download)
            except OSError as error:
                done = replace(download, state=State.failed, problem=f"{error.strerror}")
            self._note(done)

    async def settled(self, after: int, *, timeout_s: float) -> list[Download]:
        """Return the downloads after a number, once none of them runs or the time is over."""
        with trio.move_on_after(timeout_s):
            while any(one.state is State.running for one in self._after(after)):
                await self._changed.wait()
        return self._after(after)

    def _after(self, number: int) -> list[Download]:
        return [one for one in self.records.values() if one.number > number]

    def _begun(self, event: Event) -> None:
        guid, url = str(event.params.get("guid")), str(event.params.get("url") or "")
        self.count += 1
        name = plain_name(str(event.params.get("suggestedFilename") or ""))
        problem = self._check(url, event.params.get("frameId"))
        state = State.refused if problem else State.running
        if not problem:
            self._numbers[guid] = self.count
        elif self._directory is not None:
            self._cancel(guid)
        self._note(Download(self.count, name, url[:URL_LIMIT], state, problem=problem))

    def _check(self, url: str, frame_id: object) -> str:
        """Return why a download may not be, "" if it may."""
        if self._directory is None:
            return "downloads are denied in this session"
        is_own = url.startswith("data:") and frame_id == self._frame_id
        if not is_own and not self._decide(source_of(url)):
            return "it comes from an origin that is not one of the session's"
        begun = sum(one.state is not State.refused for one in self.records.values())
        return "there were too many downloads" if begun >= DOWNLOAD_LIMIT else ""

    def _progressed(self, event: Event) -> None:
        guid, state = str(event.params.get("guid")), event.params.get("state")
        download = self.records.get(self._numbers.get(guid, 0))
        if download is None or download.state is not State.running:
            return
        if state == "canceled":
            self._note(replace(download, state=State.failed, problem="it was broken off"))
        elif state == "completed":
            self._whole.send_nowait(guid)
        elif float(event.params.get("receivedBytes") or 0) > FILE_BYTES:
            self._cancel(guid)
            self._note(replace(download, state=State.failed, problem="it is too large"))

    def _cancel(self, guid: str) -> None:
        with suppress(CdpError):  # a connection that is over has no downloads
            self._connection.post("Browser.cancelDownload", {"guid": guid}, lambda _: None)

    def _note(self, download: Download) -> None:
        self.records[download.number] = download
        refused = [one.number for one in self.records.values() if one.state is State.refused]
        for number in refused[:-REFUSED_LIMIT]:
            del self.records[number]
        self._changed.set()
        self._changed = trio.Event()


def source_of(url: str) -> str:
    """Return the URL whose origin a download has: a blob's is that of who made it."""
    return url.removeprefix("blob:")


def _keep(directory: Path, guid: str, download: Download) -> Download:
    """Give a whole file its plain name and measure it. Raises OSError."""
    source = directory / guid
    size_bytes, sha256 = _measure(source)
    for number in range(NAME_ATTEMPTS):
        path = directory / numbered_name(download.name, number)
        try:
            os.link(source, path, follow_symlinks=False)
        except FileExistsError:
            continue
        source.unlink()
        return replace(
            download,
            name=path.name,
            state=State.complete,
            path=path,
            size_bytes=size_bytes,
            sha256=sha256,
        )
    return replace(download, state=State.failed, problem="too many files have its name")


def _measure(path: Path) -> tuple[int, str]:
    """Return size and digest of a file, made private."""
    digest, size_bytes = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as file:
        os.fchmod(descriptor, 0o600)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size_bytes += len(chunk)
    return size_bytes, digest.hexdigest()


@asynccontextmanager
async def open_downloads(
    connection: Connection, directory: Path | None, decide: Callable[[str], bool], frame_id: str
) -> AsyncIterator[Downloads]:
    """Attend to a browser's downloads for the length of the block; see `Downloads`.

    ``directory`` must not exist yet.
    """
    downloads = Downloads(connection, directory, decide, frame_id)
    async with running(downloads.finish):
        with downloads.watching():
            await downloads.switch_on()
            yield downloads
