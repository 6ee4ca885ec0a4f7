"""What a page loads and what goes wrong in it, beside what the servers saw."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.children import open_children
from cdp.page_log import CALLS, EntryKind, PageLog
from cdp.traffic import Traffic
from tests.fakes.driven import Driven, drive

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from cdp.connection import CdpSession
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

OUTER = """<!doctype html><img src='{B}/hit?n=image'><iframe src='{C}/inner'></iframe>
<script>fetch('{C}/hit?n=fetch', {mode: 'no-cors'}); new WebSocket('{B}/'.replace('http', 'ws'))
</script>"""
INNER = "<!doctype html><script>fetch('{B}/hit?n=inner', {mode: 'no-cors'})</script>"
WRONG = """<!doctype html><title>wrong</title><script>
console.log('fine'); console.error('broken', 7, {a: 1});
setTimeout(() => { throw new TypeError('no such thing') });
fetch('/missing'); fetch('http://127.0.0.1:9/').catch(() => 0);
</script><iframe src='{C}/inner'></iframe>"""
WRONG_INNER = "<!doctype html><script>console.error('from the frame')</script>"


@asynccontextmanager
async def listened(
    directory: Path,
) -> AsyncIterator[tuple[Driven, Traffic, PageLog]]:
    async with drive(directory) as driven:
        traffic, log = Traffic(), PageLog(driven.browser.target_id)

        @contextmanager
        def listen(session: CdpSession) -> Iterator[None]:
            with traffic.listen(session), log.listen(session):
                yield

        browser = driven.browser
        async with open_children(browser.connection, browser.page, listen, CALLS):
            yield driven, traffic, log


async def until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(5):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(0.02)


async def test_everything_that_a_page_loads_is_counted_by_origin(
    tmp_path: Path, pages: PageServer
) -> None:
    pages.add("/inner", INNER)
    async with listened(tmp_path) as (driven, traffic, _):
        await driven.open(pages.add("/outer", OUTER))
        await until(lambda: all(pages.hits(name) for name in ("inner", "fetch", "image")))
        await driven.page.settle()
        sockets = pages.b.replace("http", "ws")
        assert set(traffic.origins) == {pages.a, pages.b, pages.c, sockets}
        assert traffic.origins[pages.c] >= 2  # the frame and the fetch
        assert traffic.origins[pages.b] >= 2  # the image, and what the frame fetched
        assert traffic.others == 0


async def test_what_goes_wrong_is_logged_until_the_next_document(
    tmp_path: Path, pages: PageServer
) -> None:
    pages.add("/inner", WRONG_INNER)
    url = pages.add("/wrong", WRONG)
    async with listened(tmp_path) as (driven, _, log):
        await driven.open(url)
        await until(lambda: log.count >= 5)
        await driven.page.settle()
        told = {(entry.kind, entry.text.partition("\n")[0]) for entry in log.entries}
        assert told == {
            (EntryKind.console_error, "broken 7 Object"),
            (EntryKind.console_error, "from the frame"),
            (EntryKind.exception, "TypeError: no such thing"),
            (EntryKind.request_failed, "HTTP 404"),
            (EntryKind.request_failed, "net::ERR_UNSAFE_PORT"),
        }
        by_text = {entry.text: entry for entry in log.entries}
        assert by_text["broken 7 Object"].url == url
        assert by_text["broken 7 Object"].line == 2
        assert by_text["HTTP 404"].url == pages.a + "/missing"
        assert by_text["net::ERR_UNSAFE_PORT"].url == "http://127.0.0.1:9/"
        await driven.open(pages.url("P04"))
        assert (list(log.entries), log.count) == ([], 0)


async def test_a_navigation_that_the_browser_does_not_do_is_logged(
    tmp_path: Path, pages: PageServer
) -> None:
    async with listened(tmp_path) as (driven, _, log):
        await driven.open(pages.add("/data", "<a id=a href='data:text/html,x'>data</a>"))
        await driven.evaluate("a.click(), fetch('/missing').then(() => 0)")
        await until(lambda: len(log.entries) >= 2)
        told = [entry for entry in log.entries if entry.kind is EntryKind.console_error]
        assert [entry.text for entry in told] == [
            "Not allowed to navigate top frame to data URL: data:text/html,x"
        ]
        assert log.count == 2
