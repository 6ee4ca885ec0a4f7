"""The key grammar: chords such as ``ctrl+shift+t``, as names that a keyboard maps to codes.

It is the union of the grammars in behaviour.md §1.0.5 and §1.4.5: parts joined by
``+``, the last one the base, the others modifiers, names in any case. A modifier may
be the base. The sign ``+`` itself is named ``plus``. A part that is empty is an error
and not dropped: ``ctrl++`` would otherwise press control alone and say it was done.
"""

from dataclasses import dataclass
from typing import Final

from protocol.errors import Failure

MAX_KEY_CHARACTERS: Final = 256

_MODIFIER_NAMES: Final = {
    "ctrl": ("ctrl", "control"),
    "alt": ("alt", "option"),
    "shift": ("shift",),
    "meta": ("meta", "super", "cmd", "command", "win"),
}
_KEY_NAMES: Final = {
    "enter": ("enter", "return"),
    "escape": ("escape", "esc"),
    "backspace": ("backspace",),
    "tab": ("tab",),
    "space": ("space",),
    "delete": ("delete", "del"),
    "insert": ("insert", "ins"),
    "home": ("home",),
    "end": ("end",),
    "pageup": ("pageup", "page_up", "prior"),
    "pagedown": ("pagedown", "page_down", "next"),
    "arrowup": ("arrowup", "up"),
    "arrowdown": ("arrowdown", "down"),
    "arrowleft": ("arrowleft", "left"),
    "arrowright": ("arrowright", "right"),
    "plus": ("plus",),
    **{f"f{number}": (f"f{number}",) for number in range(1, 13)},
}
_MODIFIERS: Final = {
    alias + side: name + side.replace("_l", "")
    for name, aliases in _MODIFIER_NAMES.items()
    for alias in aliases
    for side in ("", "_l", "_r")
}
"""Every spelling of a modifier; the left one is the plain one."""
_NAMED: Final = _MODIFIERS | {
    alias: name for name, aliases in _KEY_NAMES.items() for alias in aliases
}


@dataclass(frozen=True, slots=True)
class Chord:
    """Modifiers in the order in which they go down, and the key that is pressed.

    Modifiers are ``ctrl alt shift meta``, with ``_r`` behind the right-hand ones. The
    base is one character or a lower-case name: a modifier, ``enter escape backspace
    tab space delete insert home end pageup pagedown arrowup arrowdown arrowleft
    arrowright plus`` or ``f1`` to ``f12``.
    """

    modifiers: tuple[str, ...]
    base: str


def parse_chord(text: str) -> Chord:
    """Return the chord that ``text`` names; Failure ``invalid_request`` if it names none.

    The failure never repeats the text: what a person pressed is theirs.
    """
    parts = [part.strip() for part in text.split("+")]
    if len(text) > MAX_KEY_CHARACTERS or not all(parts):
        raise _refused("is empty, has an empty part or is too long")
    *held, base = parts
    modifiers = tuple(dict.fromkeys(_modifier(part) for part in held))
    return Chord(modifiers, _base(base))


def _modifier(part: str) -> str:
    name = _MODIFIERS.get(part.lower())
    if name is None:
        raise _refused("has a part before its last that is no modifier")
    return name


def _base(part: str) -> str:
    if len(part) == 1 and part.isprintable():
        return part
    name = _NAMED.get(part.lower())
    if name is None:
        raise _refused("ends in a key that is not known")
    return name


def _refused(condition: str) -> Failure:
    return Failure(
        "invalid_request",
        f"The key {condition}",
        "A key is modifiers (ctrl, alt, shift, meta) and one character or key name, joined"
        " by +, as in ctrl+shift+t, pagedown or f5; + is named plus, a blank is named space.",
    )
