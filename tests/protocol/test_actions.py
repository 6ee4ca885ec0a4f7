"""Batches of actions: every field, range, default, refusal and projection."""

import json

import pytest

from protocol.actions import (
    ACTION_TYPES,
    FORBIDDEN_TYPES,
    Click,
    Drag,
    HoldKey,
    MoveMouse,
    Navigate,
    PressKey,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
    parse_actions,
)
from protocol.canonical import digest
from protocol.element_actions import ELEMENT_TYPES
from protocol.errors import Failure
from protocol.keys import Chord
from protocol.viewports import Viewport

ORIGIN = "http://127.0.0.1:8801"

SAMPLES = {
    "click": {"x": 0, "y": 199, "button": "right"},
    "double_click": {"x": 319, "y": 0},
    "triple_click": {"x": 1, "y": 2, "button": "middle"},
    "move_mouse": {"x": 1, "y": 2},
    "drag": {"start_x": 0, "start_y": 0, "end_x": 319, "end_y": 199},
    "scroll": {"x": 1, "y": 2, "direction": "up", "amount": 100},
    "type": {"text": "Zoë 😀\n"},
    "key": {"key": "ctrl+a"},
    "hold_key": {"key": "shift", "ms": 10_000},
    "wait": {"ms": 5_000},
    "screenshot": {},
    "navigate": {"url": ORIGIN + "/x"},
}


def parse(*actions):
    return parse_raw(json.dumps(list(actions)))


def parse_raw(text):
    return parse_actions(text, viewport=Viewport(320, 200), origins=(ORIGIN,))


def code_of(call, *args) -> str:
    with pytest.raises(Failure) as caught:
        call(*args)
    assert caught.value.code.startswith("external-proof-")
    return caught.value.code.removeprefix("external-proof-")


def test_the_samples_are_one_of_each_type_with_coordinates():
    assert set(SAMPLES) == set(ACTION_TYPES) - ELEMENT_TYPES


def test_a_batch_becomes_typed_actions_with_defaults():
    batch = parse(*({"type": kind, **fields} for kind, fields in SAMPLES.items()))
    assert batch == (
        Click("click", 0, 199, "right"),
        Click("double_click", 319, 0, "left"),
        Click("triple_click", 1, 2, "middle"),
        MoveMouse("move_mouse", 1, 2),
        Drag("drag", 0, 0, 319, 199),
        Scroll("scroll", 1, 2, "up", 100),
        TypeText("type", "Zoë 😀\n"),
        PressKey("key", "ctrl+a"),
        HoldKey("hold_key", "shift", 10_000),
        Wait("wait", 5_000),
        Screenshot("screenshot"),
        Navigate("navigate", ORIGIN + "/x"),
    )
    assert [action.count for action in batch[:3]] == [1, 2, 3]
    assert batch[7].chord == Chord(("ctrl",), "a")
    assert batch[8].chord == Chord((), "shift")
    scroll = {"type": "scroll", "x": 1, "y": 2, "direction": "down"}
    assert parse(scroll) == (Scroll("scroll", 1, 2, "down", 3),)


def test_all_but_wait_and_screenshot_is_input():
    quiet = {
        kind for kind, fields in SAMPLES.items() if not parse({"type": kind, **fields})[0].is_input
    }
    assert quiet == {"wait", "screenshot"}


@pytest.mark.parametrize("kind", SAMPLES)
def test_an_unknown_field_is_refused_in_every_type(kind):
    assert code_of(parse, {"type": kind, **SAMPLES[kind], "shell": 1}) == "action"


@pytest.mark.parametrize(
    ("kind", "field"),
    [(kind, field) for kind, fields in SAMPLES.items() for field in fields],
)
def test_every_field_is_required_but_the_two_with_defaults(kind, field):
    action = {"type": kind, **SAMPLES[kind]}
    del action[field]
    if field in {"button", "amount"}:
        assert len(parse(action)) == 1
    else:
        assert code_of(parse, action) == "action"


@pytest.mark.parametrize(
    ("kind", "field"),
    [(kind, field) for kind, fields in SAMPLES.items() for field in fields],
)
@pytest.mark.parametrize("value", [None, True, False, [], {}, [1], "", -1, 10**30])
def test_no_field_takes_a_value_of_another_kind(kind, field, value):
    assert code_of(parse, {"type": kind, **SAMPLES[kind], field: value}) == "action"


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("click", "x", 320), ("click", "y", 200), ("click", "x", "1"), ("click", "button", "LEFT"),
        ("move_mouse", "x", 320), ("move_mouse", "y", 200), ("drag", "start_x", 320),
        ("drag", "start_y", 200), ("drag", "end_x", 320), ("drag", "end_y", 200),
        ("scroll", "x", 320), ("scroll", "y", 200), ("scroll", "amount", 0),
        ("scroll", "amount", 101), ("scroll", "direction", "north"), ("type", "text", "a" * 4097),
        ("key", "key", "ctrl+"), ("key", "key", "nokey"), ("hold_key", "ms", 10_001),
        ("hold_key", "key", ""), ("wait", "ms", 5_001), ("wait", "ms", "5"),
        ("navigate", "url", "a" * 8193), ("navigate", "url", "/relative"),
        ("navigate", "url", "http://"),
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused(kind, field, value):
    assert code_of(parse, {"type": kind, **SAMPLES[kind], field: value}) == "action"


def test_the_edges_of_ranges_are_inside():
    parse({"type": "type", "text": "😀" * 4096})
    parse({"type": "wait", "ms": 0}, {"type": "hold_key", "key": "a", "ms": 0})
    parse({"type": "scroll", "x": 0, "y": 0, "direction": "left", "amount": 1})
    longest = ORIGIN + "/" + "a" * (8192 - len(ORIGIN) - 1)
    parse({"type": "navigate", "url": longest})
    assert code_of(parse, {"type": "navigate", "url": longest + "a"}) == "action"


