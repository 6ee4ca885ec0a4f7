"""Hosts of http and https addresses, in the one spelling that browsers give them.

Follows the host parser of the WHATWG URL standard for special schemes: percent
decoding, UTS 46 (non-transitional, no length or hyphen rules), odd forms of IPv4,
IPv6. Where the standard leaves room, this module refuses: a host that is refused can
be spelt another way, a host that is mistaken for another cannot be undone.
"""

import ipaddress
import re
from typing import Final
from urllib.parse import unquote_to_bytes

import idna

from protocol.errors import Failure

_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_PLAIN_LABEL: Final = re.compile(r"[\x21-\x7e]*")


class HostRefused(Failure):
    """The text is no host of an http or https address."""

    def __init__(self, condition: str) -> None:
        super().__init__(
            "invalid_request", f"The host of the address {condition}", "Check the address."
        )


def parse_host(text: str) -> str:
    """Return the canonical host: a name in ASCII, an IPv4 address, or ``[IPv6]``.

    A trailing dot stays: for browsers ``a.example.`` is another host than
    ``a.example``. Behind an IPv4 address it goes, as they do. Raises HostRefused.
    """
    if text.startswith("["):
        return _ipv6(text)
    name = _ascii_name(_percent_decoded(text))
    if not name:
        raise HostRefused("is empty")
    if _FORBIDDEN.search(name):
        raise HostRefused("has a character that no host has")
    return _ipv4(name) if _ends_in_number(name) else name


def is_loopback(host: str) -> bool:
    """Whether a canonical host is localhost, below .localhost, 127.0.0.1 or [::1]."""
    return host in {"localhost", "127.0.0.1", "[::1]"} or host.endswith(".localhost")


def _percent_decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeError:
        raise HostRefused("is not UTF-8") from None


def _ascii_name(name: str) -> str:
    if name.isascii() and "xn--" not in name.lower():
        return name.lower()
    try:
        mapped = idna.uts46_remap(name, std3_rules=False)
        return ".".join(_ascii_label(label) for label in mapped.split("."))
    except ValueError:  # IDNAError and UnicodeError are kinds of it
        raise HostRefused("is not a valid international name") from None


def _ascii_label(label: str) -> str:
    """Encode one mapped label; UnicodeError or IDNAError when no browser would take it."""
    if label.startswith("xn--"):
        decoded = label[4:].encode("ascii").decode("punycode")
        if decoded.isascii() or _punycode(decoded) != label:
            raise UnicodeError("not what its letters encode to")
        if idna.uts46_remap(decoded, std3_rules=False) != decoded:
            raise UnicodeError("not in its mapped form")
        _check_label(decoded)
        return label
    if label.isascii():
        return label
    _check_label(label)
    return _punycode(label)


def _punycode(label: str) -> str:
    return "xn--" + label.encode("punycode").decode("ascii")


def _check_label(label: str) -> None:
    idna.check_initial_combiner(label)
    idna.check_bidi(label)
    for position, character in enumerate(label):
        if character in "\u200c\u200d" and not idna.valid_contextj(label, position):
            raise UnicodeError("a joiner out of its context")


def _ends_in_number(name: str) -> bool:
    labels = name.split(".")
    if labels[-1] == "" and len(labels) > 1:
        labels.pop()
    return labels[-1].isdigit() or _NUMBER.fullmatch(labels[-1]) is not None


def _ipv4(name: str) -> str:
    """Read one to four numbers, decimal, octal or hexadecimal; the last fills the rest."""
    parts = name.removesuffix(".").split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise HostRefused("ends in a number and is no IPv4 address")
    *leading, last = [_ipv4_number(part) for part in parts]
    room = 256 ** (4 - len(leading))
    if any(number > 255 for number in leading) or last >= room:
        raise HostRefused("is no IPv4 address: a number in it is too large")
    value = last + sum(number << (24 - 8 * place) for place, number in enumerate(leading))
    return str(ipaddress.IPv4Address(value))


def _ipv4_number(part: str) -> int:
    if len(part) > 64:
        raise HostRefused("is no IPv4 address: a number in it is too long")
    try:
        if part[:2] in {"0x", "0X"}:
            return int(part[2:] or "0", 16)
        return int(part, 8) if part.startswith("0") else int(part)
    except ValueError:
        raise HostRefused("is no IPv4 address: a number in it is not octal") from None


def _ipv6(text: str) -> str:
    address = text[1:-1]
    if not text.endswith("]") or "%" in address:
        raise HostRefused("is no IPv6 address in brackets")
    try:
        return f"[{_compressed(ipaddress.IPv6Address(address))}]"
    except ValueError:
        raise HostRefused("is no IPv6 address in brackets") from None


def _compressed(address: ipaddress.IPv6Address) -> str:
    """Write hexadecimal pieces throughout; some Pythons end mapped addresses with dots."""
    packed = address.packed
    pieces = [f"{packed[at] << 8 | packed[at + 1]:x}" for at in range(0, len(packed), 2)]
    start, length = _longest_zeros(pieces)
    if length < 2:
        return ":".join(pieces)
    return f"{':'.join(pieces[:start])}::{':'.join(pieces[start + length :])}"


def _longest_zeros(pieces: list[str]) -> tuple[int, int]:
    best, start = (0, 0), 0
    for place, piece in enumerate([*pieces, "end"]):
        if piece != "0":
            if place - start > best[1]:
                best = (start, place - start)
            start = place + 1
    return best
