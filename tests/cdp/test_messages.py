"""Messages: what is sent, and everything that may come back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdp.errors import CallNotEncodable, MessageMalformed
from cdp.messages import Event, Refusal, Reply, Unknown, encode_command, parse_message

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda children: st.lists(children) | st.dictionaries(TEXT, children),
    max_leaves=5,
)


@given(st.integers(1), TEXT, st.dictionaries(TEXT, JSON), TEXT)
def test_a_command_is_one_json_object_without_a_nul(
    command_id: int, method: str, params: dict[str, object], session_id: str
) -> None:
    data = encode_command(command_id, method, params, session_id)
    assert b"\0" not in data
    body = json.loads(data)
    assert body.pop("sessionId", "") == session_id
    assert body == {"id": command_id, "method": method, "params": params}


@pytest.mark.parametrize("value", ["\ud800", object(), {1, 2}.__iter__()])
def test_a_command_without_a_json_form_names_its_method_and_not_its_value(value: object) -> None:
    with pytest.raises(CallNotEncodable) as caught:
        encode_command(1, "Input.insertText", {"text": value, "other": "secret"}, "")
    assert caught.value.method == "Input.insertText"
    assert "secret" not in str(caught.value)


@given(st.integers(), st.dictionaries(TEXT, JSON), st.dictionaries(TEXT, JSON))
def test_a_reply_keeps_its_result_and_ignores_unknown_fields(
    command_id: int, result: dict[str, object], more: dict[str, object]
) -> None:
    more.pop("error", None)
    data = json.dumps({**more, "id": command_id, "result": result}).encode()
    assert parse_message(data) == Reply(command_id, result)


@given(TEXT, st.dictionaries(TEXT, JSON), TEXT)
def test_an_event_keeps_its_parameters(
    method: str, params: dict[str, object], session_id: str
) -> None:
    data = json.dumps({"method": method, "params": params, "sessionId": session_id}).encode()
    assert parse_message(data) == Event(method, params, session_id)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id":1}', Reply(1, {})),
        ('{"id":1,"result":null}', Reply(1, {})),
        ('{"id":1,"error":{}}', Refusal(1, 0, "", "")),
        ('{"id":1,"error":7}', Refusal(1, 0, "", "")),
        ('{"id":1,"error":{"code":-3,"message":"m","data":"d"}}', Refusal(1, -3, "m", "d")),
        ('{"error":{"code":-32700,"message":"m"}}', Refusal(None, -32700, "m", "")),
        ('{"method":"A.b"}', Event("A.b", {}, "")),
        ('{"method":"A.b","params":[1]}', Event("A.b", {}, "")),
        ('{"method":7}', Unknown(frozenset({"method"}))),
        ('{"id":true}', Unknown(frozenset({"id"}))),
        ("{}", Unknown(frozenset())),
    ],
)
def test_odd_messages_are_read_as_far_as_they_go(text: str, expected: object) -> None:
    assert parse_message(text.encode()) == expected


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb'"\ud800"', "\ufffd"),
        (rb'"a\udc00b"', "a\ufffdb"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\ud83d\\ude00"', "\ufffd\\ude00"),
        (rb'"\\\ud800\\ud800"', "\\\ufffd\\ud800"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"\xff"', "\ufffd"),
    ],
)
def test_halves_of_characters_become_replacement_characters(raw: bytes, text: str) -> None:
    message = parse_message(b'{"id":1,"result":{"value":' + raw + b"}}")
    assert message == Reply(1, {"value": text})


def test_a_number_out_of_range_is_infinite() -> None:
    assert parse_message(b'{"id":1,"result":{"x":1e999}}') == Reply(1, {"x": float("inf")})


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"7", b"null", b'"x"', b"{", b'{"id":1}x', b'{"a":' + b"[" * 100_000, b"\xff"],
)
def test_what_is_no_object_is_malformed(data: bytes) -> None:
    with pytest.raises(MessageMalformed):
        parse_message(data)


@given(st.binary())
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    try:
        parse_message(data)
    except MessageMalformed:
        return
