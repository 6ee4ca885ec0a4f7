"""The record of a session and the receipt that ends it."""

import json

import pytest

from protocol.actions import MAX_SESSION_ACTIONS, Screenshot, TypeText
from protocol.canonical import digest, digest_bytes
from protocol.errors import Failure
from protocol.pictures import Frame
from protocol.receipts import ActionStatus, Binding, format_time, open_record, receipt_id
from protocol.verify import check_receipt

FRAME = Frame("f" * 64, 9, 2, 2)
BINDING = Binding("a", "bw-" + "a" * 32, 99, "vdcg-" + "b" * 32, "d" * 64)
ACTOR = {"kind": "local-process", "principalId": "uid:1", "sessionId": None}


def opened(at_ms=1000):
    return open_record("ecup-" + "0" * 32, BINDING, ACTOR, at_ms, FRAME)


def finished(record, claims="{}"):
    later = Frame("e" * 64, 9, 2, 2)
    return record.frozen(1000).observed(1000, later, "c" * 64).finished(1000, 0, claims)


def encoded(receipt) -> bytes:
    return json.dumps(receipt).encode()


def test_what_we_build_verifies(own):
    receipt, _ = own
    assert check_receipt(encoded(receipt)) is None
    assert [event["kind"] for event in receipt["transcript"]] == [
        "initial_frame", "action", "action", "freeze", "observation", "external_claims",
    ]  # fmt: skip
    assert (receipt["actionCount"], receipt["inputEventCount"]) == (2, 1)
    assert receipt["startedAt"] == "2023-11-14T22:13:20.000Z"
    assert receipt["completedAt"] == "2023-11-14T22:13:21.000Z"


@pytest.mark.parametrize("count", [0, 1, MAX_SESSION_ACTIONS])
def test_any_number_of_actions_verifies(count):
    record = opened()
    for number in range(count):
        frame = Frame(f"{number:064x}", 9, 2, 2)
        record = record.acted(TypeText("type", "x"), ActionStatus.OK, frame)
    receipt = finished(record)
    assert check_receipt(encoded(receipt)) is None
    assert receipt["inputEventCount"] == count


def test_our_receipt_has_exactly_the_fields_of_the_vectors(own, good):
    receipt, _ = own

    def shape(value):
        if isinstance(value, dict):
            return {name: shape(member) for name, member in value.items()}
        if isinstance(value, list):
            return []
        return type(value)

    assert shape(receipt) == shape(good)
    assert list(receipt) == list(good)


def test_our_digests_are_those_of_the_vectors(good):
    assert good["receiptId"] == receipt_id(good)
    events = good["transcript"]
    assert good["transcriptSha256"] == digest("intendant-external-cu-transcript-v1", events)


def test_claims_stay_as_they_came():
    claims = ' {"b" : 1,\n"a": "\\u00e9 é"}'
    receipt = finished(opened(), claims)
    assert receipt["claimsJson"] == claims
    assert receipt["claimsSha256"] == digest_bytes(claims.encode())
    assert check_receipt(encoded(receipt)) is None


def test_a_receipt_holds_nothing_that_was_typed():
    record = opened().acted(TypeText("type", "hunter2"), ActionStatus.INJECTED, FRAME)
    assert "hunter2" not in str(finished(record))


def test_a_step_makes_a_new_record():
    record = opened()
    record.acted(Screenshot("screenshot"), ActionStatus.OK, FRAME)
    assert len(record.events) == 1


def test_a_clock_that_moves_back_ends_in_no_receipt():
    record = opened(at_ms=1000)
    frozen = record.frozen(1001)
    observed = frozen.observed(1002, FRAME, "c" * 64)
    for step in (
        lambda: record.frozen(999),
        lambda: frozen.observed(1000, FRAME, "c" * 64),
        lambda: observed.finished(1001, 5, "{}"),
    ):
        with pytest.raises(Failure) as caught:
            step()
        assert caught.value.code == "external-proof-clock"


def test_times_are_rfc_3339_with_three_digits():
    assert format_time(0) == "1970-01-01T00:00:00.000Z"
    assert format_time(1_796_029_200_007) == "2026-11-30T09:00:00.007Z"
    assert format_time(951_782_399_999) == "2000-02-28T23:59:59.999Z"
