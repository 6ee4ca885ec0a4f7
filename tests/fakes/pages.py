"""Loopback web server for tests: three origins, the pages of the handed cases, and a request log.

Origins: ``A`` (127.0.0.1) is what a session allows, ``B`` (localhost) is another
site on the same machine, ``C`` (127.0.0.2) is never allowed. Each has a port of
its own, chosen by the kernel.

A case's page is served as ``/<case id>/`` and ``/<case id>/page``, its further
pages as ``/<case id>/<name>``, with ``{A}``, ``{B}`` and ``{C}`` replaced by the
origins. A test adds pages of its own with ``add``. Endpoints, on every origin:

    /hit?n=X       counts a request under X, answers the count
    /hits          all counts and the headers of the last /hit, as JSON
    /slow?ms=N     answers after N milliseconds
    /sse           an event stream: one event, then silence
    /redir?to=URL  302 to URL
    /attach?name=N a 32-byte attachment named N (raw)
    /locked        401, asking for a password
    /hangup        closes the connection without an answer
"""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

CASES = Path(__file__).parents[1] / "vectors" / "cases.yaml"
HOSTS = {"A": ("127.0.0.1", "127.0.0.1"), "B": ("127.0.0.1", "localhost"), "C": ("127.0.0.2",) * 2}
"""Origin label -> (address to bind, host name in URLs)."""
ATTACHMENT = bytes(range(32))
HTML = "text/html; charset=utf-8"


@cache
def cases() -> Mapping[str, Mapping[str, Any]]:
    """Return the handed cases by their id."""
    document = yaml.safe_load(CASES.read_text("utf-8"))
    return {case["id"]: case for case in document["cases"]}


def case_pages(case: Mapping[str, Any]) -> dict[str, str]:
    """Return a case's pages by path, placeholders still in them."""
    if "page" not in case:
        return {}
    root = f"/{case['id']}/"
    further = {root + name: text for name, text in case.get("extra_pages", {}).items()}
    return {root: case["page"], root + "page": case["page"], **further}


WAITING = """
const told = async name => {
  while (!(await (await fetch('/hits')).json())[name]) await new Promise(go => setTimeout(go, 20));
};
const tell = name => {
  const request = new XMLHttpRequest();
  request.open('GET', '/hit?n=' + name, false);  // there when it returns, whatever comes then
  request.send();
};"""
"""A page's script: ``await told('go')`` waits for the test, ``tell('busy')`` tells it."""


@dataclass(frozen=True)
class Request:
    """One request that reached a server."""

    origin: str  # "A", "B" or "C"
    method: str
    path: str  # without the query
    query: str
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class PageServer:
    """Three origins on loopback; a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._hits: Counter[str] = Counter()
        self._last_hit: Mapping[str, str] = {}
        self._pages: dict[str, tuple[str, str]] = {}  # path -> (content type, body)
        self.closing = threading.Event()
        self._servers = {label: _Server(self, label) for label in HOSTS}
        self.a, self.b, self.c = (self._servers[label].origin for label in "ABC")
        for case in cases().values():
            for path, text in case_pages(case).items():
                self.add(path, text)

    def __enter__(self) -> Self:
        for server in self._servers.values():
            server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        for server in self._servers.values():
            server.stop()

    def add(self, path: str, text: str, content_type: str = HTML) -> str:
        """Serve text under a path of every origin and return its URL on A."""
        for label, origin in (("{A}", self.a), ("{B}", self.b), ("{C}", self.c)):
            text = text.replace(label, origin)
        with self._lock:
            self._pages[path] = (content_type, text)
        return self.a + path

    def url(self, case_id: str, name: str = "", origin: str | None = None) -> str:
        """Return the URL of a case's page."""
        return f"{origin or self.a}/{case_id}/{name}"

    @property
    def requests(self) -> list[Request]:
        """Every request so far, in order of arrival."""
        with self._lock:
            return list(self._requests)

    def hits(self, name: str) -> int:
        """Return how often ``/hit?n=name`` was asked for."""
        with self._lock:
            return self._hits[name]

    def tell(self, name: str) -> None:
        """Let pages that wait by ``WAITING`` for a name go on."""
        self.count(name, {})

    def page(self, path: str) -> tuple[str, str] | None:
        """Return content type and text of a page, if there is one."""
        with self._lock:
            return self._pages.get(path)

    def record(self, request: Request) -> None:
        """Append to the log."""
        with self._lock:
            self._requests.append(request)

    def count(self, name: str, headers: Mapping[str, str]) -> int:
        """Count a hit and return the new count."""
        with self._lock:
            self._hits[name] += 1
            self._last_hit = headers
            return self._hits[name]

    def hits_document(self) -> str:
        """Return all counts and the last hit's headers as JSON."""
        with self._lock:
            return json.dumps({**self._hits, "headers": dict(self._last_hit)})


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close joins them; stop() has ended their sockets by then
    request_queue_size = 64

    def __init__(self, pages: PageServer, label: str) -> None:
        address, host = HOSTS[label]
        super().__init__((address, 0), _Handler)
        self.pages, self.label = pages, label
        self.origin = f"http://{host}:{self.server_address[1]}"
        self._open: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name=self.origin)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End every connection (browsers keep spare ones), then the server."""
        self.shutdown()
        self._thread.join()
        for connection in list(self._open):
            _end(connection)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that goes away is no news to a test server."""


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the peer was faster


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        request = Request(self.server.label, self.command, parts.path, parts.query, headers, body)
        self.server.pages.record(request)
        self._answer(request)

    do_POST = do_PUT = do_GET  # noqa: N815 - names that the base class looks up

    def _answer(self, request: Request) -> None:
        name = request.path.removeprefix("/")
        endpoint = getattr(self, f"_serve_{name}", None) if name.isidentifier() else None
        if endpoint is not None:
            endpoint(request, {k: v[0] for k, v in parse_qs(request.query).items()})
            return
        page = self.server.pages.page(unquote(request.path))
        if page is None:
            self._send(404, HTML, b"<!doctype html><title>404</title>no such page")
            return
        self._send(200, page[0], page[1].encode())

    def _serve_hit(self, request: Request, query: dict[str, str]) -> None:
        count = self.server.pages.count(query.get("n", ""), request.headers)
        self._send(200, HTML, str(count).encode())

    def _serve_hits(self, request: Request, query: dict[str, str]) -> None:
        self._send(200, "application/json", self.server.pages.hits_document().encode())

    def _serve_slow(self, request: Request, query: dict[str, str]) -> None:
        self.server.pages.closing.wait(int(query.get("ms", "0")) / 1000)
        self._send(200, HTML, b"<!doctype html><title>slow</title><p id=out>slow</p>")

    def _serve_sse(self, request: Request, query: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: hello\n\n")
        self.server.pages.closing.wait()

    def _serve_redir(self, request: Request, query: dict[str, str]) -> None:
        self.send_response(302)
        self.send_header("Location", query["to"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _serve_locked(self, request: Request, query: dict[str, str]) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Type", HTML)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"locked")

    def _serve_hangup(self, request: Request, query: dict[str, str]) -> None:
        self.close_connection = True

    def _serve_attach(self, request: Request, query: dict[str, str]) -> None:
        name = unquote(request.query.partition("name=")[2], "latin-1")
        disposition = f'attachment; filename="{name}"'
        self._send(200, "application/octet-stream", ATTACHMENT, disposition)

    def _send(self, status: int, kind: str, body: bytes, disposition: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if disposition:
            self.send_header("Content-Disposition", disposition)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep the test output clean; tests read ``PageServer.requests``."""
