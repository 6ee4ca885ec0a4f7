"""Targets on the wire: each form, and everything that is none."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.snapshots import Ref
from protocol.targets import By, LocatorTarget, PointTarget, RefTarget, parse_locator, parse_target

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("wire", "target"),
    [
        ({"ref": "k7e14"}, RefTarget(Ref("k7", 14))),
        ({"ref": "k7e14", "renamed": True}, RefTarget(Ref("k7", 14), renamed=True)),
        ({"point": [10, 0]}, PointTarget(10, 0)),
        ({"role": "button"}, LocatorTarget(By.ROLE, "button")),
        ({"role": "button", "name": "Save"}, LocatorTarget(By.ROLE, "button", "Save")),
        ({"label": "E-mail"}, LocatorTarget(By.LABEL, "E-mail")),
        ({"text": "Sign in"}, LocatorTarget(By.TEXT, "Sign in")),
        ({"test_id": "save"}, LocatorTarget(By.TEST_ID, "save")),
        ({"css": "#save"}, LocatorTarget(By.CSS, "#save")),
    ],
)
def test_each_form_is_read(wire, target):
    assert parse_target(wire) == target


@pytest.mark.parametrize(
    "wire",
    [
        None,
        "k7e14",
        [],
        {},
        {"ref": SECRET},
        {"ref": 5},
        {"ref": "k7e14", "renamed": "yes"},
        {"ref": "k7e14", "name": SECRET},
        {"point": [1]},
        {"point": [1, 2, 3]},
        {"point": [1.5, 2]},
        {"point": [-1, 2]},
        {"point": [True, 2]},
        {"point": [1, 2], "css": SECRET},
        {"css": SECRET, "label": SECRET},
        {"css": ""},
        {"css": 5},
        {"css": "a" * 5000},
        {"css": "\ud800"},
        {"label": SECRET, "name": SECRET},
        {"role": "button", "name": 5},
        {"selector": SECRET},
    ],
)
def test_anything_else_is_refused_without_repeating_it(wire):
    with pytest.raises(Failure) as caught:
        parse_target(wire)
    assert caught.value.code in {"invalid_request", "usage"}
    assert SECRET not in caught.value.message


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.dictionaries(
                st.sampled_from(["ref", "point", "css", "role", "name", "text", "renamed", "x"]),
                inner,
            )
            | st.lists(inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_no_value_breaks_it(value):
    with suppress(Failure):
        parse_target(value)


def test_a_ref_or_a_point_is_no_locator():
    for wire in ({"ref": "k7e14"}, {"point": [1, 2]}, None):
        with pytest.raises(Failure):
            parse_locator(wire)
