"""Every refusal of receipt-v2: its code, and that sequence, phase and page are unchanged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from protocol.errors import Failure
from tests.fakes.house import CLICK, JOB, OTHER, PRE, URL, House, code_of

if TYPE_CHECKING:
    from pathlib import Path

    import trio


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path)


async def look(house: House, proof_id: str) -> Any:
    """Everything that a refusal must leave as it was."""
    status = await house.status(proof_id)
    tab = house.tab
    return (
        status,
        list(house.events(proof_id)),
        list(tab.inputs),
        tab.captures,
        tab.sealed,
        house.held(),
    )


def batch(*actions: object) -> dict[str, object]:
    return {"op": "actions", "actions_json": json.dumps(list(actions))}


def texts(text: str) -> dict[str, object]:
    return {"op": "actions", "actions_json": text}


OBSERVE = {"op": "observe", "pre_observation_sha256": PRE}
FINISH = {"op": "finish", "observation_sha256": "0" * 64, "claims_json": "{}"}
FREEZE, CLOSE, ABORT = {"op": "freeze"}, {"op": "close"}, {"op": "abort"}
MANY = [CLICK] * 17

REFUSED_IN_STAGE = [
    ("phase", OBSERVE),
    ("phase", FINISH),
    ("phase", CLOSE),
    ("sequence", {**FREEZE, "sequence": 1}),
    ("sequence", {**batch(CLICK), "sequence": 7}),
    ("sequence", {**ABORT, "sequence": 1}),
    ("command", {**FREEZE, "sequence": -1}),
    ("command", {**FREEZE, "sequence": True}),
    ("command", {**FREEZE, "sequence": "0"}),
    ("command", {**FREEZE, "more": 1}),
    ("command", {"op": "unfreeze"}),
    ("command", {"op": "actions"}),
    ("command", {**batch(CLICK), "actions_json": [CLICK]}),
    ("json", texts("[")),
    ("json", texts('[{"type":"click","x":1,"y":1,"x":2}]')),
    ("json", texts('[{"type":"wait","ms":1}] x')),
    ("input-size", texts("[" + " " * (64 * 1024) + "]")),
    ("actions", texts("[]")),
    ("actions", texts("{}")),
    ("actions", texts("3")),
    ("actions", batch(*MANY)),
    ("action", batch({"type": "click", "x": 40, "y": 0})),
    ("action", batch({"type": "click", "x": 0, "y": 30})),
    ("action", batch({"type": "click", "x": -1, "y": 0})),
    ("json", batch({"type": "click", "x": 1.5, "y": 0})),
    ("action", batch({"type": "click", "x": True, "y": 0})),
    ("action", batch({"type": "click", "x": 1})),
    ("action", batch({"type": "click", "x": 1, "y": 1, "button": "back"})),
    ("action", batch({"type": "click", "x": 1, "y": 1, "delay": 1})),
    ("action", batch({"type": "scroll", "x": 1, "y": 1, "direction": "down", "amount": 101})),
    ("action", batch({"type": "type", "text": ""})),
    ("action", batch({"type": "type", "text": "x" * 4097})),
    ("action", batch({"type": "key", "key": "hyper+x"})),
    ("action", batch({"type": "hold_key", "key": "a", "ms": 10001})),
    ("action", batch({"type": "wait", "ms": 5001})),
    ("action", batch({"type": "screenshot", "x": 1})),
    ("action", batch({"type": "dance"})),
    ("action", batch({"x": 1})),
    ("action", batch("click")),
    ("action", batch(CLICK, CLICK, {"type": "dance"})),
    ("action-forbidden", batch({"type": "paste", "text": "x"})),
    ("action-forbidden", batch({"type": "mouse_down", "x": 1, "y": 1})),
    ("action-forbidden", batch({"type": "mouse_up", "x": 1, "y": 1})),
    ("action-forbidden", batch(CLICK, {"type": "zoom"})),
    ("action-forbidden", batch({"type": "navigate", "url": "http://127.0.0.1:2/"})),
    ("action-forbidden", batch({"type": "navigate", "url": "file:///etc/passwd"})),
    ("action-forbidden", batch({"type": "navigate", "url": "data:text/html,x"})),
]


def name(case: object) -> str:
    return json.dumps(case)[:70] if isinstance(case, dict) else str(case)


@pytest.mark.parametrize(("code", "request_"), REFUSED_IN_STAGE, ids=name)
async def test_refused_in_stage(house: House, code: str, request_: dict[str, object]) -> None:
    proof_id = (await house.begin())["proofId"]
    before = await look(house, proof_id)
    asked = {"sequence": 0, **request_, "proof_id": proof_id}
    reply = await house.raw(json.dumps(asked))
    assert reply["ok"] is False
    assert reply["error"]["code"] == f"external-proof-{code}"
    assert reply["error"]["retryable"] is False
    assert reply["error"]["message"]
    assert reply["error"]["hint"]
    assert await look(house, proof_id) == before
    await house.act(proof_id, 0)


REFUSED_LATER = [
    ("frozen", "phase", 1, batch(CLICK)),
    ("frozen", "phase", 1, FREEZE),
    ("frozen", "phase", 1, FINISH),
    ("frozen", "phase", 1, CLOSE),
    ("frozen", "sequence", 0, OBSERVE),
    ("frozen", "observation", 1, {**OBSERVE, "pre_observation_sha256": "F" * 64}),
    ("frozen", "observation", 1, {**OBSERVE, "pre_observation_sha256": "ab"}),
    ("frozen", "command", 1, {"op": "observe"}),
    ("observed", "phase", 2, batch(CLICK)),
    ("observed", "phase", 2, FREEZE),
    ("observed", "phase", 2, OBSERVE),
    ("observed", "phase", 2, CLOSE),
    ("observed", "sequence", 3, FINISH),
    ("observed", "observation", 2, FINISH),
    ("finished", "phase", 3, batch(CLICK)),
    ("finished", "phase", 3, OBSERVE),
    ("finished", "phase", 3, FINISH),
    ("finished", "sequence", 2, CLOSE),
    ("finished", "sequence", 4, ABORT),
]


@pytest.mark.parametrize(("phase", "code", "sequence", "request_"), REFUSED_LATER, ids=name)
async def test_refused_later(
    house: House, phase: str, code: str, sequence: int, request_: dict[str, object]
) -> None:
    reached = await house.reach(phase)
    proof_id = reached["proofId"]
    before = await look(house, proof_id)
    asked = {"sequence": sequence, **request_, "proof_id": proof_id}
    reply = await house.raw(json.dumps(asked))
    assert reply["error"]["code"] == f"external-proof-{code}"
    assert await look(house, proof_id) == before
    assert before[0]["phase"] == phase
    await house.op("abort", proof_id, reached["sequence"])


@pytest.mark.parametrize(
    ("code", "claims_json"),
    [
        ("claims", "[]"),
        ("claims", '"x"'),
        ("json", "{"),
        ("json", '{"a":1,"a":2}'),
        ("json", '{"a":"\\ud800"}'),
        ("json", "{} {}"),
        ("input-size", json.dumps({"a": "x" * 16384})),
    ],
)
async def test_refused_claims(house: House, code: str, claims_json: str) -> None:
    observed = await house.reach("observed")
    proof_id, sha256 = observed["proofId"], observed["frame"]["sha256"]
    before = await look(house, proof_id)
    asked = {"observation_sha256": sha256, "claims_json": claims_json}
    assert await code_of(house.op("finish", proof_id, 2, **asked)) == code
    assert await look(house, proof_id) == before
    finished = await house.op("finish", proof_id, 2, observation_sha256=sha256, claims_json="{}")
    assert finished["receipt"]["claimsJson"] == "{}"


async def test_a_picture_of_before_cannot_be_claimed_about(house: House) -> None:
    observed = await house.reach("observed")
    proof_id = observed["proofId"]
    initial = house.events(proof_id)[0]["frameSha256"]
    asked = {"observation_sha256": initial, "claims_json": "{}"}
    assert await code_of(house.op("finish", proof_id, 2, **asked)) == "observation"


async def test_the_65th_action(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    for sequence in range(4):
        await house.act(proof_id, sequence, *[{"type": "wait", "ms": 0}] * (16 - (sequence == 3)))
    before = await look(house, proof_id)
    assert await code_of(house.act(proof_id, 4, CLICK, CLICK)) == "action-limit"
    assert await look(house, proof_id) == before
    assert (await house.act(proof_id, 4))["understudy"]["actionsLeft"] == 0
    assert await code_of(house.act(proof_id, 5)) == "action-limit"


@pytest.mark.parametrize("op", ["status", "freeze", "abort", "close"])
async def test_absent_foreign_and_malformed_ids_get_one_answer(house: House, op: str) -> None:
    proof_id = (await house.begin())["proofId"]
    before = await look(house, proof_id)
    sequence = {} if op == "status" else {"sequence": 0}
    replies = [
        await house.raw(json.dumps({"op": op, "proof_id": asked, **sequence}), actor)
        for asked, actor in (
            (proof_id, OTHER),
            ("ecup-" + "0" * 32, OTHER),
            ("../../x", OTHER),
        )
    ]
    assert replies[0]["error"]["code"] == "external-proof-not-found"
    assert replies[0] == replies[1] == replies[2]
    assert await look(house, proof_id) == before


@pytest.mark.parametrize(
    ("code", "raw"),
    [
        ("input-size", b'{"op":"status","proof_id":"' + b"x" * 98304 + b'"}'),
        ("json", b""),
        ("json", b"{"),
        ("json", b'{"op":"status"} {}'),
        ("json", b'{"op":"status","op":"status","proof_id":"x"}'),
        ("json", b'\xef\xbb\xbf{"op":"status","proof_id":"x"}'),
        ("json", b'{"op":"status","proof_id":"\xff"}'),
        ("json", b'{"op":"begin","job_sha256":NaN}'),
        ("json", b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"),
        ("command", b"[]"),
        ("command", b"{}"),
        ("command", b'{"op":1}'),
        ("command", b'{"op":"status"}'),
    ],
    ids=lambda raw: str(raw)[:40],
)
async def test_requests_that_are_none(house: House, code: str, raw: bytes) -> None:
    reply = await house.raw(raw)
    assert reply["error"]["code"] == f"external-proof-{code}"
    assert house.held() == (0, 0, 0, 0)


FULL = {
    "workspace_id": "bw-" + "0" * 32,
    "display_id": 99,
    "display_target": "display_99",
    "capture_generation": "vdcg-" + "0" * 32,
}


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("external-proof-binding", {"job_sha256": JOB.upper()}),
        ("external-proof-binding", {"attempt_id": ""}),
        ("external-proof-binding", {"attempt_id": "a\n"}),
        ("external-proof-binding", {"headed": True}),
        ("external-proof-binding", {"profile": "work"}),
        ("external-proof-binding", {"viewport": "0x0"}),
        ("external-proof-binding", {"viewport": "4097x30"}),
        ("external-proof-binding", {"url": "nowhere"}),
        ("external-proof-binding", {"allowed_origins": ["https://a.example/path"]}),
        ("external-proof-command", {"url": 1}),
        ("external-proof-command", {"sequence": 0}),
        ("external-proof-command", {"url": URL, **FULL}),
        ("external-proof-binding", FULL),
        ("external-proof-binding", {**FULL, "display_id": 100}),
        ("external-proof-binding", {**FULL, "display_id": 0, "display_target": "display_0"}),
        ("origin", {"url": "http://app.example/"}),
        ("origin", {"url": "file:///etc/passwd"}),
        ("origin", {"url": "data:text/html,x"}),
    ],
    ids=name,
)
async def test_begins_that_are_refused_hold_nothing(
    house: House, code: str, given: dict[str, object]
) -> None:
    asked = {"attempt_id": "a", "job_sha256": JOB, **given}
    with pytest.raises(Failure) as caught:
        await house.call("session.begin", **asked)
    assert caught.value.code == code
    assert house.held() == (0, 0, 0, 0)
    assert house.chromium.orders == []
    assert (await house.call("session.list"))["sessions"] == []


async def test_a_begin_out_of_the_policys_bounds(nursery: trio.Nursery, tmp_path: Path) -> None:
    house = House(nursery, tmp_path, policy_origins=["https://a.example"])
    assert await code_of(house.begin()) == "policy"
    beyond = house.begin(url="https://a.example/", allowed_origins=["https://b.example"])
    assert await code_of(beyond) == "policy"
    assert house.held() == (0, 0, 0, 0)
    begun = await house.begin(url="https://a.example/")
    assert begun["understudy"]["origins"] == ["https://a.example"]
