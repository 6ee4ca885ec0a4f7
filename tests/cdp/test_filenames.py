"""Names that pages propose for files, made plain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdp.filenames import NAME_BYTES, numbered_name, plain_name


@pytest.mark.parametrize(
    ("proposed", "plain"),
    [
        ("report.csv", "report.csv"),
        ("../../escape.bin", "escape.bin"),
        ("/etc/x.bin", "x.bin"),
        ("C:\\tmp\\x.bin", "x.bin"),
        ("\0a.bin", "_a.bin"),
        (".bashrc", "bashrc"),
        ("..", "download"),
        ("", "download"),
        ("a/", "download"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("a:b?.txt ", "a_b_.txt"),
        ("Zo\u00eb \u202e.txt", "Zo\u00eb _.txt"),
    ],
)
def test_a_name_is_made_plain(proposed: str, plain: str) -> None:
    assert plain_name(proposed) == plain


@given(st.text(max_size=400))
def test_whatever_is_proposed_the_name_is_plain(proposed: str) -> None:
    name = plain_name(proposed)
    assert 0 < len(name.encode()) <= NAME_BYTES + 1
    assert not set(name) & set('/\\\0<>:"|?*')
    assert name.isprintable()
    assert name == name.strip(" .")
    assert plain_name(name) == name


def test_a_long_name_keeps_its_ending() -> None:
    name = plain_name("x" * 500 + ".pdf")
    assert (len(name), name[-4:]) == (NAME_BYTES, ".pdf")


@pytest.mark.parametrize(
    ("name", "number", "numbered"),
    [
        ("a.txt", 0, "a.txt"),
        ("a.txt", 2, "a (2).txt"),
        ("a", 1, "a (1)"),
        ("a.b.c", 1, "a.b (1).c"),
    ],
)
def test_another_file_of_the_name_gets_a_number(name: str, number: int, numbered: str) -> None:
    assert numbered_name(name, number) == numbered
