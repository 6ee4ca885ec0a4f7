r"""CDP messages: JSON objects with an ``id`` (replies) or a ``method`` (events).

Decoding is lenient where a page can reach: Chromium writes a lone UTF-16
surrogate of a page's string as ``\uD800``, which is no Unicode text, and each
such half becomes U+FFFD here. Fields and enum values that are unknown are kept
and never refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from cdp.errors import CallNotEncodable, MessageMalformed

if TYPE_CHECKING:
    from collections.abc import Mapping

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of characters; whole ones are one code point in a parsed text."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A command's result."""

    id: int
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command's error. ``id`` is None when the browser could not read one."""

    id: int | None
    code: int
    message: str
    data: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; ``session_id`` is "" for the browser itself."""

    method: str
    params: dict[str, Any]
    session_id: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a kind that we have no name for."""

    fields: frozenset[str]


Message = Reply | Refusal | Event | Unknown


def encode_command(
    command_id: int, method: str, params: Mapping[str, object], session_id: str
) -> bytes:
    """Return the JSON text of one command; a session id of "" addresses the browser."""
    command: dict[str, object] = {"id": command_id, "method": method, "params": params}
    if session_id:
        command["sessionId"] = session_id
    try:
        return _encode(command)
    except (TypeError, ValueError, RecursionError) as error:
        # the codec's own text may quote the value, so only its kind is kept
        raise CallNotEncodable(method, type(error).__name__) from None


def parse_message(data: bytes) -> Message:
    """Return the message in ``data``; MessageMalformed when it is no JSON object."""
    value = _parse_json(data)
    if not isinstance(value, dict):
        raise MessageMalformed(f"a {type(value).__name__} instead of an object")
    command_id = value.get("id")
    if "error" in value and (command_id is None or type(command_id) is int):
        return _refusal(command_id, value["error"])
    if type(command_id) is int:
        return Reply(command_id, _object(value.get("result")))
    method = value.get("method")
    if isinstance(method, str):
        return Event(method, _object(value.get("params")), str(value.get("sessionId") or ""))
    return Unknown(frozenset(value))


def _parse_json(data: bytes) -> object:
    try:
        return _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _parse_lenient(data)
    except RecursionError:
        raise MessageMalformed("nested too deeply") from None


def _parse_lenient(data: bytes) -> object:
    """Parse what the strict decoder refused: broken UTF-8, halves of characters, infinities."""
    try:
        return _whole_characters(json.loads(data.decode("utf-8", "replace")))
    except ValueError as error:
        raise MessageMalformed(f"no JSON: {error}") from None
    except RecursionError:
        raise MessageMalformed("nested too deeply") from None


def _whole_characters(value: object) -> object:
    """Return parsed JSON with U+FFFD for every half of a character in it."""
    match value:
        case str():
            return _HALVES.sub("\ufffd", value)
        case list():
            return [_whole_characters(each) for each in value]
        case dict():
            return {
                _HALVES.sub("\ufffd", name): _whole_characters(each) for name, each in value.items()
            }
    return value


def _refusal(command_id: int | None, error: object) -> Refusal:
    body = _object(error)
    code = body.get("code")
    return Refusal(
        command_id,
        code if isinstance(code, int) else 0,
        str(body.get("message", "")),
        str(body.get("data", "")),
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
