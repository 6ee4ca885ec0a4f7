"""Beginning once under a key."""

import pytest

from protocol.beginnings import (
    Begun,
    begin_fingerprint,
    find_begun,
    parse_begin_key,
    profile_state_digest,
)
from protocol.errors import Failure
from protocol.leases import SessionKind

KEY = b"k" * 32
UUID = "7e6f0d3e-41a6-4b62-9f0a-2f1d8f4c9a10"
A, B = "https://a.example", "https://b.example"


def fingerprint(*origins, **given):
    return begin_fingerprint(KEY, SessionKind.UNATTENDED, origins, **given)


def test_a_key_is_a_uuid_of_any_version_in_any_case():
    assert parse_begin_key(UUID.upper()) == UUID
    for version in "12345678":
        for variant in "89abAB":
            key = f"00000000-0000-{version}000-{variant}000-000000000000"
            assert parse_begin_key(key) == key.lower()


@pytest.mark.parametrize(
    "bad",
    ["", UUID + " ", UUID[:-1], UUID.replace("-", ""), UUID + "0", "{" + UUID + "}", None, 7,
     UUID.replace("4b62", "0b62"), UUID.replace("4b62", "9b62"), UUID.replace("9f0a", "cf0a"),
     UUID.replace("7e6f", "7e6g"), UUID.replace("7", "\u0667")],
)  # fmt: skip
def test_what_is_no_uuid_is_refused(bad):
    with pytest.raises(Failure) as refused:
        parse_begin_key(bad)
    assert refused.value.code == "invalid_request"


def test_order_and_repeats_of_origins_do_not_count_and_anything_else_does():
    assert fingerprint(A, B) == fingerprint(B, A, A)
    login = profile_state_digest(KEY, "work")
    others = [
        fingerprint(A, B),
        fingerprint(A),
        fingerprint(A, B, profile="p"),
        fingerprint(A, B, profile="p", profile_state=login),
        begin_fingerprint(KEY, SessionKind.ATTENDED, (A, B)),
        begin_fingerprint(b"l" * 32, SessionKind.UNATTENDED, (A, B)),
    ]
    assert len(set(others)) == len(others)
    assert fingerprint(A, profile="P") == fingerprint(A, profile="p")


def test_a_profile_state_key_is_kept_as_a_keyed_digest_only():
    assert "work" not in profile_state_digest(KEY, "work")
    assert profile_state_digest(KEY, "work") != profile_state_digest(b"l" * 32, "work")
    for bad in ("", "x" * 257):
        with pytest.raises(Failure):
            profile_state_digest(KEY, bad)


def test_a_known_key_answers_with_its_session_or_conflicts():
    assert find_begun(None, "f") is None
    assert find_begun(Begun("us-1", "f"), "f") == "us-1"
    with pytest.raises(Failure) as refused:
        find_begun(Begun("us-1", "f"), "g")
    assert refused.value.code == "conflict"
