"""Downloads of everyday sessions: denied, or complete in the session's own folder."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio

from protocol.errors import Failure
from tests.fakes.pages import ATTACHMENT
from tests.fakes.real_everyday import open_real_everyday

if TYPE_CHECKING:
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium


async def test_l01_a_session_keeps_downloads_apart_and_gives_them_out(
    tmp_path: Path, pages: PageServer
) -> None:
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(pages.url("L01"), downloads=True) as session,
    ):
        for number in (1, 2, 3):
            await session.click(f"a:nth-of-type({number})")
            await session.run("wait", **{"for": "ms", "ms": 500})
        await session.click("#b")
        await session.run("wait", **{"for": "ms", "ms": 500})
        told = (await session.click("#b"))["downloads"]
        await session.run("wait", **{"for": "ms", "ms": 500})
        listed = (await session.call("download.list"))["downloads"]
        assert [one["state"] for one in listed] == ["complete"] * 5
        assert [one["sizeBytes"] for one in listed] == [32, 32, 32, 10, 10]
        assert [one["name"] for one in listed[3:]] == ["report.csv", "report (1).csv"]
        assert told in ([], listed[4:])
        folders = {Path(one["path"]).parent for one in listed}
        assert len(folders) == 1
        assert folders.pop().is_relative_to(tmp_path / "state" / "profiles")
        saved = (await session.call("download.save", number=1))["download"]
        assert base64.b64decode(saved["contentBase64"]) == ATTACHMENT
        assert saved["sha256"] == sha256(ATTACHMENT).hexdigest()
        with pytest.raises(Failure) as none:
            await session.call("download.save", number=9)
        assert none.value.code == "not_found"
        await trio.Path(listed[0]["path"]).write_bytes(b"another")
        with pytest.raises(Failure) as changed:
            await session.call("download.save", number=1)
        assert changed.value.code == "conflict"
    assert not list((tmp_path / "state" / "profiles").iterdir())


async def test_downloads_are_denied_unless_the_session_allows_them(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("L01")) as session:
        await session.click("#b")
        await session.run("wait", **{"for": "ms", "ms": 500})
        listed = await session.call("download.list")
        assert listed["allowed"] is False
        assert [(one["state"], one["path"]) for one in listed["downloads"]] == [("refused", None)]
        assert "denied" in listed["downloads"][0]["problem"]


async def test_going_to_a_download_keeps_it_and_stays_on_the_page(
    tmp_path: Path, pages: PageServer
) -> None:
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(pages.url("P04"), downloads=True) as session,
    ):
        gone = await session.run("navigate", url=f"{pages.a}/attach?name=x.bin")
        assert gone["status"] == "injected"
        assert [(one["name"], one["state"]) for one in gone["downloads"]] == [("x.bin", "complete")]
        assert gone["page"]["url"] == pages.url("P04")


async def test_what_the_page_itself_made_is_downloaded_but_not_what_a_frame_of_it_made(
    tmp_path: Path, pages: PageServer
) -> None:
    link = "<a download=own.csv href='data:text/csv,a%2Cb'>own</a>"
    pages.add("/inner", f"<!doctype html>{link}<script>document.links[0].click()</script>")
    outer = pages.add("/outer", f"<!doctype html><p>{link}</p><iframe src='{{C}}/inner'></iframe>")
    async with (
        open_real_everyday(tmp_path) as house,
        house.open(outer, downloads=True) as session,
    ):
        await session.click("p a")
        await session.run("wait", **{"for": "ms", "ms": 500})
        listed = (await session.call("download.list"))["downloads"]
        assert sorted(one["state"] for one in listed) == ["complete", "refused"]


async def test_going_to_a_download_fails_where_it_is_denied(
    tmp_path: Path, pages: PageServer
) -> None:
    async with open_real_everyday(tmp_path) as house, house.open(pages.url("P04")) as session:
        with pytest.raises(Failure) as failed:
            await session.run("navigate", url=f"{pages.a}/attach?name=x.bin")
        body: dict[str, Any] = dict(failed.value.body())
        assert body["code"] == "navigation_failed"
        assert "download" in body["message"]
        assert [one["state"] for one in body["downloads"]] == ["refused"]
        assert await session.evaluate("location.href") == pages.url("P04")
