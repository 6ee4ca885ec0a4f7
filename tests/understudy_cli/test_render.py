"""Answers: text, one object, one field; and page text that stays on its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from tests.fakes.recording_host import RecordingHost
from understudy_cli.quoting import SHOWN_LIMIT, quote_page_text
from understudy_cli.render import (
    Output,
    encode_object,
    encode_text,
    format_facts,
    format_members,
    list_fields,
    parse_field,
    select_field,
)

ANY_TEXT = st.text(st.characters())  # lone surrogates included


@given(ANY_TEXT)
def test_output_is_always_utf_8(text):
    decoded = encode_text(text).decode()
    assert len(decoded.encode("utf-16-le", "surrogatepass")) <= 2 * len(text) * 2
    if "\ufffd" not in decoded:
        assert decoded == text


@given(ANY_TEXT)
def test_page_text_is_one_quoted_printable_line(text):
    quoted = quote_page_text(text)
    assert quoted.isprintable()
    assert quoted.splitlines() == [quoted]
    assert quoted[0] == '"'
    assert quoted.endswith('"…' if len(text) > SHOWN_LIMIT else '"')


def test_a_quote_in_page_text_cannot_end_the_quotation():
    assert quote_page_text('a" ok\\') == r'"a\" ok\\"'


@given(st.recursive(st.none() | st.booleans() | st.integers() | ANY_TEXT, st.lists))
def test_an_object_is_one_line(value):
    line = encode_object({"value": value})
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1
    json.loads(line)


def test_an_object_turns_no_text_around_and_loses_none():
    told = {"title": "a\u202ecod.exe\u2028b\x85\x9b31m\u2066 \u05d0 \U0001f600\\"}
    line = encode_object(told).decode()
    assert json.loads(line) == told
    assert line[:-1].isprintable()
    assert "\u05d0 \U0001f600" in line


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("frame", "ok, daemon, list, none"),
        ("daemon.sockets", "daemon.pid, daemon.uptime"),
        ("list.9.a", "list.0 to list.1"),
        ("list.1.b", "list.1.a"),
        ("ok.yes", "nothing below ok"),
        ("none.0", "nothing below none"),
    ],
)
def test_a_field_that_is_not_there_is_answered_by_those_beside_it(path, listed):
    reply = {
        "ok": True,
        "daemon": {"pid": 1, "uptime": 2},
        "list": [{"a": 1}, {"a": 2}],
        "none": [],
    }
    assert list_fields(reply, parse_field(path)) == listed


def test_facts_are_aligned_and_unknown_ones_left_out():
    assert format_facts([("a", 1), ("long", None), ("bcd", "x")]) == "a    1\nbcd  x\n"
    assert format_facts([]) == ""


def test_tables_name_what_is_missing():
    rows = [{"a": 1, "b": "x\ty"}, {"a": None}, "odd"]
    assert format_members(rows, ("a", "b")) == "a  b\n1  x\\x09y\n-  -\n-  -\n"
    assert format_members([], ("a",)) == format_members(None, ("a",)) == ""


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b"])
def test_an_empty_member_is_no_field(text):
    with pytest.raises(Failure) as raised:
        parse_field(text)
    assert raised.value.code == "usage"


def test_a_field_is_found_in_objects_and_lists():
    reply = {"a": {"b": [10, {"c": None}]}}
    assert select_field(reply, ("a", "b", "1", "c")) is None
    for path in (("a", "x"), ("a", "b", "2"), ("a", "b", "-1"), ("a", "b", "0", "0")):
        with pytest.raises(KeyError):
            select_field(reply, path)


async def test_a_usage_failure_goes_to_stderr_alone_even_for_json():
    host = RecordingHost()
    assert await Output(as_json=True).report_failure(host, Failure("usage", "m", "h")) == 2
    assert (host.stdout, host.stderr) == (b"", b"understudy: m\nhint: h\n")


async def test_a_message_cannot_move_the_cursor():
    host = RecordingHost()
    await Output().report_failure(host, Failure("conflict", "a\nb\x1b[2J", "h"))
    assert host.stderr == b"understudy: a\\x0ab\\x1b[2J\nhint: h\n"
