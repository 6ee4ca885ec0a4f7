"""Text that a page or a stranger's file wrote, made safe to show on one line."""


def escape_line(text: str) -> str:
    r"""Return ``text`` with nothing in it that could move a cursor, turn a line or hide.

    Control, format (bidirectional), separator, private, unassigned and surrogate
    characters are written as ``\xNN``, ``\uNNNN`` or ``\UNNNNNNNN``, a backslash as two.
    """
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character == "\\":
        return r"\\"
    if character.isprintable():
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
