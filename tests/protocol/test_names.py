"""The one name validator, and the forms of identifiers."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.names import (
    NAME_PATTERN,
    is_attempt_id,
    is_digest,
    is_generation,
    is_workspace_id,
    parse_name,
)

HEX = "0123456789abcdef0123456789abcdef"

ODD_NAMES = [
    "../../x", "/abs", "a/b", "a\\b", ".", "..", "", "a" * 300, "CON", "con", "nul.txt", "LPT1",
    "com9.tar.gz", "a\n", "\n", "a\0", "\0", "-a", "--help", unicodedata.normalize("NFC", "é"),
    unicodedata.normalize("NFD", "é"), ".hidden", "a.", "a b", " a", "a ", "a:b", "C:", "~", "~a",
    "$(id)", "a;b", "a%2fb", "a" * 65, "_a", "\ud800", "a\u202eb",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("what", ["client", "profile", "output"])
def test_names_that_could_leave_or_mislead_are_refused_with_the_pattern(name, what):
    with pytest.raises(Failure) as caught:
        parse_name(name, what)
    assert caught.value.code == "invalid_name"
    assert NAME_PATTERN in caught.value.message
    assert what in caught.value.message


@pytest.mark.parametrize(
    "name", ["a", "A", "9", "my-bot_2.0", "a" * 64, "console", "com", "com10", "frame.png"]
)
def test_plain_names_pass_unchanged(name):
    assert parse_name(name, "client") == name


@given(st.text(max_size=70))
def test_no_name_that_passes_is_a_path(name):
    try:
        parse_name(name, "client")
    except Failure:
        return
    assert name.isascii()
    assert not set(name) & set("/\\:\0\n ")
    assert name not in {".", ".."}
    assert name[0] not in "-."


@pytest.mark.parametrize(
    ("check", "good"),
    [
        (is_digest, HEX + HEX),
        (is_workspace_id, "bw-" + HEX),
        (is_generation, "vdcg-" + HEX),
    ],
)
def test_identifiers_have_exactly_one_form(check, good):
    assert check(good)
    for bad in (good.upper(), good + "\n", good + "0", good[:-1], " " + good, "", good[:-1] + "g"):
        assert not check(bad), bad


def test_an_attempt_is_named_freely_but_on_one_line():
    assert is_attempt_id("app-attempt:zoë-😀")
    assert is_attempt_id("../../x")
    assert is_attempt_id("😀" * 128)
    for bad in ("", "a" * 129, "a\n", "\0", "a\x7f", "\x9b", "\ud800"):
        assert not is_attempt_id(bad)
