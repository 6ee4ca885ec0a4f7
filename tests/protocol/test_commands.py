"""Commands on the wire: every type and field, and everything that is refused."""

from __future__ import annotations

import base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.command_fields import MAX_BATCH, parse_batch, parse_command
from protocol.commands import Expectation, Step, WaitFor, is_write, own_seconds
from protocol.errors import Failure
from protocol.targets import By, LocatorTarget

SECRET = "hunter2"
T = {"css": "#b"}
TARGET = LocatorTarget(By.CSS, "#b")
READS = {"snapshot", "wait", "read", "screenshot"}
CONTENT = base64.b64encode(b"hello").decode()

GOOD = [
    {"type": "click", "target": T},
    {"type": "click", "target": T, "button": "right", "count": 2, "modifiers": ["Shift", "ctrl"]},
    {"type": "hover", "target": T},
    {"type": "focus", "target": T},
    {"type": "clear", "target": T},
    {"type": "check", "target": T, "expect": {"state": "checked"}},
    {"type": "uncheck", "target": T},
    {"type": "type", "text": "a\nb"},
    {"type": "type", "text": "a", "target": T},
    {"type": "fill", "target": T, "text": ""},
    {"type": "select", "target": T, "labels": ["a", "b"]},
    {"type": "select", "target": T, "values": ["1"]},
    {"type": "key", "keys": "ctrl+a"},
    {"type": "hold_key", "keys": "a", "ms": 10},
    {"type": "scroll", "target": T},
    {"type": "scroll", "by": [0, -300]},
    {"type": "scroll", "by": [0, 300], "target": T},
    {"type": "scroll", "to": "bottom"},
    {"type": "drag", "target": T, "to": {"point": [1, 2]}},
    {"type": "upload", "target": T, "files": [{"path": "/a/b.txt", "content": CONTENT}]},
    {"type": "navigate", "url": "https://a.example", "expect": {"url": "https://a.example/*"}},
    {"type": "back"},
    {"type": "forward"},
    {"type": "reload"},
    {"type": "snapshot"},
    {"type": "snapshot", "interactive": True, "depth": 3, "limit": 9, "within": {"ref": "ke0"}},
    {"type": "snapshot", "diff": True},
    {"type": "wait", "for": "load"},
    {"type": "wait", "for": "text", "value": "ready", "timeout_ms": 500},
    {"type": "wait", "for": "state", "target": T, "value": "enabled"},
    {"type": "wait", "for": "ms", "ms": 20},
    {"type": "read", "what": "title"},
    {"type": "read", "what": "text"},
    {"type": "read", "what": "attribute", "target": T, "name": "href"},
    {"type": "read", "what": "count", "target": T},
    {"type": "screenshot"},
    {"type": "screenshot", "full": True},
    {"type": "screenshot", "target": T},
]

BAD = [
    None,
    [],
    "click",
    {},
    {"type": 5},
    {"type": "paste", "text": SECRET},
    {"type": "evaluate", "script": SECRET},
    {"type": "click"},
    {"type": "click", "target": T, "count": 4},
    {"type": "click", "target": T, "count": True},
    {"type": "click", "target": T, "button": SECRET},
    {"type": "click", "target": T, "modifiers": [SECRET]},
    {"type": "click", "target": T, "extra": SECRET},
    {"type": "click", "target": T, "expect": {}},
    {"type": "click", "target": T, "expect": {"url": "a", "text": SECRET}},
    {"type": "click", "target": T, "expect": {"text": SECRET, "target": T}},
    {"type": "click", "target": T, "expect": {"state": SECRET}},
    {"type": "type", "text": ""},
    {"type": "type", "text": "\ud800"},
    {"type": "select", "target": T, "labels": ["\udfff"]},
    {"type": "type", "text": "é" * 40_000},
    {"type": "fill", "target": T},
    {"type": "select", "target": T},
    {"type": "select", "target": T, "labels": [SECRET], "values": [SECRET]},
    {"type": "select", "target": T, "labels": SECRET},
    {"type": "key", "keys": SECRET},
    {"type": "hold_key", "keys": "a", "ms": 10_001},
    {"type": "scroll"},
    {"type": "scroll", "to": "top", "by": [1, 1]},
    {"type": "scroll", "by": [0.5, 1]},
    {"type": "upload", "target": T, "files": []},
    {"type": "upload", "target": T, "files": [{"path": "b.txt", "content": CONTENT}]},
    {"type": "upload", "target": T, "files": [{"path": "/b/", "content": CONTENT}]},
    {"type": "upload", "target": T, "files": [{"path": "/b", "content": SECRET + "!"}]},
    {"type": "navigate", "url": ""},
    {"type": "back", "target": T},
    {"type": "snapshot", "expect": {"url": "a"}},
    {"type": "wait"},
    {"type": "wait", "for": "text"},
    {"type": "wait", "for": "load", "value": SECRET},
    {"type": "wait", "for": "load", "ms": 5},
    {"type": "wait", "for": "state", "value": "enabled"},
    {"type": "wait", "for": "state", "target": T, "value": SECRET},
    {"type": "wait", "for": "ms", "ms": 600_001},
    {"type": "read", "what": "html"},
    {"type": "read", "what": "value"},
    {"type": "read", "what": "attribute", "target": T},
    {"type": "read", "what": "text", "target": T, "name": SECRET},
    {"type": "read", "what": "count", "target": {"ref": "ke0"}},
    {"type": "read", "what": "url", "target": T},
    {"type": "screenshot", "full": True, "target": T},
]


