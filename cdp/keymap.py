"""The keys of a US keyboard as Chromium wants them told, and chords of them.

A key has a DOM `key`, a physical `code`, a Windows virtual key code and, if it writes,
a text. Its name is lower case (`enter`, `pagedown`, `f5`, `ctrl`, `ctrl_r`), or the one
character that it writes. Sources: UI Events KeyboardEvent key and code values; the virtual key
codes of Chromium's keyboard_codes_posix.h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cdp.page_errors import UnknownKey

if TYPE_CHECKING:
    from collections.abc import Sequence

ALT, CTRL, META, SHIFT = 1, 2, 4, 8
_SILENCING = ALT | CTRL | META
_STANDARD, _LEFT, _RIGHT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Key:
    """One key: `key`, `code` and `location` as the page sees them, `text` as it writes."""

    key: str
    code: str
    virtual_code: int
    text: str = ""
    shifted: str = ""
    location: int = _STANDARD
    modifier: int = 0


@dataclass(frozen=True, slots=True)
class Chord:
    """Modifiers in the order in which they go down, and the base key."""

    modifiers: tuple[Key, ...]
    base: Key

    @property
    def mask(self) -> int:
        """The modifiers as the DevTools bit field: alt 1, ctrl 2, meta 4, shift 8."""
        mask = 0
        for modifier in self.modifiers:
            mask |= modifier.modifier
        return mask


def _modifiers() -> dict[str, Key]:
    rows = (
        ("ctrl", "Control", 17, 17, CTRL),
        ("alt", "Alt", 18, 18, ALT),
        ("shift", "Shift", 16, 16, SHIFT),
        ("meta", "Meta", 91, 92, META),
    )
    keys: dict[str, Key] = {}
    for name, dom, left, right, bit in rows:
        keys[name] = Key(dom, f"{dom}Left", left, location=_LEFT, modifier=bit)
        keys[f"{name}_r"] = Key(dom, f"{dom}Right", right, location=_RIGHT, modifier=bit)
    return keys


def _named() -> dict[str, Key]:
    codes = {
        "Tab": 9, "Escape": 27, "Backspace": 8, "Delete": 46, "Insert": 45, "Home": 36, "End": 35,
        "PageUp": 33, "PageDown": 34, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40,
    } | {f"F{n}": 111 + n for n in range(1, 13)}  # fmt: skip
    keys = {name.lower(): Key(name, name, code) for name, code in codes.items()}
    keys["enter"] = Key("Enter", "Enter", 13, "\r")
    keys["space"] = Key(" ", "Space", 32, " ")
    return keys


def _characters() -> dict[str, Key]:
    keys = {" ": Key(" ", "Space", 32, " ")}
    for letter in "abcdefghijklmnopqrstuvwxyz":
        upper = letter.upper()
        keys[letter] = Key(letter, f"Key{upper}", ord(upper), letter, upper)
        keys[upper] = replace(keys[letter], key=upper, text=upper)
    digits = [(d, s, f"Digit{d}", ord(d)) for d, s in zip("0123456789", ")!@#$%^&*(", strict=True)]
    signs = [
        ("`", "~", "Backquote", 192), ("-", "_", "Minus", 189), ("=", "+", "Equal", 187),
        ("[", "{", "BracketLeft", 219), ("]", "}", "BracketRight", 221),
        ("\\", "|", "Backslash", 220), (";", ":", "Semicolon", 186), ("'", '"', "Quote", 222),
        (",", "<", "Comma", 188), (".", ">", "Period", 190), ("/", "?", "Slash", 191),
    ]  # fmt: skip
    for plain, shifted, code, virtual_code in digits + signs:
        keys[plain] = Key(plain, code, virtual_code, plain, shifted)
        keys[shifted] = Key(shifted, code, virtual_code, shifted, shifted)
    return keys


_MODIFIERS = _modifiers()
_CHARACTERS = _characters()
_NAMED = _named() | _MODIFIERS | {"plus": _CHARACTERS["+"]}


def key_named(name: str) -> Key:
    """Return the key of that name or character; UnknownKey when there is none.

    A character that no US key writes gets a key without code or virtual code.
    """
    if len(name) == 1:
        return _CHARACTERS.get(name) or Key(name, "", 0, name)
    key = _NAMED.get(name)
    if key is None:
        raise UnknownKey
    return key


def chord_of(modifiers: Sequence[str], base: str) -> Chord:
    """Return the chord of these key names; UnknownKey for an unknown or non-modifier name."""
    if not all(name in _MODIFIERS for name in modifiers):
        raise UnknownKey
    return Chord(tuple(_MODIFIERS[name] for name in modifiers), key_named(base))


def key_event(event: str, key: Key, mask: int, *, repeat: bool = False) -> dict[str, object]:
    """Return the parameters of one `Input.dispatchKeyEvent`; event is "down" or "up".

    Text goes along only on the way down and only without alt, ctrl or meta. An upper
    case letter stands for itself without shift: it is what caps lock gives, and a
    chord presses no key that it does not name. With a command modifier and no shift
    a letter is the lower case one, so that ctrl+A is ctrl+a.
    """
    value, text = _value_and_text(key, mask)
    parameters: dict[str, object] = {
        "type": "keyUp" if event == "up" else "keyDown" if text else "rawKeyDown",
        "key": value, "code": key.code, "windowsVirtualKeyCode": key.virtual_code,
        "modifiers": mask,
    }  # fmt: skip
    if key.location:
        parameters["location"] = key.location
    if event == "down" and text:
        parameters |= {"text": text, "unmodifiedText": text}
    if repeat:
        parameters["autoRepeat"] = True
    return parameters


def _value_and_text(key: Key, mask: int) -> tuple[str, str]:
    shift, silent = bool(mask & SHIFT), bool(mask & _SILENCING)
    value, text = key.key, key.text
    if shift and key.shifted:
        value = text = key.shifted
    elif silent and key.code.startswith("Key"):
        value = key.key.lower()
    return value, "" if silent else text
