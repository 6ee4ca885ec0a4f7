"""Strict JSON and canonical JSON, against the rules and against each other."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.canonical import (
    MAX_INTEGER_DIGITS,
    JsonRefused,
    JsonTooLarge,
    digest,
    encode_canonical,
    parse_json,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def nested(depth: int, opening: str = "[", closing: str = "]", inner: str = "") -> str:
    return opening * depth + inner + closing * depth


@given(values)
def test_what_is_encoded_parses_to_the_same(value):
    assert parse_json(encode_canonical(value), limit_bytes=10**6) == value


@given(values)
def test_one_value_has_one_encoding_whatever_its_spelling(value):
    spelt = json.dumps(value, indent=2, ensure_ascii=True)
    again = parse_json(spelt, limit_bytes=10**6)
    assert encode_canonical(again) == encode_canonical(value)


def test_canonical_text_is_exactly_this():
    value = {"é": [True, None, -1], "a": '\b\t\n\f\r\x01\x1f\x7f"\\/é😀', "😀": {}, "￿": []}
    assert encode_canonical(value) == (
        '{"a":"\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\\"\\\\/é😀","é":[true,null,-1],"￿":[],"😀":{}}'
    )


@pytest.mark.parametrize("value", [1.0, math.nan, b"x", {"a": [1.5]}, (1,), {1: 2}, [{None: 1}]])
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(TypeError):
        encode_canonical(value)


def test_digest_separates_domain_and_value():
    assert digest("a", {}) != digest("a\0", {})
    assert digest("understudy-action-projection-v1", {"type": "type"}) == (
        "bb32ca0aed4e53cd8da275a0622fcf3bc385d0a57e5136a753295166f109d158"
    )


REFUSED = {
    "byte order mark": b"\xef\xbb\xbf{}",
    "byte order mark as text": "\ufeff{}",
    "utf-16": '{"a":1}'.encode("utf-16"),
    "invalid utf-8": b'{"a":"\xff"}',
    "overlong utf-8": b'{"a":"\xc0\xaf"}',
    "surrogate in utf-8": b'{"a":"\xed\xa0\x80"}',
    "surrogate as text": '"\ud800"',
    "surrogate escape": b'{"a":"\\ud800"}',
    "surrogate escape in a key": b'{"\\udc00":1}',
    "surrogates in the wrong order": b'"\\udc00\\ud800"',
    "duplicate key": b'{"a":1,"a":1}',
    "duplicate key by escape": b'{"a":1,"\\u0061":2}',
    "duplicate key below": b'[{"x":{"a":1,"b":2,"a":3}}]',
    "two documents": b"{} {}",
    "nothing": b"",
    "white space": b" \n",
    "cut": b'{"a":',
    "trailing comma": b"[1,]",
    "comment": b"[1/**/]",
    "single quotes": b"{'a':1}",
    "raw control character": b'"\x01"',
    "raw line break": b'"\n"',
    "nul after": b"{}\0",
    "no-break space around": "\u00a0{}",
    "float": b"1.0",
    "exponent": b"[1e2]",
    "NaN": b"NaN",
    "Infinity": b"[Infinity]",
    "-Infinity": b"-Infinity",
    "leading zero": b"01",
    "plus": b"+1",
    "arabic digits": "\u0661",
    "too deep": nested(65).encode(),
    "too deep objects": nested(65, '{"a":', "}", "1").encode(),
    "scalar in the deepest": nested(65, inner="1").encode(),
    "endless depth": b"[" * 500_000,
    "endless integer": b"9" * 50_000,
    "integer beyond the limit": b"-" + b"9" * MAX_INTEGER_DIGITS,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(JsonRefused) as caught:
        parse_json(text, limit_bytes=10**6)
    assert not isinstance(caught.value, JsonTooLarge)
    assert caught.value.code == "invalid_request"


def test_what_is_allowed_stays_allowed():
    assert parse_json(b' {"a":"\\ud83d\\ude00"}\n', limit_bytes=99) == {"a": "😀"}
    assert parse_json(nested(64), limit_bytes=999) is not None
    assert parse_json(nested(63, inner='[1,"é"]'), limit_bytes=999) is not None
    assert parse_json("9" * MAX_INTEGER_DIGITS, limit_bytes=9999) == int("9" * 1000)
    assert parse_json(b"true", limit_bytes=4) is True


def test_depth_is_an_argument():
    parse_json("[[1]]", limit_bytes=9, max_depth=2)
    with pytest.raises(JsonRefused, match="deeper than 1"):
        parse_json("[[1]]", limit_bytes=9, max_depth=1)
    with pytest.raises(JsonRefused):
        parse_json("[]", limit_bytes=9, max_depth=0)


def test_the_limit_counts_bytes_not_characters():
    assert parse_json('"é"', limit_bytes=4) == "é"
    with pytest.raises(JsonTooLarge, match="4 bytes; at most 3"):
        parse_json('"é"', limit_bytes=3)


def test_floats_come_only_when_asked_for_and_never_nan():
    assert parse_json("[1.5,1e2]", limit_bytes=99, floats=True) == [1.5, 100.0]
    with pytest.raises(JsonRefused, match="NaN"):
        parse_json("[NaN]", limit_bytes=99, floats=True)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(data):
    try:
        parse_json(data, limit_bytes=100)
    except JsonRefused:
        return
    assert json.loads(data) is not ...


@given(st.text(alphabet='{}[]",:\\u0d8eE+-.19 tfn\n', max_size=40))
def test_whatever_we_accept_the_standard_library_reads_the_same(text):
    try:
        value = parse_json(text, limit_bytes=1000)
    except JsonRefused:
        return
    assert json.loads(text) == value
