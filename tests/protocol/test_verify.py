"""The verifier: all vectors, every field flipped, every rule broken alone."""

import base64
import copy
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.canonical import digest, digest_bytes
from protocol.receipts import receipt_id, stage_of
from protocol.verify import (
    MAX_RECEIPT_BYTES,
    Defect,
    check_frame,
    check_receipt,
    examine_receipt,
    frames_of,
)
from tests.fakes.pictures import png_of

Receipt = dict[str, Any]


def encoded(receipt) -> bytes:
    return json.dumps(receipt).encode()


def defect_of(receipt) -> str | None:
    finding = check_receipt(encoded(receipt))
    return finding.defect.value if finding else None


def verdict(case) -> str:
    raw = case["raw"].encode() if "raw" in case else encoded(case["receipt"])
    examination = examine_receipt(raw)
    if examination.finding:
        return examination.finding.defect.value
    for sha256 in frames_of(examination.receipt):
        if sha256 in case.get("frames", {}):
            picture = base64.b64decode(case["frames"][sha256])
            finding = check_frame(examination.receipt, sha256, picture)
            if finding:
                return finding.defect.value
    return "consistent"


def test_every_vector_gives_its_class(vectors):
    assert len(vectors["cases"]) == 23
    expected = {case["name"]: case["expect"] for case in vectors["cases"]}
    assert {case["name"]: verdict(case) for case in vectors["cases"]} == expected


def test_the_vectors_reach_every_class(vectors):
    assert {case["expect"] for case in vectors["cases"]} == {*Defect, "consistent"}


