"""Receipts taken apart: their members by path, and what a verifier says of them."""

import json

from protocol.canonical import digest, digest_bytes
from protocol.receipts import receipt_id, stage_of
from protocol.verify import check_receipt


def encoded(receipt) -> bytes:
    return json.dumps(receipt).encode()


def defect_of(receipt) -> str | None:
    finding = check_receipt(encoded(receipt))
    return finding.defect.value if finding else None


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


def sealed(receipt):
    """Recompute every digest of a changed receipt, so that only its rule can tell."""
    transcript = receipt["transcript"]
    receipt["transcriptSha256"] = digest("intendant-external-cu-transcript-v1", transcript)
    stage = stage_of(transcript)
    receipt["stageTranscriptSha256"] = digest("intendant-external-cu-stage-v1", stage)
    claims_sha256 = digest_bytes(receipt["claimsJson"].encode())
    receipt["claimsSha256"] = claims_sha256
    receipt["receiptId"] = receipt_id(receipt)
    return receipt


def with_first_frame(receipt, name):
    """A receipt that is consistent and names its first frame like this."""
    receipt = json.loads(json.dumps(receipt))
    receipt["transcript"][0]["detail"]["frameSha256"] = name
    return sealed(receipt)
