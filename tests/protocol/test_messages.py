"""Requests: every op's fields, both forms of begin, and the code of each refusal."""

import json

import pytest

from protocol.errors import Failure
from protocol.messages import (
    Abort,
    Actions,
    Begin,
    Close,
    Finish,
    Freeze,
    Observe,
    ShortBegin,
    Status,
    parse_request,
    request_from_params,
)
from protocol.viewports import DEFAULT_VIEWPORT, Viewport

PROOF = "ecup-" + "0" * 32
FULL = {
    "attempt_id": "app-attempt:zoë-😀",
    "workspace_id": "bw-" + "a" * 32,
    "display_id": 170,
    "display_target": "display_170",
    "capture_generation": "vdcg-" + "b" * 32,
    "job_sha256": "d" * 64,
}
SHORT = {"attempt_id": "a", "job_sha256": "d" * 64}
SHORT_OPTIONS = {
    "url": "http://localhost:1/",
    "allowed_origins": ["https://a.example"],
    "viewport": "800x600",
    "headed": False,
}
CALLS = {
    "actions": {"proof_id": PROOF, "sequence": 0, "actions_json": "[]"},
    "freeze": {"proof_id": PROOF, "sequence": 1},
    "observe": {"proof_id": PROOF, "sequence": 2, "pre_observation_sha256": "c" * 64},
    "finish": {
        "proof_id": PROOF,
        "sequence": 3,
        "observation_sha256": "e" * 64,
        "claims_json": "{}",
    },
    "close": {"proof_id": PROOF, "sequence": 4},
    "abort": {"proof_id": PROOF, "sequence": 5},
    "status": {"proof_id": PROOF},
}
REQUESTS = {**CALLS, "begin": FULL}


def parse(op, fields):
    return parse_request(json.dumps({"op": op, **fields}).encode())


def code_of(call, *args) -> str:
    with pytest.raises(Failure) as caught:
        call(*args)
    assert caught.value.code.startswith("external-proof-")
    return caught.value.code.removeprefix("external-proof-")


def test_every_op_becomes_its_request():
    assert parse("actions", CALLS["actions"]) == Actions(PROOF, 0, "[]")
    assert parse("freeze", CALLS["freeze"]) == Freeze(PROOF, 1)
    assert parse("observe", CALLS["observe"]) == Observe(PROOF, 2, "c" * 64)
    assert parse("finish", CALLS["finish"]) == Finish(PROOF, 3, "e" * 64, "{}")
    assert parse("close", CALLS["close"]) == Close(PROOF, 4)
    assert parse("abort", CALLS["abort"]) == Abort(PROOF, 5)
    assert parse("status", CALLS["status"]) == Status(PROOF)
    assert parse("begin", FULL) == Begin(**FULL)


def test_a_short_begin_has_defaults_and_options():
    assert parse("begin", SHORT) == ShortBegin("a", "d" * 64, None, (), DEFAULT_VIEWPORT)
    assert parse("begin", SHORT | SHORT_OPTIONS) == ShortBegin(
        "a", "d" * 64, "http://localhost:1/", ("https://a.example",), Viewport(800, 600)
    )
    spelt = {"viewport": {"width": 800, "height": 600}}
    assert parse("begin", SHORT | spelt).viewport == Viewport(800, 600)


@pytest.mark.parametrize("op", REQUESTS)
def test_parameters_and_raw_text_give_the_same_request(op):
    assert request_from_params(op, REQUESTS[op]) == parse(op, REQUESTS[op])


@pytest.mark.parametrize("op", REQUESTS)
def test_an_unknown_field_is_refused_in_every_op(op):
    assert code_of(parse, op, {**REQUESTS[op], "actor": "owner"}) == "command"
    assert code_of(request_from_params, op, {**REQUESTS[op], "op": op}) == "command"


@pytest.mark.parametrize(
    ("op", "field"), [(op, field) for op, fields in REQUESTS.items() for field in fields]
)
def test_every_field_is_required_and_typed(op, field):
    rest = {name: value for name, value in REQUESTS[op].items() if name != field}
    assert code_of(parse, op, rest) == "command"
    for value in (None, True, [], {}, "text" if isinstance(REQUESTS[op][field], int) else 7):
        assert code_of(parse, op, {**rest, field: value}) == "command", value


