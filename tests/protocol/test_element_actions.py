"""Actions on elements: what they are, what is refused, and what a projection leaves out."""

import json

import pytest

from protocol.actions import ACTION_TYPES, PROJECTION_DOMAIN, OnElement, parse_actions
from protocol.canonical import digest
from protocol.commands import Click, Drag, Fill, OnTarget, Scroll, Select, Travel, TypeText
from protocol.element_actions import BOTH_TYPES, ELEMENT_TYPES
from protocol.errors import Failure
from protocol.targets import By, LocatorTarget, PointTarget
from protocol.viewports import Viewport

SAVE = {"role": "button", "name": "Save"}
TARGET = LocatorTarget(By.ROLE, "button", "Save")

SAMPLES = {
    "click": ({"target": SAVE}, Click("click", TARGET)),
    "double_click": ({"target": SAVE}, Click("click", TARGET, count=2)),
    "triple_click": (
        {"target": {"point": [319, 199]}, "button": "middle", "modifiers": ["shift"]},
        Click("click", PointTarget(319, 199), "middle", 3, ("shift",)),
    ),
    "hover": ({"target": SAVE}, OnTarget("hover", TARGET)),
    "focus": ({"target": SAVE}, OnTarget("focus", TARGET)),
    "clear": ({"target": SAVE}, OnTarget("clear", TARGET)),
    "check": ({"target": SAVE}, OnTarget("check", TARGET)),
    "uncheck": ({"target": SAVE}, OnTarget("uncheck", TARGET)),
    "fill": ({"target": SAVE, "text": ""}, Fill("fill", TARGET, "")),
    "type": ({"target": SAVE, "text": "Zoë"}, TypeText("type", "Zoë", TARGET)),
    "select": ({"target": SAVE, "labels": ["Large"]}, Select("select", TARGET, ("Large",))),
    "drag": ({"target": SAVE, "to": {"css": "#b"}},
             Drag("drag", TARGET, LocatorTarget(By.CSS, "#b"))),
    "scroll": ({"target": SAVE, "by": [0, -90]}, Scroll("scroll", TARGET, (0, -90))),
    "back": ({}, Travel("back")),
    "forward": ({}, Travel("forward")),
    "reload": ({}, Travel("reload")),
}  # fmt: skip


def parse(*actions):
    text = json.dumps(list(actions))
    return parse_actions(text, viewport=Viewport(320, 200), origins=("http://127.0.0.1:1",))


def refusal(*actions) -> Failure:
    with pytest.raises(Failure) as caught:
        parse(*actions)
    assert caught.value.code == "external-proof-action"
    return caught.value


def test_the_samples_are_one_of_each_type():
    assert set(SAMPLES) == ELEMENT_TYPES | BOTH_TYPES
    assert set(SAMPLES) <= set(ACTION_TYPES)


@pytest.mark.parametrize("kind", SAMPLES)
def test_an_action_is_the_everyday_command_of_its_meaning(kind):
    fields, command = SAMPLES[kind]
    [action] = parse({"type": kind, **fields})
    assert isinstance(action, OnElement)
    assert (action.type, action.command, action.is_input) == (kind, command, True)


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (
            {"type": "click", "target": SAVE},
            {"type": "click", "target": SAVE, "button": "left"},
        ),
        (
            {"type": "double_click", "target": {"text": "Sign in"}, "button": "right"},
            {"type": "double_click", "target": {"text": "Sign in"}, "button": "right"},
        ),
        ({"type": "fill", "target": SAVE, "text": "secret"}, {"type": "fill", "target": SAVE}),
        ({"type": "type", "target": SAVE, "text": "secret"}, {"type": "type", "target": SAVE}),
        ({"type": "select", "target": SAVE, "values": ["x"]}, {"type": "select", "target": SAVE}),
        ({"type": "select", "target": SAVE, "labels": ["x"]}, {"type": "select", "target": SAVE}),
        ({"type": "back"}, {"type": "back"}),
    ],
)
def test_a_projection_has_everything_but_what_was_typed_or_chosen(action, shown):
    [parsed] = parse(action)
    assert parsed.projection() == shown
    assert parsed.projection_sha256 == digest(PROJECTION_DOMAIN, shown)
    assert "secret" not in repr(parsed)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"type": "fill", "target": SAVE}, "needs the field text"),
        ({"type": "click", "target": SAVE, "x": 1, "y": 2}, "no such field"),
        ({"type": "click", "target": SAVE, "count": 2}, "no field count"),
        ({"type": "click", "target": SAVE, "expect": {"text": "x"}}, "no field expect"),
        ({"type": "click", "target": {"ref": "k7e14"}}, "no snapshot"),
        ({"type": "drag", "target": SAVE, "to": {"ref": "k7e14"}}, "no snapshot"),
        ({"type": "click", "target": {"point": [320, 0]}}, "outside of the frame"),
        ({"type": "drag", "target": SAVE, "to": {"point": [0, 200]}}, "outside of the frame"),
        ({"type": "click", "target": {"name": "Save"}}, "exactly one of"),
        ({"type": "select", "target": SAVE}, "labels or values"),
        ({"type": "fill", "target": SAVE, "text": "x" * 4097}, "4096 characters"),
        ({"type": "upload", "target": SAVE, "files": []}, "unknown type"),
        ({"type": "hover", "x": 1, "y": 2}, "no such field"),
        ({"type": "snapshot"}, "unknown type"),
    ],
)
def test_what_is_no_action_is_refused_by_place_and_condition(action, said):
    failure = refusal({"type": "back"}, action)
    assert failure.message.startswith("Action 1 ")
    assert said in failure.message


def test_a_refusal_never_repeats_what_was_typed():
    failure = refusal({"type": "fill", "target": SAVE, "text": "swordfish", "x": 1})
    assert "swordfish" not in failure.message + failure.hint
