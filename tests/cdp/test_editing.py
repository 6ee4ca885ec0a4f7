"""How typing is judged, and which calls type a character."""

from __future__ import annotations

from typing import Any

import pytest

from cdp.editing import SOFT_BREAK, character_calls, judge
from cdp.hit import NAME_LIMIT, cut, parse_hit
from cdp.page import parse_state, verify_navigable
from cdp.page_errors import SchemeRefused, ScriptFailed

FIELD = {"kind": "line", "proxy": False}
SEEN = {
    "holds": False,
    "same": False,
    "moved": False,
    "passed": False,
    "before": 0,
    "wanted": 5,
    "length": 5,
}


@pytest.mark.parametrize(
    ("field", "seen", "status", "words"),
    [
        ({}, {"holds": True}, "ok", "5 characters"),
        ({}, {"holds": True, "moved": True}, "ok", "5 characters"),
        ({}, {"length": 4}, "failed", "4 characters instead of 5"),
        ({}, {}, "failed", "other characters"),
        ({}, {"moved": True, "length": 1}, "failed", "focus went elsewhere; it has 1"),
        ({}, {"moved": True, "passed": True, "length": 1}, "injected", "focus to another field"),
        ({"proxy": True}, {"length": 0}, "injected", "not shown"),
        ({"kind": "picker"}, {}, "injected", "own way"),
        ({"kind": "picker"}, {"same": True}, "failed", "characters"),
        ({"kind": "picker"}, {"holds": True}, "ok", "5"),
        ({}, {"gone": True}, "injected", "replaced"),
    ],
)
def test_only_what_was_read_back_is_ok(
    field: dict[str, Any], seen: dict[str, Any], status: str, words: str
) -> None:
    typing = judge(FIELD | field, SEEN | seen)
    assert (typing.status.value, typing.sent) == (status, True)
    assert words in typing.detail


def test_each_character_is_a_stroke_or_is_inserted() -> None:
    def methods(character: str, *, editable: bool) -> list[object]:
        calls = character_calls(character, editable)
        return [(call[1].get("key") or call[0], call[1].get("text")) for call in calls]

    soft = character_calls("\n", editable=True, line_break=SOFT_BREAK)
    assert [(call[1]["key"], call[1]["modifiers"]) for call in soft] == [
        ("Shift", 8), ("Enter", 8), ("Enter", 8), ("Shift", 0),
    ]  # fmt: skip
    assert methods("A", editable=True) == [("A", "A"), ("A", None)]
    assert methods("😀", editable=True) == [("😀", "😀"), ("😀", None)]
    assert methods("\n", editable=True) == [("Enter", "\r"), ("Enter", None)]
    assert methods("\t", editable=False) == [("Tab", None), ("Tab", None)]
    assert methods("\t", editable=True) == [("Input.insertText", "\t")]
    assert methods("\x07", editable=True) == [("Input.insertText", "\x07")]
    assert methods("\x07", editable=False) == []


def test_names_are_cut_between_characters() -> None:
    assert cut("é" * NAME_LIMIT) == "é" * (NAME_LIMIT // 2)
    assert cut("a" + "é" * NAME_LIMIT) == "a" + "é" * (NAME_LIMIT // 2 - 1)
    assert parse_hit({"tag": "a", "more": 1}).tag == "a"


@pytest.mark.parametrize(
    "url", ["http://a", "https://a/b?c#d", "HTTP://A/", "about:blank", "http://[::1]:9/é"]
)
def test_web_addresses_are_navigable(url: str) -> None:
    verify_navigable(url)


@pytest.mark.parametrize(
    "url",
    ["", "http:/a", "http://", " http://a", "http://a\n", "java\tscript:1", "about:blank#x", "ftp://a",
     "file:///", "data:,x", "view-source:http://a", "blob:http://a/1", "about:srcdoc", "//a"],
)  # fmt: skip
def test_nothing_else_is(url: str) -> None:
    with pytest.raises(SchemeRefused) as caught:
        verify_navigable(url)
    assert not url or url not in str(caught.value)


def frame(loader: str, url: str, fragment: str | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {"id": "T", "loaderId": loader, "url": url}
    if fragment is not None:
        body["urlFragment"] = fragment
    return {"frameTree": {"frame": body}}


def test_a_state_is_of_one_document_or_none() -> None:
    reply = {"result": {"value": ["title", 1280, 720, 404]}}
    state = parse_state(frame("L", "u", "#f"), reply, frame("L", "u", "#f"))
    assert state is not None
    assert (state.url, state.title, state.loader_id) == ("u#f", "title", "L")
    assert (state.width, state.height, state.status) == (1280, 720, 404)
    for later in (frame("M", "u", "#f"), frame("L", "v", "#f"), frame("L", "u", "#g")):
        assert parse_state(frame("L", "u", "#f"), reply, later) is None
    with pytest.raises(ScriptFailed):
        parse_state(frame("L", "u"), {"result": {}, "exceptionDetails": {}}, frame("L", "u"))
