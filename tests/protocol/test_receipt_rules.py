"""Every rule of a receipt, broken alone: all else is sealed again, so only it can tell."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from protocol.canonical import digest
from protocol.receipts import receipt_id
from protocol.verify import Defect, check_receipt
from tests.fakes.receipts import defect_of, encoded, get, sealed

Receipt = dict[str, Any]


def resealed_with(receipt: Receipt, **fields: object) -> Receipt:
    receipt = sealed(receipt) | fields
    receipt["receiptId"] = receipt_id(receipt)
    return receipt


def renumbered(receipt: Receipt) -> Receipt:
    for index, event in enumerate(receipt["transcript"]):
        event["sequence"] = index
    return receipt


def moved(receipt: Receipt, start: int, to: int) -> Receipt:
    receipt["transcript"].insert(to, receipt["transcript"].pop(start))
    return sealed(renumbered(receipt))


def without(receipt: Receipt, index: int) -> Receipt:
    del receipt["transcript"][index]
    return sealed(renumbered(receipt))


def with_copy(receipt: Receipt, index: int, to: int) -> Receipt:
    receipt["transcript"].insert(to, copy.deepcopy(receipt["transcript"][index]))
    return sealed(renumbered(receipt))


def with_value(receipt: Receipt, value: object, *path: str | int) -> Receipt:
    get(receipt, path[:-1])[path[-1]] = value
    return sealed(receipt)


def with_kind(receipt: Receipt, index: int, kind: str) -> Receipt:
    receipt["transcript"][index]["kind"] = kind
    return sealed(receipt)


def with_actions(receipt: Receipt, count: int) -> Receipt:
    action = receipt["transcript"][5]  # a screenshot, which is no input
    more = [copy.deepcopy(action) for _ in range(count - receipt["actionCount"])]
    receipt["transcript"][5:5] = more
    receipt["actionCount"] = count
    return sealed(renumbered(receipt))


ONLY_THIS_RULE: dict[str, tuple[str, str, Callable[[Receipt], Receipt]]] = {
    "version 3": ("version", "schemaVersion", lambda r: with_value(r, 3, "schemaVersion")),
    "version true": ("version", "schemaVersion", lambda r: with_value(r, True, "schemaVersion")),
    "other profile": ("version", "profile", lambda r: with_value(r, "mine-v1", "profile")),
    "unknown field": ("fields", "signature", lambda r: with_value(r, "x", "signature")),
    "unknown field below": (
        "fields", "observation.png", lambda r: with_value(r, "x", "observation", "png"),
    ),
    "unknown field of an event": (
        "fields", "transcript[1].at", lambda r: with_value(r, 1, "transcript", 1, "at"),
    ),
    "unknown field of a detail": (
        "fields", "transcript[2].detail.text",
        lambda r: with_value(r, "1234", "transcript", 2, "detail", "text"),
    ),
    "a field of another type": (
        "fields", "elapsedMs", lambda r: with_value(r, "4210", "elapsedMs"),
    ),
    "true for 1": (
        "fields", "transcript[1].sequence",
        lambda r: with_value(r, True, "transcript", 1, "sequence"),
    ),
    "1 for true": (
        "fields", "transcript[1].detail.input",
        lambda r: with_value(r, 1, "transcript", 1, "detail", "input"),
    ),
    "false for 0": (
        "fields", "execution.internalModelCalls",
        lambda r: with_value(r, False, "execution", "internalModelCalls"),
    ),
    "an event that is a text": (
        "fields", "transcript[3]", lambda r: with_value_unsealed(r, "x", "transcript", 3),
    ),
    "other id": (
        "receipt-id", "receiptId", lambda r: r | {"receiptId": "ecup-receipt:" + "0" * 64},
    ),
    "id without prefix": (
        "receipt-id", "receiptId", lambda r: r | {"receiptId": r["receiptId"][13:]},
    ),
    "other transcript digest": (
        "transcript-digest", "transcriptSha256",
        lambda r: resealed_with(r, transcriptSha256="0" * 64),
    ),
    "stage digest of the whole transcript": (
        "stage-digest", "stageTranscriptSha256",
        lambda r: resealed_with(
            r, stageTranscriptSha256=digest("intendant-external-cu-stage-v1", r["transcript"])
        ),
    ),
    "other claims digest": (
        "claims-digest", "claimsSha256", lambda r: resealed_with(r, claimsSha256="0" * 64),
    ),
    "other claims": (
        "claims-digest", "transcript[8].detail.claimsSha256",
        lambda r: with_value(r, '{"ready":false}', "claimsJson"),
    ),
    "gap": (
        "event-sequence", "transcript[8].sequence",
        lambda r: with_value(r, 9, "transcript", 8, "sequence"),
    ),
    "event twice in number": (
        "event-sequence", "transcript[4].sequence",
        lambda r: with_value(r, 3, "transcript", 4, "sequence"),
    ),
    "no initial frame": ("event-order", "transcript[0].kind", lambda r: without(r, 0)),
    "initial frame second": ("event-order", "transcript[0].kind", lambda r: moved(r, 0, 1)),
    "two initial frames": ("event-order", "transcript[1].kind", lambda r: with_copy(r, 0, 1)),
    "no freeze": ("event-order", "transcript[6].kind", lambda r: without(r, 6)),
    "two freezes": ("event-order", "transcript[7].kind", lambda r: with_copy(r, 6, 7)),
    "action after freeze": ("event-order", "transcript[6].kind", lambda r: moved(r, 6, 5)),
    "action after observation": ("event-order", "transcript[7].kind", lambda r: moved(r, 5, 7)),
    "no observation": ("event-order", "transcript[7].kind", lambda r: without(r, 7)),
    "observation before freeze": (
        "event-order", "transcript[6].kind", lambda r: moved(r, 7, 6),
    ),
    "two observations": ("event-order", "transcript[8].kind", lambda r: with_copy(r, 7, 8)),
    "no claims": ("event-order", "transcript", lambda r: without(r, 8)),
    "two claims": ("event-order", "transcript[9]", lambda r: with_copy(r, 8, 9)),
    "no events": ("event-order", "transcript[0].kind", lambda r: with_value(r, [], "transcript")),
    "unknown kind": ("event-order", "transcript[3].kind", lambda r: with_kind(r, 3, "dialog")),
    "an action dropped": ("counters", "actionCount", lambda r: without(r, 3)),
    "an action repeated": ("counters", "actionCount", lambda r: with_copy(r, 3, 3)),
    "65 actions": ("counters", "actionCount", lambda r: with_actions(r, 65)),
    "input denied": (
        "counters", "inputEventCount",
        lambda r: with_value(r, False, "transcript", 1, "detail", "input"),
    ),
    "input after the observation": (
        "counters", "postObservationInputEventCount",
        lambda r: with_value(r, 1, "postObservationInputEventCount"),
    ),
    "freeze on another frame": (
        "frame-binding", "transcript[6].detail.frameSha256",
        lambda r: with_value(r, "0" * 64, "transcript", 6, "detail", "frameSha256"),
    ),
    "observation event of another frame": (
        "frame-binding", "transcript[7].detail.frameSha256",
        lambda r: with_value(r, "0" * 64, "transcript", 7, "detail", "frameSha256"),
    ),
    "observation of another frame": (
        "frame-binding", "transcript[7].detail.frameSha256",
        lambda r: with_value(r, "0" * 64, "observation", "sha256"),
    ),
    "claims about another frame": (
        "frame-binding", "transcript[8].detail.frameSha256",
        lambda r: with_value(r, "0" * 64, "transcript", 8, "detail", "frameSha256"),
    ),
    "other pre-observation": (
        "frame-binding", "transcript[7].detail.preObservationSha256",
        lambda r: with_value(r, "0" * 64, "preObservationSha256"),
    ),
    "frozen before started": (
        "time-order", "frozenAt", lambda r: with_value(r, "2026-11-30T08:59:59.999Z", "frozenAt"),
    ),
    "observed before frozen": (
        "time-order", "observedAt",
        lambda r: with_value(r, "2026-11-30T09:00:03.124Z", "observedAt"),
    ),
    "completed before observed": (
        "time-order", "completedAt",
        lambda r: with_value(r, "2026-11-30T09:00:03.499Z", "completedAt"),
    ),
    "no milliseconds": (
        "time-order", "startedAt", lambda r: with_value(r, "2026-11-30T09:00:00Z", "startedAt"),
    ),
    "another zone": (
        "time-order", "startedAt",
        lambda r: with_value(r, "2026-11-30T09:00:00.000+01:00", "startedAt"),
    ),
    "no such day": (
        "time-order", "startedAt", lambda r: with_value(r, "2026-02-30T09:00:00.000Z", "startedAt"),
    ),
    "negative duration": ("time-order", "elapsedMs", lambda r: with_value(r, -1, "elapsedMs")),
    "other execution": (
        "execution-flags", "execution.kind", lambda r: with_value(r, "model", "execution", "kind"),
    ),
    "a model call": (
        "execution-flags", "execution.internalModelCalls",
        lambda r: with_value(r, 1, "execution", "internalModelCalls"),
    ),
    "claims with authority": (
        "execution-flags", "execution.claimsAuthority",
        lambda r: with_value(r, "understudy", "execution", "claimsAuthority"),
    ),
    "authority to submit": (
        "execution-flags", "execution.grantsSubmissionAuthority",
        lambda r: with_value(r, True, "execution", "grantsSubmissionAuthority"),
    ),
}  # fmt: skip


def with_value_unsealed(receipt: Receipt, value: object, *path: str | int) -> Receipt:
    get(receipt, path[:-1])[path[-1]] = value
    receipt["receiptId"] = receipt_id(receipt)
    return receipt


@pytest.mark.parametrize(
    ("defect", "where", "breaking"), ONLY_THIS_RULE.values(), ids=ONLY_THIS_RULE.keys()
)
def test_a_rule_broken_alone_is_found_as_itself_and_in_its_place(good, defect, where, breaking):
    finding = check_receipt(encoded(breaking(good)))
    assert finding is not None
    assert (finding.defect, finding.where) == (defect, where)
    assert finding.message


def test_every_rule_of_a_receipt_is_broken_alone():
    broken = {defect for defect, _, _ in ONLY_THIS_RULE.values()}
    # json and frame are no rules of a receipt's members; they have tests of their own
    assert broken == {defect.value for defect in Defect} - {"json", "frame"}


def test_sealing_again_changes_nothing_of_a_good_receipt(good):
    assert sealed(copy.deepcopy(good)) == good


def test_the_first_rule_that_fails_is_reported(good):
    """Break rules from the last to the first; each time the newest must be the answer."""
    seen = []
    for path, value in (
        (("execution", "kind"), "model"),
        (("completedAt",), "1970"),
        (("transcript", 8, "detail", "frameSha256"), "0"),
        (("actionCount",), 0),
        (("transcript", 5, "kind"), "other"),
        (("transcript", 4, "sequence"), 0),
    ):
        seen.append(defect_of(with_value(good, value, *path)))
    good["claimsSha256"] = "0"
    good["receiptId"] = receipt_id(good)
    seen.append(defect_of(good))
    for path in ("stageTranscriptSha256", "transcriptSha256"):
        good[path] = "0"
        good["receiptId"] = receipt_id(good)
        seen.append(defect_of(good))
    for path, value in (("receiptId", "0"), ("note", 1), ("profile", "0")):
        good[path] = value
        seen.append(defect_of(good))
    assert seen == [
        "execution-flags", "time-order", "frame-binding", "counters", "event-order",
        "event-sequence", "claims-digest", "stage-digest", "transcript-digest", "receipt-id",
        "fields", "version",
    ]  # fmt: skip