def leaves(value, path=()):
    """Every path to a member of a receipt, containers included."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for name, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(member, (*path, name))


def get(value, path):
    for name in path:
        value = value[name]
    return value


def flips(value):
    """Other values of the same type, then values of other types."""
    if isinstance(value, bool):
        yield from (not value, int(value), None, str(value).lower())
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value or 7, str(value), None)
    elif isinstance(value, str):
        yield from (value + "0", value[:-1], value.swapcase() + " ", "", None, 1, [value])
    elif value is None:
        yield from ("x", 0, False)
    elif isinstance(value, list):
        yield from (value[:-1], value[1:], value + value[-1:], value[::-1], None, {})
    else:
        yield from ({**value, "more": 1}, {}, None, [])


def changed(receipt, path, value) -> Receipt:
    copied = copy.deepcopy(receipt)
    get(copied, path[:-1])[path[-1]] = value
    return copied


def test_every_flip_of_every_field_is_found(good, own):
    flipped = 0
    for receipt in (good, own[0]):
        assert defect_of(receipt) is None
        for path in leaves(receipt):
            for value in flips(get(receipt, path)):
                mutant = changed(receipt, path, value)
                assert mutant != receipt or encoded(mutant) != encoded(receipt)
                assert defect_of(mutant) is not None, (path, value)
                flipped += 1
    assert flipped > 800


def test_every_field_that_is_dropped_or_added_is_found(good):
    for path in leaves(good):
        mutant = copy.deepcopy(good)
        del get(mutant, path[:-1])[path[-1]]
        assert defect_of(mutant) is not None, path
        container = get(good, path)
        if isinstance(container, dict):
            assert defect_of(changed(good, path, {**container, "note": ""})) == "fields", path


def test_every_flipped_bit_of_the_file_is_found(good):
    raw = encoded(good)
    for place in range(len(raw)):
        damaged = bytearray(raw)
        damaged[place] ^= 1 << (place * 7 % 8)
        if bytes(damaged) != raw and not same_value(damaged, good):
            assert check_receipt(bytes(damaged)) is not None, place


def same_value(raw, receipt) -> bool:
    try:
        return bool(json.loads(raw) == receipt)
    except ValueError:
        return False


def test_white_space_and_key_order_do_not_matter(good):
    def reversed_keys(value):
        if isinstance(value, dict):
            return {name: reversed_keys(value[name]) for name in reversed(value)}
        return [reversed_keys(member) for member in value] if isinstance(value, list) else value

    for text in (
        json.dumps(good, indent=3, ensure_ascii=False),
        json.dumps(reversed_keys(good)),
        " \n" + json.dumps(good, separators=(",", ":")) + "\r\n\t",
    ):
        assert check_receipt(text.encode()) is None


def sealed(receipt: Receipt) -> Receipt:
    """Recompute every digest of a changed receipt, so that only its rule can tell."""
    transcript = receipt["transcript"]
    receipt["transcriptSha256"] = digest("intendant-external-cu-transcript-v1", transcript)
    stage = stage_of(transcript)
    receipt["stageTranscriptSha256"] = digest("intendant-external-cu-stage-v1", stage)
    claims_sha256 = digest_bytes(receipt["claimsJson"].encode())
    receipt["claimsSha256"] = claims_sha256
    receipt["receiptId"] = receipt_id(receipt)
    return receipt


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


def test_parts_of_two_receipts_do_not_make_one(good, own):
    for name in good:
        if good[name] != own[0][name]:
            assert defect_of(good | {name: own[0][name]}) is not None, name


def archive(make) -> bytes:
    buffer = io.BytesIO()
    make(buffer)
    return buffer.getvalue()


def a_zip(buffer):
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("../../x", "{}")
        file.writestr("/abs", "{}")


def a_tar(buffer):
    with tarfile.open(fileobj=buffer, mode="w") as file:
        link = tarfile.TarInfo("../../x")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"null", b"[]", b"1", b'"x"', b"\xef\xbb\xbf{}", b"\x00", b"not json", archive(a_zip),
        archive(a_tar), png_of(2, 2), b"{" * 70, b'{"a":' * 65 + b"1" + b"}" * 65,
        b"[" * (1 << 20), b'{"a":' * (1 << 18), b'{"a":[' + b"[]," * 300_000 + b"1]}",
        b" " * (MAX_RECEIPT_BYTES + 1), b'{"elapsedMs":' + b"9" * 100_000 + b"}",
        b'{"a":"\\ud800"}', b'{"a":1,"a":1}', b'{"a":1e3}',
    ],
    ids=range(21),
)  # fmt: skip
def test_what_is_no_receipt_at_all_is_json(raw):
    examination = examine_receipt(raw)
    assert examination.receipt is None
    assert not examination.consistent
    assert examination.finding is not None
    assert examination.finding.defect == "json"


@given(st.binary(max_size=80))
def test_no_bytes_make_the_verifier_fail(raw):
    assert check_receipt(raw) is not None


@given(st.data())
def test_no_value_anywhere_makes_the_verifier_fail(own_receipt_text, data):
    receipt = json.loads(own_receipt_text)
    path = data.draw(st.sampled_from(sorted(leaves(receipt), key=str)))
    value = data.draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=8,
        )
    )
    mutant = changed(receipt, path, value)
    if isinstance(mutant["transcript"], list) and all(
        isinstance(event, dict) and "kind" in event for event in mutant["transcript"]
    ):
        mutant["receiptId"] = receipt_id(mutant)
    check_receipt(encoded(mutant))


@pytest.fixture(scope="module")
def own_receipt_text(vectors) -> str:
    return json.dumps(vectors["cases"][0]["receipt"])


def test_names_out_of_the_file_are_escaped_and_short(good):
    finding = check_receipt(encoded(good | {"\x1b[31m\u202e" + "a" * 500: 1}))
    assert finding is not None
    assert finding.where.startswith("\\x1b[31m\\u202eaaa")
    assert len(finding.where) < 100


def test_frames_are_listed_once_each_in_order(own):
    receipt, pictures = own
    assert frames_of(receipt) == tuple(pictures)


def test_right_pictures_pass_and_wrong_ones_are_found(own):
    receipt, pictures = own
    for sha256, picture in pictures.items():
        assert check_frame(receipt, sha256, picture) is None
        finding = check_frame(receipt, sha256, picture[:-1])
        assert finding is not None
        assert finding.defect == "frame"
        assert finding.where.startswith("transcript[")
        assert get_place(receipt, finding.where) == sha256


def get_place(receipt, where):
    head, _, rest = where.partition("].")
    return get(receipt["transcript"][int(head.removeprefix("transcript["))], rest.split("."))


@pytest.mark.parametrize("name", ["byteLength", "width", "height"])
def test_the_observation_is_what_its_picture_is(own, name):
    receipt, pictures = own
    receipt["observation"][name] += 1
    sha256 = receipt["observation"]["sha256"]
    finding = check_frame(receipt, sha256, pictures[sha256])
    assert finding is not None
    assert (finding.defect, finding.where) == ("frame", f"observation.{name}")


def test_an_observation_that_is_no_picture_is_found(own):
    receipt, _ = own
    receipt["observation"]["sha256"] = digest_bytes(b"no picture")
    finding = check_frame(receipt, digest_bytes(b"no picture"), b"no picture")
    assert finding is not None
    assert (finding.defect, finding.where) == ("frame", "observation.sha256")
