"""Page text as text mode shows it: one line, quoted, escaped, and cut when long."""

from __future__ import annotations

from protocol.snapshot_text import quote
from protocol.untrusted import escape_line

SHOWN_LIMIT = 200
"""Characters of page text shown in text mode; the rest is cut and marked."""


def quote_page_text(text: str) -> str:
    """Return page text as one quoted line of at most SHOWN_LIMIT characters."""
    cut = "…" if len(text) > SHOWN_LIMIT else ""
    quoted = escape_line(text[:SHOWN_LIMIT]).replace('"', '\\"')
    return f'"{quoted}"{cut}'


def show_value(value: object) -> str:
    """Return a value of a reply on one line; every text in it is taken for page text."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(show_value, value))
    if isinstance(value, dict):
        parts = ((escape_line(str(name)), show_value(part)) for name, part in value.items())
        return " ".join(f"{name}={part}" for name, part in parts)
    return "null" if value is None else str(value)