@pytest.mark.parametrize("kind", sorted(FORBIDDEN_TYPES))
def test_forbidden_types_are_refused_as_such_whatever_their_fields(kind):
    assert code_of(parse, {"type": kind}) == "action-forbidden"
    assert code_of(parse, {"type": "wait", "ms": 1}, {"type": kind, "x": 1}) == "action-forbidden"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8802/", "https://evil.example/", "file:///etc/passwd", "data:,x",
            "chrome://version", "http://127.0.0.1:8801@evil.example/"],
)  # fmt: skip
def test_navigating_off_the_sessions_origins_is_forbidden(url):
    assert code_of(parse, {"type": "navigate", "url": url}) == "action-forbidden"


@pytest.mark.parametrize("url", [f" {ORIGIN}/", f"{ORIGIN}/\n", "about:blank#x"])
def test_navigating_to_what_a_browser_would_repair_is_a_bad_action(url):
    assert code_of(parse, {"type": "navigate", "url": url}) == "action"


def test_navigating_to_another_spelling_or_the_blank_page_is_allowed():
    for url in ("HTTP://127.1:8801", "about:blank"):
        assert parse({"type": "navigate", "url": url}) == (Navigate("navigate", url),)


@pytest.mark.parametrize("action", [{}, {"type": 1}, {"type": "paint"}, [], "click", None, 1])
def test_what_is_no_action_is_a_bad_action(action):
    assert code_of(parse, action) == "action"


@pytest.mark.parametrize("value", [[], {}, "click", 1, None, [{"type": "screenshot"}] * 17])
def test_a_batch_is_an_array_of_1_to_16(value):
    assert code_of(parse_raw, json.dumps(value)) == "actions"


def test_sixteen_actions_are_a_batch():
    assert len(parse(*[{"type": "screenshot"}] * 16)) == 16


@pytest.mark.parametrize(
    "text",
    ["", "[", "nonsense", '[{"type":"type","text":"a","text":"b"}]', '[{"type":"wait","ms":1.0}]',
     '[{"type":"type","text":"\\ud800"}]', '[{"type":"screenshot"}] x'],
)  # fmt: skip
def test_what_is_not_strict_json_is_refused_as_json(text):
    assert code_of(parse_raw, text) == "json"


def test_more_than_64_kib_is_refused_by_size():
    full = '[{"type":"screenshot"}]'.ljust(64 * 1024)
    assert len(parse_raw(full)) == 1
    assert code_of(parse_raw, full + " ") == "input-size"


def test_one_bad_action_refuses_the_batch_and_is_named_by_index_and_field():
    with pytest.raises(Failure, match=r"Action 2 \(click\) has a bad x"):
        parse({"type": "screenshot"}, {"type": "wait", "ms": 1}, {"type": "click", "x": -1, "y": 0})


@pytest.mark.parametrize(
    ("action", "hint"),
    [
        ({"type": "click", "x": 320, "y": 0}, "0 to 319"),
        ({"type": "click", "x": 0, "y": 200}, "0 to 199"),
        ({"type": "click", "x": 0}, "x, y, button (optional)"),
        ({"type": "screenshot", "x": 0}, "none"),
        ({"type": "scroll", "x": 0, "y": 0, "direction": "north"}, "up, down, left, right"),
        ({"type": "wait", "ms": 5001}, "0 to 5000"),
        ({"type": "type", "text": ""}, "1 to 4096"),
        ({"type": "key", "key": "Retrun"}, "ctrl+shift+t"),
        ({"type": "navigate", "url": "two.html"}, "https://a.example/"),
        ({"type": "clik"}, "click, double_click"),
    ],
)
def test_a_refusal_says_what_would_be_right(action, hint):
    with pytest.raises(Failure) as caught:
        parse(action)
    assert hint in caught.value.hint


def test_refusals_never_repeat_what_was_typed():
    for action in (
        {"type": "type", "text": "hunter2", "shell": 1},
        {"type": "type", "text": ["hunter2"]},
        {"type": "key", "key": "hunter2"},
        {"type": "hunter2"},
        {"type": "screenshot", "hunter2": 1},
    ):
        with pytest.raises(Failure) as caught:
            parse(action)
        assert "hunter2" not in str(caught.value.body())


def test_projections_agree_with_the_vectors(vectors):
    assert len(vectors["projections"]) == 3
    for vector in vectors["projections"]:
        assert parse(vector["action"])[0].projection_sha256 == vector["sha256"]


def test_projections_leave_out_what_was_typed_and_fill_in_defaults():
    def projected(action):
        return parse(action)[0].projection()

    assert projected({"type": "type", "text": "secret"}) == {"type": "type"}
    assert projected({"type": "key", "key": "s"}) == {"type": "key"}
    assert projected({"type": "hold_key", "key": "s", "ms": 7}) == {"type": "hold_key", "ms": 7}
    assert projected({"type": "click", "x": 1, "y": 2}) == (
        {"type": "click", "x": 1, "y": 2, "button": "left"}
    )
    assert projected({"type": "scroll", "x": 1, "y": 2, "direction": "up"})["amount"] == 3
    wanted = digest("understudy-action-projection-v1", {"type": "wait", "ms": 5})
    assert parse({"type": "wait", "ms": 5})[0].projection_sha256 == wanted


def test_every_other_field_changes_the_projection():
    base = {"type": "drag", **SAMPLES["drag"]}
    seen = {parse(base)[0].projection_sha256}
    seen |= {parse({**base, name: 5})[0].projection_sha256 for name in SAMPLES["drag"]}
    assert len(seen) == 5
