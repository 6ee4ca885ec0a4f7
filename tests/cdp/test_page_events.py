"""Traffic, page log and downloads over a scripted peer: their limits, and odd events."""

from __future__ import annotations

from contextlib import asynccontextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from cdp.children import CHILD_LIMIT, open_children
from cdp.connection import open_connection
from cdp.download import DOWNLOAD_LIMIT, FILE_BYTES, Downloads, State, open_downloads
from cdp.page_log import ENTRY_LIMIT, TEXT_LIMIT, PageLog
from cdp.traffic import ORIGIN_LIMIT, Traffic, origin_of
from tests.fakes.cdp_peer import CdpPeer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


SENT = "Network.requestWillBeSent"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x?y#z", "https://a.example"),
        ("http://user:pass@a.example:81/", "http://a.example:81"),
        ("ws://[::1]:9/", "ws://[::1]:9"),
        ("data:text/html,x", ""),
        ("blob:http://a.example/1", ""),
        ("chrome-extension://abc/", ""),
        ("", ""),
    ],
)
def test_only_the_network_has_origins(url: str, origin: str) -> None:
    assert origin_of(url) == origin


async def test_only_so_many_origins_are_told_apart() -> None:
    peer, traffic = CdpPeer(), Traffic()
    async with open_connection(peer) as browser:
        with traffic.listen(browser.session("S")):
            for number in range(ORIGIN_LIMIT + 3):
                url = f"http://h{number}.example/"
                peer.emit(SENT, {"requestId": "1", "request": {"url": url}}, "S")
            await trio.testing.wait_all_tasks_blocked()
    assert (len(traffic.origins), traffic.others) == (ORIGIN_LIMIT, 3)


async def test_the_newest_entries_are_kept_and_all_are_counted() -> None:
    peer, log = CdpPeer(), PageLog("F")
    async with open_connection(peer) as browser:
        with log.listen(browser.session("S")):
            for number in range(ENTRY_LIMIT + 2):
                said = [{"value": f"{number} " + "x" * TEXT_LIMIT}]
                peer.emit("Runtime.consoleAPICalled", {"type": "error", "args": said}, "S")
            peer.emit("Runtime.consoleAPICalled", {"type": "log", "args": []}, "S")
            await trio.testing.wait_all_tasks_blocked()
            assert (len(log.entries), log.count) == (ENTRY_LIMIT, ENTRY_LIMIT + 2)
            assert log.entries[0].text.startswith("2 ")
            assert {len(entry.text) for entry in log.entries} == {TEXT_LIMIT}
            peer.emit("Page.frameNavigated", {"frame": {"id": "another"}}, "S")
            await trio.testing.wait_all_tasks_blocked()
            assert log.count == ENTRY_LIMIT + 2
            peer.emit("Page.frameNavigated", {"frame": {"id": "F"}}, "S")
            await trio.testing.wait_all_tasks_blocked()
            assert (len(log.entries), log.count) == (0, 0)


async def test_a_request_that_was_broken_off_did_not_fail() -> None:
    peer, log = CdpPeer(), PageLog("F")
    async with open_connection(peer) as browser:
        with log.listen(browser.session("S")):
            for request_id, canceled in (("1", True), ("2", False)):
                request = {"url": f"http://a.example/{request_id}"}
                peer.emit(SENT, {"requestId": request_id, "request": request}, "S")
                failed = {"requestId": request_id, "canceled": canceled, "errorText": "net::X"}
                peer.emit("Network.loadingFailed", failed, "S")
            await trio.testing.wait_all_tasks_blocked()
    assert [(one.text, one.url) for one in log.entries] == [("net::X", "http://a.example/2")]


