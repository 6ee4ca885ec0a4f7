"""An evidence session from begin to close, and what it leaves."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from daemon.evidence_store import EvidenceDirectory
from daemon.tab import TabSilent
from protocol.errors import Failure
from protocol.verify import check_receipt
from tests.fakes.house import CLICK, JOB, OTHER, PRE, URL, House, code_of
from understudy_cli.exits import exit_of

if TYPE_CHECKING:
    from pathlib import Path

    import trio

    from daemon.tab import PageState


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path, store=EvidenceDirectory(tmp_path / "evidence"))


SECRET = "correct horse battery"


async def test_a_whole_session_leaves_a_receipt_that_verifies(house: House) -> None:
    begun = await house.begin()
    proof_id = begun["proofId"]
    assert begun["sequence"] == 0
    await house.act(proof_id, 0, CLICK, {"type": "type", "text": SECRET})
    await house.act(proof_id, 1, {"type": "key", "key": "ctrl+Q"}, {"type": "screenshot"})
    frozen = await house.op("freeze", proof_id, 2)
    observed = await house.op("observe", proof_id, 3, pre_observation_sha256=PRE)
    sha256 = observed["frame"]["sha256"]
    finished = await house.op(
        "finish", proof_id, 4, observation_sha256=sha256, claims_json='{"b":1,"a":2.5}'
    )
    closed = await house.op("close", proof_id, 5)

    receipt = finished["receipt"]
    assert check_receipt(json.dumps(receipt).encode()) is None
    assert receipt["claimsJson"] == '{"b":1,"a":2.5}'
    assert (receipt["actionCount"], receipt["inputEventCount"]) == (4, 3)
    assert receipt["preObservationSha256"] == PRE
    assert [frozen["phase"], observed["phase"]] == ["frozen", "observed"]
    assert sha256 not in {begun["frame"]["sha256"], frozen["frame"]["sha256"]}
    assert closed == {
        "ok": True,
        "profile": "intendant-external-cu-proof-v1",
        "proofId": proof_id,
        "sequence": 6,
        "closed": True,
        "aborted": False,
        "cleanupComplete": True,
        "receiptId": receipt["receiptId"],
    }
    kept = json.loads((house.evidence / proof_id / "receipt.json").read_text())
    assert kept == receipt
    assert house.held() == (0, 0, 0, 0)


async def test_a_reply_has_exactly_its_members(house: House) -> None:
    reply = await house.begin()
    assert list(reply) == [
        "ok",
        "profile",
        "proofId",
        "sequence",
        "binding",
        "actor",
        "phase",
        "frame",
        "receipt",
        "understudy",
    ]
    assert reply["binding"] == {
        "attemptId": "a",
        "workspaceId": house.workspaces.list("uid:1")[0].workspace_id,
        "displayId": 99,
        "displayTarget": "display_99",
        "captureGeneration": house.displays.get("uid:1", 99).generation,
        "jobSha256": JOB,
    }
    assert reply["actor"] == {"kind": "local-process", "principalId": "uid:1", "sessionId": None}
    png = base64.b64decode(reply["frame"].pop("pngBase64"))
    sha256 = hashlib.sha256(png).hexdigest()
    assert reply["frame"] == {
        "sha256": sha256,
        "byteLength": len(png),
        "width": 40,
        "height": 30,
    }
    assert reply["receipt"] is None
    assert reply["understudy"]["load"] == {
        "url": URL,
        "status": 200,
        "error": None,
        "loaded": True,
    }


async def test_the_transcript_names_frames_that_are_kept(house: House) -> None:
    finished = await house.reach("finished")
    proof_id = finished["proofId"]
    named = {event["detail"]["frameSha256"] for event in finished["receipt"]["transcript"]}
    frames = house.evidence / proof_id / "frames"
    kept = {path.stem: path.read_bytes() for path in frames.iterdir()}
    assert named == set(kept)
    assert all(hashlib.sha256(png).hexdigest() == name for name, png in kept.items())
    for sha256 in named:
        reply = await house.call("session.frame", proof_id=proof_id, sha256=sha256)
        assert base64.b64decode(reply["frame"]["pngBase64"]) == kept[sha256]
        foreign = house.call("session.frame", OTHER, proof_id=proof_id, sha256=sha256)
        assert await code_of(foreign) == "not-found"
    await house.op("close", proof_id, 3)
    again = await house.call("session.frame", proof_id=proof_id, sha256=named.pop())
    assert again["ok"] is True


@pytest.mark.parametrize("sha256", ["0" * 64, "../receipt", "", "a" * 63])
async def test_a_frame_that_is_none(house: House, sha256: str) -> None:
    proof_id = (await house.begin())["proofId"]
    assert await code_of(house.call("session.frame", proof_id=proof_id, sha256=sha256)) == "frame"


async def test_a_frame_changed_on_disk_is_not_given_out(house: House) -> None:
    begun = await house.begin()
    proof_id, sha256 = begun["proofId"], begun["frame"]["sha256"]
    path = house.evidence / proof_id / "frames" / f"{sha256}.png"
    other = (await house.act(proof_id, 0))["frame"]["sha256"]
    path.write_bytes((path.parent / f"{other}.png").read_bytes())
    assert await code_of(house.call("session.frame", proof_id=proof_id, sha256=sha256)) == "frame"


async def test_the_record_has_what_the_receipt_leaves_out_and_nothing_typed(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    reply = await house.act(
        proof_id, 0, CLICK, {"type": "type", "text": SECRET}, {"type": "key", "key": "ctrl+Q"}
    )
    await house.op("abort", proof_id, 1)
    begun, click, typed, key, ended = house.events(proof_id)
    assert click["action"] == {"type": "click", "x": 3, "y": 4, "button": "left"}
    assert click["under"] == {
        "role": "button",
        "name": "Send",
        "frameOrigin": "http://127.0.0.1:1",
    }
    assert click["frameSha256"] == reply["understudy"]["actions"][0]["frameSha256"]
    assert [typed["action"], key["action"]] == [{"type": "type"}, {"type": "key"}]
    assert begun["binding"]["jobSha256"] == JOB
    assert (ended["event"], ended["phase"], ended["receiptId"]) == ("ended", "aborted", None)
    files = [path for path in house.evidence.rglob("*") if path.is_file()]
    assert len(files) == 5
    assert not any(SECRET.encode() in path.read_bytes() for path in files)
    assert SECRET not in json.dumps(reply)
    assert ("type", SECRET) in house.tab.inputs


async def test_each_action_is_told_with_its_own_status(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    reply = await house.act(
        proof_id,
        0,
        CLICK,
        {"type": "double_click", "x": 1, "y": 1, "button": "right"},
        {"type": "triple_click", "x": 1, "y": 1},
        {"type": "move_mouse", "x": 2, "y": 2},
        {"type": "drag", "start_x": 0, "start_y": 1, "end_x": 2, "end_y": 3},
        {"type": "scroll", "x": 5, "y": 5, "direction": "down"},
        {"type": "type", "text": "é中😀"},
        {"type": "key", "key": "Ctrl+Shift+T"},
        {"type": "hold_key", "key": "a", "ms": 10},
        {"type": "wait", "ms": 1},
        {"type": "screenshot"},
        {"type": "navigate", "url": "http://127.0.0.1:1/next"},
    )
    assert house.tab.inputs[1:] == [
        ("click", 3, 4, "left", 1),
        ("click", 1, 1, "right", 2),
        ("click", 1, 1, "left", 3),
        ("move", 2, 2),
        ("drag", (0, 1), (2, 3)),
        ("scroll", 5, 5, "down", 3),
        ("type", "é中😀"),
        ("press", ("ctrl", "shift"), "T"),
        ("hold", (), "a", 10),
        ("navigate", "http://127.0.0.1:1/next"),
    ]
    told = [(one["index"], one["type"], one["status"]) for one in reply["understudy"]["actions"]]
    assert [index for index, _, _ in told] == list(range(12))
    assert {kind for _, kind, status in told if status == "ok"} == {
        "type",
        "wait",
        "screenshot",
        "navigate",
    }
    assert reply["understudy"]["load"]["url"] == "http://127.0.0.1:1/next"
    assert reply["understudy"]["actionsLeft"] == 52
    assert house.tab.captures == 13


async def test_state_is_a_pure_read_in_stage_and_frozen(house: House) -> None:
    proof_id = (await house.begin())["proofId"]
    captures, inputs = house.tab.captures, list(house.tab.inputs)
    for phase in ("stage", "frozen"):
        read = await house.call("session.state", proof_id=proof_id)
        workspace_id = house.workspaces.list("uid:1")[0].workspace_id
        assert read == await house.call("workspace.state", workspace_id=workspace_id)
        assert json.loads(read["stateJson"]) == read["state"]
        digest = hashlib.sha256(read["stateJson"].encode()).hexdigest()
        assert read["stateSha256"] == digest
        assert list(read["state"]) == ["url", "title", "loaderId", "viewport"]
        assert (await house.status(proof_id))["phase"] == phase
        if phase == "stage":
            await house.op("freeze", proof_id, 0)
    assert (house.tab.captures, house.tab.inputs) == (captures, inputs)
    assert await code_of(house.call("session.state", OTHER, proof_id=proof_id)) == "not-found"


async def test_a_state_that_does_not_come_in_time_may_be_asked_for_again(house: House) -> None:
    proof_id = (await house.reach("frozen"))["proofId"]

    async def silent() -> PageState:
        raise TabSilent("Page.getFrameTree had no reply within 15 s")

    house.tab.read_state = silent  # type: ignore[method-assign]
    with pytest.raises(Failure) as caught:
        await house.call("session.state", proof_id=proof_id)
    body = caught.value.body()
    assert (exit_of(body["code"]), body["safeToRetry"]) == (9, True)
    assert "try again" in body["hint"]
    status = await house.status(proof_id)
    assert (status["phase"], status["sequence"]) == ("frozen", 1)


async def test_the_caller_sees_its_own_sessions_only_and_the_newest_first(house: House) -> None:
    first = (await house.begin("a"))["proofId"]
    second = (await house.begin("b"))["proofId"]
    await house.op("abort", first, 0)
    listed = (await house.call("session.list"))["sessions"]
    assert [(one["proofId"], one["phase"]) for one in listed] == [
        (second, "stage"),
        (first, "aborted"),
    ]
    assert (await house.call("session.list", OTHER))["sessions"] == []