@pytest.mark.parametrize("field", SHORT_OPTIONS)
def test_options_of_a_short_begin_are_typed(field):
    for value in (None, 7, [7]):
        assert code_of(parse, "begin", {**SHORT, field: value}) == "command", value


@pytest.mark.parametrize("field", [*SHORT_OPTIONS, "profile"])
def test_the_two_forms_of_begin_cannot_be_mixed(field):
    option = SHORT_OPTIONS.get(field, "mine")
    assert code_of(parse, "begin", {**FULL, field: option}) == "command"


@pytest.mark.parametrize("field", sorted(set(FULL) - set(SHORT)))
def test_a_part_of_the_full_form_is_no_short_form(field):
    assert code_of(parse, "begin", {**SHORT, field: FULL[field]}) == "command"


def test_a_negative_sequence_is_ill_typed():
    assert code_of(parse, "freeze", {"proof_id": PROOF, "sequence": -1}) == "command"


@pytest.mark.parametrize(
    "change",
    [
        {"attempt_id": ""}, {"attempt_id": "a" * 129}, {"attempt_id": "a\nb"},
        {"workspace_id": "bw-1"}, {"display_id": 0}, {"display_id": -1}, {"display_id": 171},
        {"display_target": "display_0170"}, {"capture_generation": "vdcg-x"},
        {"job_sha256": "D" * 64}, {"job_sha256": "d" * 63},
    ],
)  # fmt: skip
def test_a_full_begin_with_other_values_binds_nothing(change):
    assert code_of(parse, "begin", {**FULL, **change}) == "binding"


@pytest.mark.parametrize(
    "change",
    [
        {"attempt_id": ""}, {"job_sha256": "x"}, {"profile": "mine"}, {"headed": True},
        {"viewport": "800"}, {"viewport": "0x5"}, {"viewport": "4097x5"}, {"viewport": {}},
        {"viewport": {"width": True, "height": 5}}, {"url": ""}, {"url": "h" * 8193},
    ],
)  # fmt: skip
def test_a_short_begin_with_other_values_binds_nothing(change):
    assert code_of(parse, "begin", {**SHORT, **change}) == "binding"


@pytest.mark.parametrize("raw", [b"[]", b'"x"', b"1", b"null", b"{}", b'{"op":1}', b'{"op":null}'])
def test_what_names_no_op_is_no_command(raw):
    assert code_of(parse_request, raw) == "command"


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        (b'{"op":"list"}', "begin, actions, freeze"),
        (b'{"op":"freeze","id":"x"}', "proof_id, sequence;"),
        (b'{"op":"begin","attempt_id":"a"}', "attempt_id, job_sha256, profile, url"),
        (b"@request.json", "@FILE"),
    ],
)
def test_a_refusal_says_what_there_is(raw, hint):
    with pytest.raises(Failure) as caught:
        parse_request(raw)
    assert hint in caught.value.hint


@pytest.mark.parametrize("op", ["", "BEGIN", "begin ", "observe_twice", "__class__"])
def test_an_unknown_op_is_no_command(op):
    assert code_of(parse, op, {"proof_id": PROOF}) == "command"


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"\xff", b'\xef\xbb\xbf{"op":"status"}', b"NaN",
        b'{"op":"status","op":"abort","proof_id":"x"}',
        b'{"op":"status","proof_id":"x"} {}',
        b'{"op":"freeze","proof_id":"x","sequence":1.0}',
        b'{"op":"begin","allowed_origins":[{"a":1,"a":2}]}',
        b'{"op":"status","proof_id":"\\ud800"}',
        b'{"op":' + b"[" * 70,
    ],
)  # fmt: skip
def test_what_is_not_strict_json_is_refused_as_json(raw):
    assert code_of(parse_request, raw) == "json"


def test_a_request_has_at_most_96_kib():
    full = json.dumps({"op": "status", "proof_id": PROOF}).encode().ljust(96 * 1024)
    assert parse_request(full) == Status(PROOF)
    assert code_of(parse_request, full + b" ") == "input-size"


def test_nested_documents_are_kept_as_they_came():
    text = ' {"a" : "\\u00e9", "a": 1}'
    request = parse("finish", {**CALLS["finish"], "claims_json": text})
    assert request.claims_json == text
