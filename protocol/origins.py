r"""Origins: which documents a session may load, and how an address names its origin.

Addresses are read as browsers read them (WHATWG URL, special schemes): outer blanks
and control characters go, tabs and line breaks go anywhere, ``\`` is ``/``, what
stands before the last ``@`` is no host, default ports vanish. Only http, https and
about:blank can be navigated to.
"""

import re
from collections.abc import Collection, Iterable
from typing import Final

from protocol.errors import Failure
from protocol.hosts import is_loopback, parse_host

MAX_ORIGINS: Final = 32
"""Origins of one session (behaviour.md §1.0.1)."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_OUTER: Final = "".join(map(chr, range(0x21)))
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_ABOUT_BLANK: Final = re.compile(r"(?i:about):blank(?:[?#].*)?", re.DOTALL)
_PLAIN: Final = re.compile(r"(?i:https?)://[^\x00-\x20\x7f]+|about:blank")
_WEB: Final = re.compile(r"(?i:https?)://")
_BLANK: Final = re.compile(r"[\x00-\x20\x7f]")
_AFTER_AUTHORITY: Final = re.compile(r"[/\\?#]")
_HOST_AND_PORT: Final = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
_NOT_IN_ORIGINS: Final = re.compile(r"[*?#@\s\\\x00-\x20]")


def origin_of(url: str) -> str | None:
    """Return the origin of an absolute address, ``None`` for about:blank.

    Raises Failure ``origin`` when the scheme cannot be navigated to, and
    ``invalid_request`` when ``url`` is no absolute address.
    """
    text = _stripped(url)
    if _ABOUT_BLANK.fullmatch(text):
        return None
    scheme, rest = _scheme(text)
    if scheme not in _DEFAULT_PORTS:
        raise Failure(
            "origin",
            f"Addresses of the scheme {scheme}: are never navigated to",
            "Use an http or https address, or about:blank.",
        )
    authority = _AFTER_AUTHORITY.split(rest.lstrip("/\\"), maxsplit=1)[0]
    return _origin(scheme, authority.rpartition("@")[2])


def parse_origin(text: str, *, explicit: bool) -> str:
    """Return the canonical form of an origin: ``scheme://host`` and any uncommon port.

    https is accepted, and http on loopback; http elsewhere only when the caller named
    the origin itself (``explicit``), which is consent. Raises Failure ``origin`` for
    that, ``invalid_request`` when ``text`` is no origin and nothing more.
    """
    parts = _SCHEME.fullmatch(text)
    if parts is None or _NOT_IN_ORIGINS.search(text) or not parts[2].startswith("//"):
        raise _no_origin()
    authority, slash, path = parts[2][2:].partition("/")
    if parts[1].lower() not in _DEFAULT_PORTS or path or (slash and not authority):
        raise _no_origin()
    origin = _origin(parts[1].lower(), authority)
    if not explicit:
        _verify_secure(origin)
    return origin


def session_origins(url: str | None, named: Iterable[str]) -> tuple[str, ...]:
    """Return what a session may load: its first address's origin and every named one.

    Canonical, without repeats, sorted; at most 32. An http origin off loopback must be
    among the named. Raises Failure ``origin`` or ``invalid_request``.
    """
    origins = {parse_origin(text, explicit=True) for text in named}
    first = None if url is None else origin_of(url)
    if url is not None:
        verify_plain(url)
    if first is not None and first not in origins:
        _verify_secure(first)
        origins.add(first)
    if len(origins) > MAX_ORIGINS:
        raise Failure(
            "invalid_request",
            f"A session has at most {MAX_ORIGINS} origins",
            "Begin several sessions.",
        )
    return tuple(sorted(origins))


def verify_plain(url: str) -> None:
    """Raise ``invalid_request`` unless a caller wrote an address as it will be sent.

    ``origin`` for one that holds a user name or a password.

    A browser repairs blanks, line breaks and missing slashes; nothing is navigated to
    that first needs repair, so it is refused before anything is started for it.
    """
    verify_no_credentials(url)
    if not _PLAIN.fullmatch(url):
        raise Failure(
            "invalid_request",
            "The address is not written plainly",
            "Write http:// or https:// and the rest without blanks, or about:blank alone.",
        )


def verify_no_blanks(url: str) -> None:
    """Raise ``invalid_request`` for a web address with a blank or a control character."""
    if _WEB.match(url) and _BLANK.search(url):
        raise Failure(
            "invalid_request",
            "The address holds a blank or a control character",
            "Write each as the server knows it, such as %20 for a blank.",
        )


def verify_no_credentials(url: str) -> None:
    """Raise ``origin`` for an address that holds a user name or password: it would be kept.

    What is refused is in no message. An address of another scheme, or of none, passes.
    """
    parts = _SCHEME.fullmatch(_stripped(url))
    if parts is None or parts[1].lower() not in _DEFAULT_PORTS:
        return
    if "@" in _AFTER_AUTHORITY.split(parts[2].lstrip("/\\"), maxsplit=1)[0]:
        raise Failure(
            "origin",
            "The address holds a user name or a password before its host",
            "Leave out what stands before the @, and sign in on the page.",
        )


def refusal_of(url: str) -> Failure:
    """Return why a document at ``url`` was not loaded, by what would allow its origin."""
    try:
        verify_allowed((), url)
    except Failure as failure:
        return failure
    raise AssertionError("about:blank is never refused")


def verify_allowed(origins: Collection[str], url: str) -> None:
    """Raise unless a document at ``url`` may be loaded: on one of ``origins`` or about:blank.

    Failure ``origin`` names the refused origin and the flag that would allow it;
    ``invalid_request`` when ``url`` is no absolute address.
    """
    origin = origin_of(url)
    if origin is not None and origin not in origins:
        raise _not_allowed(f"The origin {origin} is not one of this session's", origin)


def allows(origins: Collection[str], url: str) -> bool:
    """Whether a document at ``url`` may be loaded: on one of ``origins`` or about:blank."""
    try:
        verify_allowed(origins, url)
    except Failure:
        return False
    return True


def _stripped(url: str) -> str:
    text = url.strip(_OUTER)
    return text.translate({0x09: None, 0x0A: None, 0x0D: None})


def _scheme(text: str) -> tuple[str, str]:
    parts = _SCHEME.fullmatch(text)
    if parts is None:
        raise Failure(
            "invalid_request",
            "The address has no scheme",
            "Write the whole address, as in https://a.example/.",
        )
    return parts[1].lower(), parts[2]


def _origin(scheme: str, authority: str) -> str:
    parts = _HOST_AND_PORT.fullmatch(authority)
    if parts is None or (parts[2] and len(parts[2].lstrip("0")) > 5):
        raise _no_port()
    host, port = parse_host(parts[1]), int(parts[2] or _DEFAULT_PORTS[scheme])
    if port > 0xFFFF:
        raise _no_port()
    return f"{scheme}://{host}" + ("" if port == _DEFAULT_PORTS[scheme] else f":{port}")


def _verify_secure(origin: str) -> None:
    scheme, _, authority = origin.partition("://")
    host = re.sub(r":[0-9]+$", "", authority)
    if scheme == "http" and not is_loopback(host):
        raise _not_allowed(f"The origin {origin} is neither https nor on loopback", origin)


def _not_allowed(message: str, origin: str) -> Failure:
    return Failure("origin", message, f"Allow it with --origin {origin} when the session begins.")


def _no_origin() -> Failure:
    return Failure(
        "invalid_request",
        "This is no origin: it needs http or https, a host, perhaps a port, and nothing else",
        "Write it as in https://a.example or http://localhost:8080.",
    )


def _no_port() -> Failure:
    return Failure(
        "invalid_request", "The address has a bad host or port", "A port is a number up to 65535."
    )
