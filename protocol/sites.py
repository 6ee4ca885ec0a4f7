"""Which origins are of one site, as far as that can be said without a list of suffixes.

Two hosts are of one site when they are the same name, or one is below the other. So
``www.a.example`` and ``a.example`` are, while ``a.example`` and ``b.example`` are not,
nor are ``x.a.example`` and ``y.a.example``: that would need to know who gives out names
below ``a.example``. Addresses are of one site with themselves only.
"""

import re
from typing import Final

_PORT: Final = re.compile(r":[0-9]+$")
_ADDRESS: Final = re.compile(r"[0-9.]+|\[.*\]")


def is_same_site(origin: str, other: str) -> bool:
    """Whether a load of ``origin`` that is led on to ``other`` stays on its site.

    Both are canonical origins. From https nothing leads on to http.
    """
    scheme, _, authority = origin.partition("://")
    to_scheme, _, to_authority = other.partition("://")
    if (scheme, to_scheme) == ("https", "http"):
        return False
    host, to_host = _PORT.sub("", authority), _PORT.sub("", to_authority)
    return host == to_host or _is_below(host, to_host) or _is_below(to_host, host)


def _is_below(host: str, parent: str) -> bool:
    if _ADDRESS.fullmatch(parent) or "." not in parent:
        return False
    return host.endswith("." + parent)
