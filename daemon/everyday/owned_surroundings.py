"""`daemon.everyday.surroundings.Surroundings` over `cdp`: listens to a page of ours."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from cdp.children import open_children
from cdp.download import open_downloads
from cdp.outside import Outside
from cdp.page_log import CALLS, PageLog
from cdp.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from cdp.connection import CdpSession, Connection
    from cdp.download import Download, Downloads
    from cdp.interception import Interception
    from cdp.page import Page
    from cdp.page_log import Entry
    from daemon.everyday.surroundings import Told

SETTLE_S = 2.0
"""How long a reply waits until the downloads that it tells of are complete."""
NAMING_S = 0.5
"""How long a reply waits until the popups that it tells of have an address."""


class OwnedSurroundings:
    """What a page of ours did by itself."""

    def __init__(self, page: Page, interception: Interception, downloads: Downloads) -> None:
        self._target_id = page.target.target_id
        self._loading = page.loading
        self._interception = interception
        self._downloads = downloads
        self._outside = Outside(page.target.session, interception)
        self._traffic = Traffic()
        self._log = PageLog(self._target_id)

    @property
    def popup_count(self) -> int:
        """See Surroundings."""
        return self._interception.popup_count

    async def popups(self, *, after: int = 0) -> Sequence[Told]:
        """See Surroundings."""
        if self._interception.popup_count > after:
            await self._interception.wait_alone(NAMING_S)
        count, kept = self._interception.popup_count, self._interception.popups
        first = count - len(kept) + 1
        return [
            {
                "number": number,
                "url": popup.url,
                "method": popup.method or None,
                "openerId": popup.opener_id or None,
                "openedByTab": popup.opener_id == self._target_id,
            }
            for number, popup in enumerate(kept, start=first)
            if number > after
        ]

    @property
    def refused_count(self) -> int:
        """See Surroundings."""
        return self._interception.refused_count

    def refused(self, *, after: int = 0) -> Sequence[Told]:
        """See Surroundings."""
        count, kept = self._interception.refused_count, self._interception.refused
        first = count - len(kept) + 1
        return [
            {"number": number, "url": one.url, "method": one.method}
            for number, one in enumerate(kept, start=first)
            if number > after
        ]

    @property
    def download_count(self) -> int:
        """See Surroundings."""
        return self._downloads.count

    async def downloads(self, *, after: int = 0) -> Sequence[Told]:
        """See Surroundings."""
        found = await self._downloads.settled(after, timeout_s=SETTLE_S)
        return [_told_download(download) for download in found]

    def download_path(self, number: int) -> Path | None:
        """See Surroundings."""
        download = self._downloads.records.get(number)
        return None if download is None else download.path

    def origins(self) -> Sequence[Told]:
        """See Surroundings."""
        told: list[Told] = [
            {"origin": origin, "requests": count}
            for origin, count in sorted(self._traffic.origins.items())
        ]
        if self._traffic.others:
            told.append({"origin": None, "requests": self._traffic.others})
        return told

    @property
    def error_count(self) -> int:
        """See Surroundings."""
        return self._log.count

    def errors(self) -> Sequence[Told]:
        """See Surroundings."""
        return [_told(entry) for entry in self._log.entries]

    @contextmanager
    def listen(self, session: CdpSession) -> Iterator[None]:
        """Listen to the page's session, or to that of one of its children."""
        with (
            self._traffic.listen(session),
            self._log.listen(session),
            self._loading.listen(session),
            self._outside.listen(session),
        ):
            yield


def _told(entry: Entry) -> Told:
    told: Told = {"kind": entry.kind.value, "text": entry.text, "url": entry.url}
    return told if entry.line is None else {**told, "line": entry.line}


def _told_download(download: Download) -> Told:
    return {
        "number": download.number,
        "name": download.name,
        "url": download.url,
        "state": download.state.value,
        "path": None if download.path is None else str(download.path),
        "sizeBytes": download.size_bytes,
        "sha256": download.sha256,
        "problem": download.problem or None,
    }


@asynccontextmanager
async def open_surroundings(
    connection: Connection, page: Page, interception: Interception, folder: Path | None
) -> AsyncIterator[OwnedSurroundings]:
    """Listen to a page for the length of the block. Raises CdpError when it is gone.

    From then on a document that is parsed counts, though not all of it has loaded.

    Downloads go into ``folder``, which must not exist yet; without one they are refused.
    """
    frame_id = page.target.target_id
    async with open_downloads(connection, folder, interception.allows, frame_id) as downloads:
        page.may_download, page.waits_on = folder is not None, True
        around = OwnedSurroundings(page, interception, downloads)
        async with open_children(connection, page.target.session, around.listen, CALLS):
            yield around
