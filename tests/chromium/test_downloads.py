"""Downloads of a real browser, with hostile names, beside what the file system shows."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.download import State, open_downloads
from tests.fakes.driven import drive
from tests.fakes.pages import ATTACHMENT

if TYPE_CHECKING:
    from pathlib import Path

    from cdp.download import Downloads
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

LINKS = 3
"""The page's fourth link names its file with a NUL; Chromium takes no such answer at all."""


async def test_l01_every_file_lands_in_the_folder_under_a_plain_name(
    tmp_path: Path, pages: PageServer
) -> None:
    folder = tmp_path / "kept"
    async with drive(tmp_path) as driven:
        connection = driven.browser.connection
        async with open_downloads(connection, folder, lambda url: True, "") as downloads:
            await driven.open(pages.url("L01"))
            for number in range(1, LINKS + 1):
                await driven.click(f"a:nth-of-type({number})")
                await arrive(downloads, number)
            await driven.click(f"a:nth-of-type({LINKS + 1})")
            await driven.wait_for("location.protocol", "chrome-error:")
            await driven.open(pages.url("L01"))
            for number in (LINKS + 1, LINKS + 2):
                await driven.click("#b")
                await arrive(downloads, number)
            done = await downloads.settled(0, timeout_s=10)
    assert [one.state for one in done] == [State.complete] * (LINKS + 2)
    assert {one.path.parent for one in done if one.path} == {folder}
    assert sorted(path.name for path in folder.iterdir()) == sorted(one.name for one in done)
    digest = sha256(ATTACHMENT).hexdigest()
    assert {(one.size_bytes, one.sha256) for one in done[:LINKS]} == {(32, digest)}
    assert [one.name for one in done[LINKS:]] == ["report.csv", "report (1).csv"]
    assert {one.size_bytes for one in done[LINKS:]} == {10}
    assert all(not set(one.name) & set("/\\\0:") for one in done)
    assert not any(one.name.startswith(".") for one in done)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_without_a_folder_a_download_is_refused_and_told(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        connection = driven.browser.connection
        async with open_downloads(connection, None, lambda url: True, "") as downloads:
            await driven.open(pages.url("L01"))
            await driven.click("#b")
            await arrive(downloads, 1)
            (refused,) = await downloads.settled(0, timeout_s=5)
            assert (refused.state, refused.name) == (State.refused, "report.csv")
            assert refused.path is None


async def test_a_download_from_elsewhere_is_broken_off(tmp_path: Path, pages: PageServer) -> None:
    folder = tmp_path / "kept"
    url = pages.add("/get", "<!doctype html><a download href='{C}/attach?name=x.bin'>x</a>")
    async with drive(tmp_path) as driven:
        connection = driven.browser.connection
        allowed = pages.a + "/"
        async with open_downloads(
            connection, folder, lambda u: u.startswith(allowed), ""
        ) as downloads:
            await driven.open(url)
            await driven.click("a")
            await arrive(downloads, 1)
            (refused,) = await downloads.settled(0, timeout_s=5)
            assert refused.state is State.refused
            await trio.sleep(0.3)
            assert list(folder.iterdir()) == []


async def arrive(downloads: Downloads, count: int) -> None:
    """Wait until a download has begun: nothing else tells."""
    with trio.fail_after(5):
        while downloads.count < count:  # noqa: ASYNC110
            await trio.sleep(0.02)
