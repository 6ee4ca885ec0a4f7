"""The one table of exit codes: complete, and as DESIGN and receipt-v2 have it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from protocol.errors import PROOF_PREFIX
from understudy_cli.exits import EXITS, INTERNAL, MEANINGS, exit_of

ROOT = Path(__file__).parents[2]
CODE_HOLDERS = {"Failure": "", "proof_failure": PROOF_PREFIX}
INTERNAL_CODES = {
    "internal",
    *(
        PROOF_PREFIX + name
        for name in ("frame", "frame-size", "clock", "cleanup-pending", "cleanup-failed")
    ),
}
"""Codes that mean 1 on purpose ("the rest 1" in receipt-v2.md)."""


def is_subclass_code(function, text):
    """Whether ``super().__init__(text, …)`` gives a failure its code."""
    called = isinstance(function, ast.Attribute) and function.attr == "__init__"
    return called and re.fullmatch(r"[a-z_-]+", text) is not None


def codes_in(source):
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first, function = node.args[0], node.func
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        if isinstance(function, ast.Name) and function.id in CODE_HOLDERS:
            yield CODE_HOLDERS[function.id] + first.value
        elif is_subclass_code(function, first.value):
            yield first.value


def test_every_code_that_our_source_raises_is_in_the_table():
    found = {
        code
        for layer in ("protocol", "daemon", "understudy_cli")
        for file in (ROOT / layer).rglob("*.py")
        for code in codes_in(file.read_text())
    }
    assert {"usage", "not_found", "caller_gone", "external-proof-sequence"} <= found
    assert found - EXITS.keys() - INTERNAL_CODES == set()


PROOF_EXITS = {
    3: "sequence phase",
    6: "busy",
    10: "not-found",
    7: "expired closed",
    11: "actor action-forbidden",
    2: "input-size json command binding actions action action-limit observation claims",
    13: "action-failed",
    8: "setup-timeout",
    1: "frame frame-size clock cleanup-pending cleanup-failed",
}


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [(name, code) for code, names in PROOF_EXITS.items() for name in names.split()],
)
def test_the_shared_codes_have_the_exits_of_the_profile(name, exit_code):
    assert exit_of(PROOF_PREFIX + name) == exit_code


def test_every_exit_has_a_meaning_and_the_unknown_is_internal():
    assert set(EXITS.values()) <= MEANINGS.keys()
    assert set(range(14)) <= MEANINGS.keys()
    assert exit_of("never_heard_of") == INTERNAL