@pytest.mark.parametrize("wire", GOOD, ids=lambda wire: wire["type"])
def test_every_type_is_read_and_knows_whether_it_writes(wire):
    command = parse_command(wire)
    assert command.type == wire["type"]
    assert command.is_write is (wire["type"] not in READS)


def test_every_type_has_an_example_here():
    with pytest.raises(Failure) as refused:
        parse_command({"type": "no such type"})
    known = refused.value.message.partition("known: ")[2].split(", ")
    assert {wire["type"] for wire in GOOD} == set(known)


@pytest.mark.parametrize("wire", BAD, ids=str)
def test_what_is_wrong_is_refused_without_repeating_it(wire):
    with pytest.raises(Failure) as caught:
        parse_command(wire)
    assert caught.value.code == "invalid_request"
    assert SECRET not in caught.value.message + caught.value.hint


def test_what_was_typed_is_in_no_representation():
    for wire in (
        {"type": "type", "text": SECRET},
        {"type": "fill", "target": T, "text": SECRET},
        {"type": "select", "target": T, "labels": [SECRET]},
        {"type": "key", "keys": "x"},
        {"type": "upload", "target": T, "files": [{"path": "/a", "content": "aHVudGVyMg=="}]},
    ):
        assert SECRET not in repr(parse_command(wire))
        assert "keys" not in repr(parse_command(wire))


def test_expectations_and_targets_are_typed():
    command = parse_command({"type": "click", "target": T, "expect": {"gone": "Saving"}})
    assert command.expect == Expectation(WaitFor.TEXT_GONE, "Saving")
    assert list(command.targets) == [TARGET]
    drag = parse_command({"type": "drag", "target": T, "to": {"label": "Bin"}})
    assert list(drag.targets) == [TARGET, LocatorTarget(By.LABEL, "Bin")]


def test_only_waits_and_holds_ask_for_time_of_their_own():
    own = {wire["type"]: 0.0 for wire in GOOD}
    for wire in GOOD:
        own[wire["type"]] += own_seconds([parse_command(wire)])
    assert {kind for kind, seconds in own.items() if seconds} == {"wait", "hold_key"}
    assert own_seconds([parse_command({"type": "wait", "for": "ms", "ms": 20})]) == 0.02
    assert own_seconds([parse_command({"type": "hold_key", "keys": "a", "ms": 10})]) == 0.01


def test_a_batch_keeps_the_callers_names_and_is_a_write_if_one_step_is():
    steps = parse_batch([{"type": "snapshot"}, {"type": "click", "target": T, "id": "go"}])
    assert [step.name for step in steps] == [None, "go"]
    assert is_write(steps)
    assert not is_write(steps[:1])
    assert isinstance(steps[0], Step)


@pytest.mark.parametrize("values", [None, {}, [], [GOOD[0]] * (MAX_BATCH + 1)])
def test_a_batch_is_a_list_within_its_limit(values):
    with pytest.raises(Failure):
        parse_batch(values)


@pytest.mark.parametrize("url", ["http://a/\x1b[31m", "https://a/ b", "HTTP://a/\n"])
def test_an_address_with_a_blank_or_a_control_character_is_told_so(url):
    with pytest.raises(Failure, match="holds a blank or a control character"):
        parse_command({"type": "navigate", "url": url})


def test_no_two_commands_of_a_batch_have_the_same_id():
    named = {"type": "snapshot", "id": "a"}
    with pytest.raises(Failure, match="Commands 0 and 2 of the batch have the same id"):
        parse_batch([named, GOOD[0], named])


def test_a_bad_command_of_a_batch_is_named_by_its_place():
    with pytest.raises(Failure) as caught:
        parse_batch([GOOD[0], {"type": "click"}])
    assert "Command 1 of the batch" in caught.value.message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


@given(st.sampled_from(GOOD), st.data())
def test_a_field_of_any_value_is_accepted_or_refused(wire, data):
    name = data.draw(st.sampled_from(sorted(wire)))
    changed = {**wire, name: data.draw(VALUES)}
    with suppress(Failure):
        parse_command(changed)
