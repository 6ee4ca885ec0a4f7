"""The test web server itself: pages, endpoints, log, and an end that waits for nobody."""

from __future__ import annotations

import http.client
import json
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.fakes.pages import ATTACHMENT, PageServer, cases

if TYPE_CHECKING:
    from http.client import HTTPResponse


def get(url: str, method: str = "GET", body: str | None = None) -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def test_every_page_of_every_case_is_served_with_origins_filled_in(pages: PageServer) -> None:
    with_pages = [case for case in cases().values() if "page" in case]
    assert len(with_pages) == 26
    for case in with_pages:
        for name in ("", "page", *case.get("extra_pages", {})):
            response, body = get(pages.url(case["id"], name))
            assert response.status == 200
            assert not any(mark in body for mark in (b"{A}", b"{B}", b"{C}"))
    assert f"fetch('{pages.a}/hit?n=R01')" in get(pages.url("R01"))[1].decode()


def test_origins_differ_and_are_logged_apart(pages: PageServer) -> None:
    for origin in (pages.a, pages.b, pages.c):
        get(origin + "/E01/?q=1")
    assert [(r.origin, r.path, r.query) for r in pages.requests] == [
        (label, "/E01/", "q=1") for label in "ABC"
    ]
    assert len({pages.a, pages.b, pages.c}) == 3


def test_hits_are_counted_with_the_last_headers(pages: PageServer) -> None:
    assert get(pages.a + "/hit?n=x")[1] == b"1"
    assert get(pages.c + "/hit?n=x", "POST", "body")[1] == b"2"
    assert pages.hits("x") == 2
    assert pages.requests[-1].body == b"body"
    counts = json.loads(get(pages.b + "/hits")[1])
    assert counts["x"] == 2
    assert counts["headers"]["host"] == urlsplit(pages.c).netloc


def test_redirect_keeps_a_nested_query(pages: PageServer) -> None:
    response, _ = get(f"{pages.a}/redir?to={pages.c}/hit?n=z")
    assert (response.status, response.headers["location"]) == (302, f"{pages.c}/hit?n=z")


def test_attachment_name_is_sent_raw(pages: PageServer) -> None:
    response, body = get(pages.a + "/attach?name=..%2F..%2Fescape.bin")
    assert body == ATTACHMENT
    assert response.headers["content-disposition"] == 'attachment; filename="../../escape.bin"'


def test_unknown_page_is_404_and_an_added_one_is_not(pages: PageServer) -> None:
    assert get(pages.a + "/mine")[0].status == 404
    assert get(pages.add("/mine", "<p>{B}"))[1].decode() == f"<p>{pages.b}"


def test_end_waits_for_no_open_connection() -> None:
    with PageServer() as server:
        parts = urlsplit(server.a)
        silent = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
        silent.connect()  # a spare connection that asks for nothing
        stream = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
        stream.request("GET", "/sse")
        events = stream.getresponse()
        assert events.readline() == b"data: hello\n"
        began = time.monotonic()
    assert time.monotonic() - began < 2
    for connection in (silent, stream):
        connection.close()
    events.close()
