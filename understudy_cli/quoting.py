"""Text that a page (or a file) wrote, made safe to show on a terminal.

One line, in double quotes, with everything escaped that could move the cursor,
end the line or turn the direction of reading.
"""

from __future__ import annotations

import unicodedata

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
SHOWN_LIMIT = 200
"""Characters of page text shown in text mode; the rest is cut and marked."""


def escape_hidden(text: str) -> str:
    """Return ``text`` with control, format and line-separating characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) for character in text)


def quote_page_text(text: str) -> str:
    """Return page text as one quoted line of at most SHOWN_LIMIT characters."""
    shown = text[:SHOWN_LIMIT]
    cut = "…" if len(text) > SHOWN_LIMIT else ""
    named = "".join(_NAMED.get(character, character) for character in shown)
    return f'"{escape_hidden(named)}"{cut}'


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
