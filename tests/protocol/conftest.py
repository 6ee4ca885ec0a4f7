"""What several tests of protocol/ need: the vectors, a picture, a receipt of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from protocol.actions import parse_actions
from protocol.pictures import parse_frame
from protocol.receipts import ActionStatus, Binding, open_record
from protocol.viewports import Viewport
from tests.fakes.pictures import png_of

VECTORS = Path(__file__).parent.parent / "vectors" / "receipt-v2.json"


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    return json.loads(VECTORS.read_text(encoding="utf-8"))


@pytest.fixture
def good(vectors) -> dict[str, Any]:
    """A copy of the vectors' good receipt, free to be changed."""
    return json.loads(json.dumps(vectors["cases"][0]["receipt"]))


@pytest.fixture
def own() -> tuple[dict[str, Any], dict[str, bytes]]:
    """A receipt that our own code built, as parsed JSON, and the pictures of its frames."""
    pictures = [png_of(320, 200, grey) for grey in (0, 50, 100, 150)]
    frames = [parse_frame(picture) for picture in pictures]
    binding = Binding("attempt zoë-😀", "bw-" + "a" * 32, 170, "vdcg-" + "b" * 32, "d" * 64)
    actor = {"kind": "local-process", "principalId": "uid:1000", "sessionId": None}
    actions = parse_actions(
        json.dumps([{"type": "click", "x": 1, "y": 2}, {"type": "wait", "ms": 5}]),
        viewport=Viewport(320, 200),
        origins=(),
    )
    record = open_record("ecup-" + "c" * 32, binding, actor, 1_700_000_000_000, frames[0])
    record = record.acted(actions[0], ActionStatus.INJECTED, frames[1])
    record = record.acted(actions[1], ActionStatus.OK, frames[2]).frozen(1_700_000_000_007)
    record = record.observed(1_700_000_000_007, frames[3], "e" * 64)
    receipt = record.finished(1_700_000_001_000, 1000, '{"note":"Zoë \\u0000","ready":true}')
    kept = {frame.sha256: picture for frame, picture in zip(frames, pictures, strict=True)}
    return json.loads(json.dumps(receipt)), kept
