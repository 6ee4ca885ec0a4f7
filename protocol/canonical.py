r"""Strict JSON in, canonical JSON out, and digests over it (receipt-v2, "Hashes").

Strict means: UTF-8 without a byte order mark, one document, no key twice in an
object, no lone surrogate, a bound on size and depth, and no number that cannot be
told exactly. Canonical means: keys sorted by code point, no white space, non-ASCII
as itself, control characters as short or lower-case ``\u00xx`` escapes, integers.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import NoReturn

from protocol.errors import Failure

MAX_DEPTH = 64
"""How deep objects and arrays may nest in any document that a caller hands us."""

MAX_INTEGER_DIGITS = 1_000
"""Longer integers are refused: no field means them, and turning them to text is slow."""

_SCALARS = (str, int, type(None))
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonRefused(Failure):
    """The text is not JSON of the strict kind; the message says what is wrong with it."""

    def __init__(self, message: str, hint: str = "Send one JSON document in UTF-8.") -> None:
        super().__init__("invalid_request", message, hint)


class JsonTooLarge(JsonRefused):
    """The text is longer than its reader allows."""


def parse_json(
    text: bytes | str, *, limit_bytes: int, max_depth: int = MAX_DEPTH, floats: bool = False
) -> object:
    """Return the one document in ``text``: dict, list, str, int, bool or None.

    ``limit_bytes`` counts UTF-8 bytes. With ``floats`` a number may have a fraction
    or an exponent and comes back as a float. Raises JsonTooLarge or JsonRefused.
    """
    source = _decode(text, limit_bytes)
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_int=_integer,
        parse_float=float if floats else _refuse_float,
        parse_constant=_refuse_constant,
    )
    try:
        value = decoder.decode(source)
    except json.JSONDecodeError as error:
        raise JsonRefused(
            f"Not one JSON document: {error.msg}, line {error.lineno}, column {error.colno}",
            "Send one JSON document in UTF-8; on the command line @FILE reads it from a file.",
        ) from None
    except RecursionError:
        raise JsonRefused(f"The JSON nests deeper than {max_depth}") from None
    _check_value(value, max_depth)
    return value


def encode_canonical(value: object) -> str:
    """Return the canonical text of dicts, lists, strings, integers, booleans and None.

    Raises TypeError for anything else: a float has no canonical form.
    """
    _check_encodable(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(domain: str, value: object) -> str:
    """Return SHA-256 over the domain, a NUL byte and canonical JSON, as 64 hex digits."""
    return sha256(f"{domain}\0{encode_canonical(value)}".encode()).hexdigest()


def digest_bytes(data: bytes) -> str:
    """Return the plain SHA-256 of ``data`` as 64 hex digits."""
    return sha256(data).hexdigest()


def _decode(text: bytes | str, limit_bytes: int) -> str:
    try:
        data = text.encode() if isinstance(text, str) else text
        if len(data) > limit_bytes:
            raise JsonTooLarge(f"The JSON has {len(data)} bytes; at most {limit_bytes} are allowed")
        source = data.decode()
    except UnicodeEncodeError:
        raise JsonRefused("The JSON holds a lone surrogate") from None
    except UnicodeDecodeError as error:
        raise JsonRefused(f"The JSON is not UTF-8 at byte {error.start}") from None
    if source.startswith("\ufeff"):
        raise JsonRefused("The JSON begins with a byte order mark")
    return source


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise JsonRefused("An object in the JSON has the same key twice")
    return value


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise JsonRefused(f"An integer in the JSON has more than {MAX_INTEGER_DIGITS} digits")
    return int(digits)


def _refuse_float(_: str) -> NoReturn:
    raise JsonRefused("A number in the JSON is not an integer")


def _refuse_constant(name: str) -> NoReturn:
    raise JsonRefused(f"{name} is not JSON")


def _check_value(value: object, max_depth: int) -> None:
    """Refuse lone surrogates and depth level by level, so that depth costs no stack."""
    level, depth = [value], 0
    while level:
        if any(isinstance(member, str) and not _is_unicode(member) for member in level):
            raise JsonRefused("A text in the JSON holds a lone surrogate")
        containers = [member for member in level if isinstance(member, dict | list)]
        if containers and depth == max_depth:
            raise JsonRefused(f"The JSON nests deeper than {max_depth}")
        level, depth = [member for parent in containers for member in _members(parent)], depth + 1


def _members(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_unicode(text: str) -> bool:
    return text.isascii() or _SURROGATE.search(text) is None


def _check_encodable(value: object) -> None:
    waiting = [value]
    while waiting:
        member = waiting.pop()
        if isinstance(member, dict):
            if not all(isinstance(key, str) for key in member):
                raise TypeError("canonical JSON has text keys only")
            waiting.extend(member.values())
        elif isinstance(member, list):
            waiting.extend(member)
        elif not isinstance(member, _SCALARS):
            raise TypeError(f"canonical JSON has no {type(member).__name__}")
