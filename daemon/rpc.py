"""The second door: JSON-RPC 2.0, one object (or one batch) a line, for programs.

Calls of one connection are answered one at a time, in order: a program that
pipelines gets what a program that waits would get. To ask or to abort while a
call runs, use a second connection. A client with a token shows it first, by
``client.hello {"token": …}``.

``Conversation`` is the protocol without the socket: a line in, a line out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daemon.clients import TokenRefused
from daemon.dispatch import MethodUnknown
from daemon.logs import log_mistake
from protocol.canonical import JsonRefused, parse_json
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daemon.clients import Clients
    from daemon.dispatch import Dispatcher, Reply
    from protocol.actors import Actor

LINE_LIMIT = 1024 * 1024
"""Longest line, in bytes; an evidence request of 96 KiB fits in with every byte escaped."""
BATCH_LIMIT = 64
HELLO = "client.hello"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
FAILURE = -32000
"""Every failure of ours; ``data`` is the error body that the other door prints."""

Object = dict[str, object]


class RequestInvalid(Exception):
    """A member of a request is not as JSON-RPC 2.0 says."""


@dataclass(frozen=True)
class Request:
    """One call; without an id it is a notification and is never answered."""

    method: str
    params: Mapping[str, object] | None
    identifier: str | int | None
    is_notification: bool


class Conversation:
    """One connection's calls; knows who calls."""

    def __init__(self, dispatcher: Dispatcher, clients: Clients, uid: int) -> None:
        self._dispatcher = dispatcher
        self._clients = clients
        self._uid = uid
        self._actor: Actor | None = clients.actor(uid, "")
        self._has_called = False

    async def answer(self, line: bytes) -> bytes | None:
        """Return the line that answers a line, None when nothing is to be answered."""
        try:
            document = parse_json(line, limit_bytes=LINE_LIMIT, floats=True)
        except JsonRefused as refused:
            return _encode(_error(None, PARSE_ERROR, refused.message))
        if not isinstance(document, list):
            reply = await self._answer_one(document)
            return None if reply is None else _encode(reply)
        if not 0 < len(document) <= BATCH_LIMIT:
            message = f"a batch has 1 to {BATCH_LIMIT} requests"
            return _encode(_error(None, INVALID_REQUEST, message))
        replies = [await self._answer_one(one) for one in document]
        return _encode([reply for reply in replies if reply is not None] or None)

    async def _answer_one(self, document: object) -> Object | None:
        try:
            request = parse_request(document)
        except RequestInvalid as invalid:
            return _error(_identifier(document), INVALID_REQUEST, str(invalid))
        reply = await self._answer_request(request)
        return None if request.is_notification else reply

    async def _answer_request(self, request: Request) -> Object:
        identifier = request.identifier
        if request.params is None:
            return _error(identifier, INVALID_PARAMS, "params is an object with named members")
        try:
            result = await self._call(request.method, request.params)
        except MethodUnknown as unknown:
            return _error(identifier, METHOD_NOT_FOUND, unknown.message, unknown)
        except Failure as failure:
            code = INVALID_PARAMS if failure.code == "invalid_request" else FAILURE
            return _error(identifier, code, failure.message, failure)
        except Exception as error:
            log_mistake("a call of the second door ended by an error of ours", error)
            return _error(identifier, INTERNAL_ERROR, "internal error; the daemon's log says more")
        return {"jsonrpc": "2.0", "id": identifier, "result": result}

    async def _call(self, method: str, params: Mapping[str, object]) -> Reply:
        if method == HELLO:
            return self._greet(params)
        self._has_called = True
        if self._actor is None or not self._clients.is_known(self._actor):
            raise TokenRefused
        return await self._dispatcher.call(self._actor, method, params)

    def _greet(self, params: Mapping[str, object]) -> Reply:
        token = params.get("token")
        if self._has_called or set(params) != {"token"} or not isinstance(token, str) or not token:
            raise Failure(
                "invalid_request",
                f"{HELLO} is the first call of a connection and has one field, token",
                "open a new connection and send it first",
            )
        self._has_called, self._actor = True, None  # a refused token is not the owner's call
        self._actor = self._clients.actor(self._uid, token)
        return {"ok": True, "actor": self._actor.wire()}


def parse_request(document: object) -> Request:
    """Return the call that a document spells; raises `RequestInvalid`.

    ``params`` of the result is None when it is there but is no object.
    """
    if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
        raise RequestInvalid('a request is an object with "jsonrpc": "2.0"')
    if document.keys() - {"jsonrpc", "method", "params", "id"}:
        raise RequestInvalid("a request has only jsonrpc, method, params and id")
    method = document.get("method")
    if not isinstance(method, str):
        raise RequestInvalid("method is a text")
    identifier = document.get("id")
    if not _is_identifier(identifier):
        raise RequestInvalid("id is a text, a whole number or null")
    params = document.get("params", {})
    named = params if isinstance(params, dict) else None
    return Request(method, named, identifier, "id" not in document)


def encode_line_too_long() -> bytes:
    """Return the last line of a connection that sent a line over `LINE_LIMIT`."""
    message = f"a line has at most {LINE_LIMIT} bytes"
    return _encode(_error(None, INVALID_REQUEST, message)) or b""


def looks_like_http(line: bytes) -> bool:
    """Return whether this is the first line of a request that a browser could be made to send."""
    method, _, rest = line.partition(b" ")
    return method.isalpha() and method.isupper() and bool(rest)


def _is_identifier(value: object) -> bool:
    return value is None or isinstance(value, str) or type(value) is int


def _identifier(document: object) -> str | int | None:
    found = document.get("id") if isinstance(document, dict) else None
    return found if _is_identifier(found) else None


def _error(
    identifier: str | int | None, code: int, message: str, failure: Failure | None = None
) -> Object:
    error: Object = {"code": code, "message": message}
    if failure is not None:
        error["data"] = failure.body()
    return {"jsonrpc": "2.0", "id": identifier, "error": error}


def _encode(document: object) -> bytes | None:
    """Return the document as one line of ASCII, so that any text passes any reader."""
    if document is None:
        return None
    return json.dumps(document, separators=(",", ":")).encode("ascii") + b"\n"