async def test_each_child_is_let_run_even_when_there_are_too_many() -> None:
    follow, go = "Target.setAutoAttach", "Runtime.runIfWaitingForDebugger"
    peer, traffic = CdpPeer(always={"Network.enable": {}, follow: {}, go: {}}), Traffic()
    calls = [("Network.enable", dict[str, object]())]
    async with (
        open_connection(peer) as browser,
        open_children(browser, browser.session("S"), traffic.listen, calls),
    ):
        for number in range(CHILD_LIMIT + 1):
            peer.emit("Target.attachedToTarget", {"sessionId": f"C{number}"}, "S")
        await trio.testing.wait_all_tasks_blocked()
        assert sum(sent.method == go for sent in peer.sent) == CHILD_LIMIT + 1
        assert sum(sent.method == "Network.enable" for sent in peer.sent) == CHILD_LIMIT + 1
        one = {"requestId": "1", "request": {"url": "http://a.example/"}}
        peer.emit(SENT, one, "C0")
        peer.emit(SENT, one, f"C{CHILD_LIMIT}")  # unheard
        peer.emit("Target.detachedFromTarget", {"sessionId": "C0"}, "S")
        peer.emit(SENT, one, "C0")
        await trio.testing.wait_all_tasks_blocked()
        assert traffic.origins == {"http://a.example": 1}


class Downloading:
    """A scripted browser that downloads."""

    def __init__(self, peer: CdpPeer, downloads: Downloads) -> None:
        self.peer, self.downloads = peer, downloads

    async def begins(self, guid: str, name: str = "a.txt", url: str = "http://a.example/") -> None:
        told = {"guid": guid, "url": url, "suggestedFilename": name, "frameId": "F"}
        self.peer.emit("Browser.downloadWillBegin", told)
        await trio.testing.wait_all_tasks_blocked()

    async def goes(self, guid: str, state: str, received: int = 1) -> None:
        told = {"guid": guid, "state": state, "receivedBytes": received, "totalBytes": 0}
        self.peer.emit("Browser.downloadProgress", told)
        await trio.testing.wait_all_tasks_blocked()

    @property
    def cancelled(self) -> list[str]:
        cancels = [one for one in self.peer.sent if one.method == "Browser.cancelDownload"]
        return [one.params["guid"] for one in cancels]


@asynccontextmanager
async def downloading(folder: Path | None) -> AsyncIterator[Downloading]:
    peer = CdpPeer(always={"Browser.setDownloadBehavior": {}, "Browser.cancelDownload": {}})
    async with (
        open_connection(peer) as browser,
        open_downloads(browser, folder, lambda url: url.startswith("http://a."), "") as downloads,
    ):
        yield Downloading(peer, downloads)


async def test_a_file_gets_its_name_only_once_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    async with downloading(folder) as browser:
        for guid in ("g1", "g2"):
            await browser.begins(guid)
            await trio.Path(folder / guid).write_bytes(guid.encode())
        assert [one.state for one in await browser.downloads.settled(0, timeout_s=0)] == [
            State.running
        ] * 2
        await browser.goes("g2", "completed")
        await browser.goes("g1", "completed")
        first, second = await browser.downloads.settled(0, timeout_s=5)
        assert (first.name, second.name) == ("a (1).txt", "a.txt")
        assert second.sha256 == sha256(b"g2").hexdigest()
        assert sorted(path.name for path in folder.iterdir()) == ["a (1).txt", "a.txt"]


async def test_what_is_broken_off_too_large_or_gone_has_no_file(tmp_path: Path) -> None:
    async with downloading(tmp_path / "kept") as browser:
        for guid in ("off", "large", "gone"):
            await browser.begins(guid)
        await browser.goes("off", "canceled")
        await browser.goes("large", "inProgress", FILE_BYTES + 1)
        await browser.goes("gone", "completed")
        await browser.goes("large", "canceled")
        done = await browser.downloads.settled(0, timeout_s=5)
        assert [one.state for one in done] == [State.failed] * 3
        assert [bool(one.problem) for one in done] == [True] * 3
        assert {one.path for one in done} == {None}
        assert browser.cancelled == ["large"]


async def test_a_foreign_download_and_the_one_too_many_are_refused(tmp_path: Path) -> None:
    async with downloading(tmp_path / "kept") as browser:
        await browser.begins("foreign", url="http://b.example/")
        await browser.begins("blob", url="blob:http://a.example/1")
        for number in range(1, DOWNLOAD_LIMIT + 1):
            await browser.begins(f"g{number}")
        states = [one.state for one in browser.downloads.records.values()]
        assert states[:2] == [State.refused, State.running]
        assert states[-1] is State.refused
        assert browser.cancelled == ["foreign", f"g{DOWNLOAD_LIMIT}"]
