"""Page text as text mode shows it: one line, quoted, escaped, and cut when long."""

from __future__ import annotations

from protocol.untrusted import escape_line

SHOWN_LIMIT = 200
"""Characters of page text shown in text mode; the rest is cut and marked."""


def quote_page_text(text: str) -> str:
    """Return page text as one quoted line of at most SHOWN_LIMIT characters."""
    cut = "…" if len(text) > SHOWN_LIMIT else ""
    quoted = escape_line(text[:SHOWN_LIMIT]).replace('"', '\\"')
    return f'"{quoted}"{cut}'
