"""The verifier: all vectors, every field flipped, files that are no receipts, frames."""

import base64
import copy
import io
import json
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.canonical import digest_bytes
from protocol.receipts import receipt_id
from protocol.verify import (
    MAX_RECEIPT_BYTES,
    Defect,
    check_frame,
    check_frame_names,
    check_receipt,
    examine_receipt,
    frames_of,
)
from tests.fakes.pictures import png_of
from tests.fakes.receipts import defect_of, encoded, get, leaves, with_first_frame


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


def changed(receipt, path, value):
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


@pytest.mark.parametrize(
    "name",
    [
        "../private/secret",
        "",
        "a\0b",
        "f" * 5000,
        "A" * 64,
        "a" * 63,
        "a" * 64 + "\n",
        "\u0661" * 64,
    ],
)
def test_a_frame_that_is_named_by_no_digest_is_found(good, name):
    receipt = with_first_frame(good, name)
    assert defect_of(receipt) is None
    finding = check_frame_names(receipt)
    assert (finding.defect, finding.where) == ("frame", "transcript[0].detail.frameSha256")
    assert check_frame_names(good) is None


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
