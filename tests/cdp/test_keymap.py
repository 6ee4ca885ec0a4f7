"""Chords and what each of their keys tells a page."""

from __future__ import annotations

import string

import pytest

from cdp.keyboard import down_calls, up_calls
from cdp.keymap import ALT, CTRL, META, SHIFT, chord_of, key_event, key_named
from cdp.page_errors import UnknownKey
from protocol.keys import parse_chord


def events(*names: str) -> list[tuple[object, ...]]:
    *modifiers, base = names
    chord = chord_of(modifiers, base)
    calls = [*down_calls(chord), *up_calls(chord)]
    return [(p["type"], p["key"], p["modifiers"], p.get("text")) for _, p in calls]


def test_modifiers_go_down_in_order_and_up_in_reverse() -> None:
    assert events("ctrl", "shift", "a") == [
        ("rawKeyDown", "Control", CTRL, None),
        ("rawKeyDown", "Shift", CTRL | SHIFT, None),
        ("rawKeyDown", "A", CTRL | SHIFT, None),
        ("keyUp", "A", CTRL | SHIFT, None),
        ("keyUp", "Shift", CTRL, None),
        ("keyUp", "Control", 0, None),
    ]


@pytest.mark.parametrize(
    ("names", "key", "text"),
    [
        (("a",), "a", "a"),
        (("A",), "A", "A"),
        (("shift", "a"), "A", "A"),
        (("shift", "A"), "A", "A"),
        (("shift", "1"), "!", "!"),
        (("shift", "!"), "!", "!"),
        (("ctrl", "A"), "a", None),
        (("ctrl", "a"), "a", None),
        (("alt", "x"), "x", None),
        (("meta", "x"), "x", None),
        (("enter",), "Enter", "\r"),
        (("shift", "enter"), "Enter", "\r"),
        (("ctrl", "enter"), "Enter", None),
        (("space",), " ", " "),
        (("tab",), "Tab", None),
        (("plus",), "+", "+"),
        (("é",), "é", "é"),
        (("shift",), "Shift", None),
        (("f12",), "F12", None),
    ],
)
def test_text_goes_along_only_without_a_command_modifier(
    names: tuple[str, ...], key: str, text: str | None
) -> None:
    *modifiers, base = names
    chord = chord_of(modifiers, base)
    _, parameters = down_calls(chord)[-1]
    assert (parameters["key"], parameters.get("text")) == (key, text)
    assert parameters["type"] == ("rawKeyDown" if text is None else "keyDown")
    _, up = up_calls(chord)[0]
    assert (up["key"] if base != "shift" else key, up.get("text")) == (key, None)


def test_a_modifier_may_be_the_base() -> None:
    assert events("ctrl", "shift") == [
        ("rawKeyDown", "Control", CTRL, None),
        ("rawKeyDown", "Shift", CTRL | SHIFT, None),
        ("keyUp", "Shift", CTRL, None),
        ("keyUp", "Control", 0, None),
    ]


def test_right_hand_modifiers_are_keys_of_their_own() -> None:
    left, right = key_named("ctrl"), key_named("ctrl_r")
    assert (left.code, left.location, right.code, right.location) == (
        "ControlLeft", 1, "ControlRight", 2,
    )  # fmt: skip
    assert key_named("meta_r").modifier == META
    assert key_named("alt").modifier == ALT


def test_every_printable_sign_of_the_us_layout_has_a_code_and_writes_itself() -> None:
    for sign in string.ascii_letters + string.digits + string.punctuation + " ":
        key = key_named(sign)
        assert key.code
        assert key.virtual_code
        assert key_event("down", key, 0)["text"] == sign
    codes = [key_named(sign) for sign in string.ascii_lowercase + string.digits + "`-=[]\\;',./"]
    assert len({key.code for key in codes}) == len({key.virtual_code for key in codes}) == 47


def test_every_name_of_the_grammar_is_a_key() -> None:
    names = "enter escape backspace tab space delete insert home end pageup pagedown arrowup"
    names += " arrowdown arrowleft arrowright plus ctrl alt shift meta ctrl_r f1 f12 win option_r"
    for name in names.split():
        chord = parse_chord(name)
        assert key_named(chord.base)
    held = parse_chord("Control_R+option+SHIFT+command+x")
    assert [key.modifier for key in chord_of(held.modifiers, held.base).modifiers] == [
        CTRL, ALT, SHIFT, META,
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("enter", "a"), ("a", "b"), ("",), ("nokey",), ("Enter",)])
def test_what_is_no_key_or_no_modifier_is_unknown(names: tuple[str, ...]) -> None:
    *modifiers, base = names
    with pytest.raises(UnknownKey) as caught:
        chord_of(modifiers, base)
    assert "nokey" not in str(caught.value)


def test_a_repeat_says_so() -> None:
    assert key_event("down", key_named("a"), 0, repeat=True)["autoRepeat"] is True
    assert "autoRepeat" not in key_event("down", key_named("a"), 0)
