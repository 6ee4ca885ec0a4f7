"""Receipts taken apart: their members by path, and what a verifier says of them."""

import json

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
