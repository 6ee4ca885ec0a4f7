"""The key grammar: the union of two, and what neither allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.keys import Chord, parse_chord

CHORDS = {
    "a": Chord((), "a"),
    "A": Chord((), "A"),
    "é": Chord((), "é"),
    "😀": Chord((), "😀"),
    "-": Chord((), "-"),
    "Enter": Chord((), "enter"),
    "RETURN": Chord((), "enter"),
    "Esc": Chord((), "escape"),
    "Page_Down": Chord((), "pagedown"),
    "next": Chord((), "pagedown"),
    "prior": Chord((), "pageup"),
    "ArrowLeft": Chord((), "arrowleft"),
    "up": Chord((), "arrowup"),
    "del": Chord((), "delete"),
    "ins": Chord((), "insert"),
    "space": Chord((), "space"),
    "plus": Chord((), "plus"),
    "F12": Chord((), "f12"),
    "ctrl+a": Chord(("ctrl",), "a"),
    "Control + Shift + T": Chord(("ctrl", "shift"), "T"),
    "command+plus": Chord(("meta",), "plus"),
    "win+option+F1": Chord(("meta", "alt"), "f1"),
    "alt_r+x": Chord(("alt_r",), "x"),
    "ctrl_l+x": Chord(("ctrl",), "x"),
    "super_l": Chord((), "meta"),
    "Shift": Chord((), "shift"),
    "ctrl+shift": Chord(("ctrl",), "shift"),
    "ctrl+control+a": Chord(("ctrl",), "a"),
}


@pytest.mark.parametrize("text", CHORDS)
def test_a_chord_is_modifiers_and_a_base(text):
    assert parse_chord(text) == CHORDS[text]


@pytest.mark.parametrize(
    "text",
    ["", " ", "+", "++", "ctrl+", "+a", "ctrl++", "ctrl++a", "a+b", "enter+a", "f13", "f0", "foo",
     "hyper+a", "ab", "\n", "\0", "\x1b", "\u200d", "e\u0301", "a" * 257, "ctrl+" * 60 + "a"],
)  # fmt: skip
def test_empty_and_unknown_parts_are_refused(text):
    with pytest.raises(Failure) as caught:
        parse_chord(text)
    assert caught.value.code == "invalid_request"
    assert "plus" in caught.value.hint


def test_a_refusal_does_not_repeat_what_was_pressed():
    with pytest.raises(Failure) as caught:
        parse_chord("ctrl+hunter2")
    assert "hunter2" not in caught.value.message + caught.value.hint


@given(st.text(max_size=20))
def test_a_parsed_chord_names_itself(text):
    try:
        chord = parse_chord(text)
    except Failure:
        return
    assert parse_chord("+".join((*chord.modifiers, chord.base))) == chord
