"""Viewports in both spellings."""

import pytest

from protocol.errors import Failure
from protocol.viewports import Viewport, parse_viewport


@pytest.mark.parametrize("size", [(1, 1), (1280, 720), (4096, 4096)])
def test_both_spellings_give_the_viewport(size):
    viewport = Viewport(*size)
    assert parse_viewport(str(viewport)) == viewport
    assert parse_viewport(viewport.wire()) == viewport


@pytest.mark.parametrize(
    "value",
    ["", "1280", "1280x", "x720", "1280X720", " 1x1", "1x1\n", "0x1", "1x0", "01x1", "1x1x1",
     "4097x1", "1x4097", "1x99999", "1x999999", "-1x1", "1.0x1", "1 x 1", "\u0661x1", None, 7,
     [1, 1], {}, {"width": 1}, {"width": 1, "height": 1, "scale": 1}, {"width": "1", "height": 1},
     {"width": True, "height": 1}, {"width": 1, "height": 0}, {"width": 5000, "height": 1}],
)  # fmt: skip
def test_other_values_are_refused(value):
    with pytest.raises(Failure) as caught:
        parse_viewport(value)
    assert caught.value.code == "invalid_request"
