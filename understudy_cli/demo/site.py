"""The sample site's server: a support desk on loopback, state in memory, every submission logged.

    python -m understudy_cli.demo.site [PORT]

The desk's page asks for ``/api/desk`` and sends what a person does:

    PATCH /api/tickets/<id>            {"assignee"|"priority"|"status": …}
    POST  /api/tickets/<id>/replies    {"text": …, "internal": bool}
    POST  /tickets                     the new-ticket form; 303 to the new ticket
    GET   /api/log                     what was submitted, in order

The log is what a test or the demo compares with what a tool says it did.
"""

from __future__ import annotations

import json
import sys
import threading
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

HERE = Path(__file__).parent
PAGES = HERE / "pages"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
BODY_LIMIT = 64 * 1024
POLICY = "default-src 'self'; frame-ancestors 'self'; form-action 'self'"
US = "You"


class Refused(Exception):
    """A submission that the desk does not take; ``status`` is the HTTP status."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class Desk:
    """Tickets and the log of submissions; safe to call from several threads."""

    def __init__(self) -> None:
        self._data = json.loads((HERE / "desk.json").read_text("utf-8"))
        self._log: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def state(self) -> dict[str, Any]:
        """Return everything that the desk's page shows."""
        names = ("people", "priorities", "statuses", "templates", "tickets")
        with self._lock:
            return deepcopy({name: self._data[name] for name in names})

    def order(self, number: str) -> dict[str, Any]:
        """Return an order's lines, whereabouts and tracking number."""
        found = self._data["orders"].get(number, self._data["other_order"])
        return dict(found)

    def log(self) -> list[dict[str, Any]]:
        """Return what was submitted, in order."""
        with self._lock:
            return deepcopy(self._log)

    def change(self, ticket_id: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Set assignee, priority or status; return the ticket."""
        allowed = {"assignee": "people", "priority": "priorities", "status": "statuses"}
        with self._lock:
            ticket = self._find(ticket_id)
            for name, value in fields.items():
                if name not in allowed or value not in self._data[allowed[name]]:
                    raise Refused(400, "The desk knows no such value.")
            ticket.update(fields)
            return self._logged("change", ticket, fields)

    def reply(self, ticket_id: str, text: str, *, internal: bool) -> dict[str, Any]:
        """Append a reply or an internal note; return the ticket."""
        with self._lock:
            ticket = self._find(ticket_id)
            if not text.strip():
                raise Refused(400, "A reply needs a text.")
            message = {"author": US, "text": text, "ours": True, "internal": internal}
            ticket["messages"].append(message)
            return self._logged("note" if internal else "reply", ticket, {"text": text})

    def create(self, form: dict[str, str]) -> dict[str, Any]:
        """Open a ticket from the form's fields; return it."""
        wanted = ("customer", "email", "subject", "text")
        if not all(form.get(name, "").strip() for name in wanted):
            raise Refused(400, "Every field of the form is needed.")
        with self._lock:
            first = self._data["tickets"][0]
            ticket = {
                "id": f"T-{int(first['id'][2:]) + 1}",
                **{name: form[name] for name in wanted[:3]},
                "order": "",
                "assignee": self._data["people"][0],
                "priority": "Urgent" if form.get("urgent") else "Normal",
                "status": "Open",
                "messages": [{"author": form["customer"], "text": form["text"]}],
            }
            self._data["tickets"].insert(0, ticket)
            return self._logged("ticket", ticket, {"subject": form["subject"]})

    def _find(self, ticket_id: str) -> dict[str, Any]:
        for ticket in self._data["tickets"]:
            if ticket["id"] == ticket_id:
                found: dict[str, Any] = ticket
                return found
        raise Refused(404, "There is no such ticket.")

    def _logged(self, kind: str, ticket: dict[str, Any], what: dict[str, Any]) -> dict[str, Any]:
        self._log.append({"kind": kind, "ticket": ticket["id"], **what})
        return deepcopy(ticket)


class Site(ThreadingHTTPServer):
    """The desk's server on loopback; a context manager. Port 0 lets the kernel choose."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.desk = Desk()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name="desk")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Site
    timeout = 10  # seconds; a browser's spare connection does not hold a thread for ever

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/api/desk":
            self._send_json(200, self.server.desk.state())
        elif path == "/api/log":
            self._send_json(200, self.server.desk.log())
        elif path.startswith("/api/orders/"):
            self._send_json(200, self.server.desk.order(path.rpartition("/")[2]))
        else:
            self._send_page(path.removeprefix("/") or "index.html")

    def do_PATCH(self) -> None:
        self._submit(lambda place: self.server.desk.change(place[2], self._json()))

    def do_POST(self) -> None:
        if self.path == "/tickets":
            self._create()
            return
        self._submit(self._reply)

    def _reply(self, place: list[str]) -> dict[str, Any]:
        body = self._json()
        if place[3:] != ["replies"] or not isinstance(body.get("text"), str):
            raise Refused(400, "A reply needs a text.")
        internal = body.get("internal") is True
        return self.server.desk.reply(place[2], body["text"], internal=internal)

    def _submit(self, act: Callable[[list[str]], dict[str, Any]]) -> None:
        try:
            self._send_json(200, act(_ticket_place(self.path)))
        except Refused as refused:
            self._send_json(refused.status, {"problem": str(refused)})

    def _create(self) -> None:
        form = {name: values[0] for name, values in parse_qs(self._body().decode()).items()}
        try:
            ticket = self.server.desk.create(form)
        except Refused as refused:
            self._send(refused.status, TYPES[".html"], str(refused).encode())
            return
        self.send_response(303)
        self.send_header("Location", f"/#{ticket['id']}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _json(self) -> dict[str, Any]:
        try:
            body = json.loads(self._body())
        except ValueError:
            raise Refused(400, "The body is not JSON.") from None
        if not isinstance(body, dict):
            raise Refused(400, "The body is not an object.")
        return body

    def _body(self) -> bytes:
        length = int(self.headers.get("Content-Length", "0"))
        if length > BODY_LIMIT:
            raise Refused(413, "That is too long.")
        return self.rfile.read(length)

    def _send_page(self, name: str) -> None:
        file = PAGES / name
        if "/" in name or file.suffix not in TYPES or not file.is_file():
            self._send(404, TYPES[".html"], b"<!doctype html><title>Not found</title>Not found.")
            return
        self._send(200, TYPES[file.suffix], file.read_bytes())

    def _send_json(self, status: int, value: object) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing; what matters is in ``/api/log``."""


def _ticket_place(path: str) -> list[str]:
    """Split ``/api/tickets/<id>[/…]``."""
    place = path.strip("/").split("/")
    if place[:2] != ["api", "tickets"] or len(place) < 3:
        raise Refused(404, "There is no such place.")
    return place


def _opened(words: list[str]) -> Site:
    """Return the site on the port that is named, any free one without; ends the program."""
    try:
        return Site(int(words[0]) if words else 0)
    except (ValueError, OverflowError, OSError) as error:
        sys.exit(f"no site on port {words[0] if words else 'any'}: {error}")


def main() -> None:
    """Serve until interrupted, and say where."""
    with _opened(sys.argv[1:]) as site:
        sys.stdout.write(f"{site.url}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("\n")


if __name__ == "__main__":
    main()
