"""The full begin: displays, workspaces and holders by name, and what a session is bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from protocol.errors import Failure
from tests.fakes.house import CLICK, JOB, OTHER, PRE, URL, House, code_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path)


async def prepare(house: House, attempt: str = "a", **given: object) -> dict[str, object]:
    """Make a display and a workspace on it; the fields of a begin that fits."""
    display = (await house.call("display.create"))["display"]
    asked = {"url": URL, "viewport": {"width": 40, "height": 30}, "holder": attempt, **given}
    made = await house.call("workspace.create", display_id=display["displayId"], **asked)
    workspace = made["workspace"]
    return {
        "attempt_id": attempt,
        "job_sha256": JOB,
        "workspace_id": workspace["workspaceId"],
        "display_id": workspace["displayId"],
        "display_target": workspace["displayTarget"],
        "capture_generation": workspace["captureGeneration"],
    }


async def begin(house: House, fields: dict[str, object], **other: object) -> Any:
    return await house.call("session.begin", **{**fields, **other})


async def test_a_session_on_given_resources_leaves_them(house: House) -> None:
    fields = await prepare(house)
    begun = await begin(house, fields)
    proof_id = begun["proofId"]
    assert begun["binding"] == {
        "attemptId": "a",
        "workspaceId": fields["workspace_id"],
        "displayId": 99,
        "displayTarget": "display_99",
        "captureGeneration": fields["capture_generation"],
        "jobSha256": JOB,
    }
    (listed,) = (await house.call("workspace.list"))["workspaces"]
    assert (listed["session"], listed["holder"], listed["holderKind"]) == (
        proof_id,
        "a",
        "bounded_cu",
    )
    await house.act(proof_id, 0, CLICK)
    await house.op("freeze", proof_id, 1)
    observed = await house.op("observe", proof_id, 2, pre_observation_sha256=PRE)
    sha256 = observed["frame"]["sha256"]
    await house.op("finish", proof_id, 3, observation_sha256=sha256, claims_json="{}")
    assert (await house.op("close", proof_id, 4))["cleanupComplete"] is True
    assert house.held() == (0, 1, 1, 1)
    (kept,) = (await house.call("workspace.list"))["workspaces"]
    assert (kept["session"], kept["phase"]) == (None, "ready")


async def test_frozen_is_frozen_for_the_workspaces_next_session_too(house: House) -> None:
    fields = await prepare(house)
    proof_id = (await begin(house, fields))["proofId"]
    await house.op("freeze", proof_id, 0)
    await house.op("abort", proof_id, 1)
    assert await code_of(begin(house, fields)) == "binding"
    closed = await house.call("workspace.close", workspace_id=fields["workspace_id"])
    assert closed["cleanupComplete"] is True
    generation = house.displays.get("uid:1", 99).generation
    assert generation != fields["capture_generation"]


async def test_a_workspace_that_was_not_frozen_serves_again(house: House) -> None:
    fields = await prepare(house)
    proof_id = (await begin(house, fields))["proofId"]
    await house.op("abort", proof_id, 0)
    assert (await begin(house, fields))["proofId"] != proof_id


@pytest.mark.parametrize(
    "wrong",
    [
        {"workspace_id": "bw-" + "f" * 32},
        {"display_id": 100, "display_target": "display_100"},
        {"display_target": "display_100"},
        {"display_target": ":99"},
        {"capture_generation": "vdcg-" + "f" * 32},
        {"attempt_id": "b"},
        {"job_sha256": "0" * 63},
    ],
    ids=str,
)
async def test_each_wrong_part_is_refused(house: House, wrong: dict[str, object]) -> None:
    fields = await prepare(house)
    before = (await house.call("workspace.list"), list(house.tab.inputs), house.tab.captures)
    assert await code_of(begin(house, fields, **wrong)) == "binding"
    after = (await house.call("workspace.list"), list(house.tab.inputs), house.tab.captures)
    assert after == before
    assert house.held() == (0, 1, 1, 1)
    await begin(house, fields)


async def test_another_holder_kind_is_refused(house: House) -> None:
    fields = await prepare(house, holder_kind="agent")
    assert await code_of(begin(house, fields)) == "binding"
    workspace_id = fields["workspace_id"]
    acquired = await house.call("workspace.acquire", workspace_id=workspace_id, holder="a")
    assert acquired["workspace"]["holderKind"] == "bounded_cu"
    await begin(house, fields)


async def test_a_workspace_without_a_holder_is_refused(house: House) -> None:
    fields = await prepare(house, holder=None)
    assert await code_of(begin(house, fields)) == "binding"


async def test_a_stale_generation_is_refused(house: House) -> None:
    old = await prepare(house)
    await house.call("workspace.close", workspace_id=old["workspace_id"])
    made = await house.call("workspace.create", display_id=99, viewport="40x30", holder="a")
    new = made["workspace"]
    assert new["captureGeneration"] != old["capture_generation"]
    stale = {**old, "workspace_id": new["workspaceId"]}
    assert await code_of(begin(house, stale)) == "binding"


async def test_another_actors_workspace_is_not_there(house: House) -> None:
    fields = await prepare(house)
    foreign = house.call("session.begin", OTHER, **fields)
    absent = house.call("session.begin", OTHER, **{**fields, "workspace_id": "bw-" + "f" * 32})
    with pytest.raises(Failure) as one:
        await foreign
    with pytest.raises(Failure) as two:
        await absent
    assert one.value.body() == two.value.body()
    assert one.value.code == "external-proof-binding"


async def test_a_workspace_is_in_one_session(house: House) -> None:
    fields = await prepare(house)
    proof_id = (await begin(house, fields))["proofId"]
    assert await code_of(begin(house, fields)) == "busy"
    workspace_id = fields["workspace_id"]
    assert await code_of(house.call("workspace.close", workspace_id=workspace_id)) == "conflict"
    taken = house.call("workspace.acquire", workspace_id=workspace_id, holder="b", force=True)
    assert await code_of(taken) == "conflict"
    assert await code_of(house.call("display.destroy", display_id=99)) == "conflict"
    assert (await house.status(proof_id))["sequence"] == 0


async def test_a_lost_workspace_is_refused(house: House) -> None:
    fields = await prepare(house)
    house.tab.lose("the browser ended")
    await trio.testing.wait_all_tasks_blocked()
    assert await code_of(begin(house, fields)) == "binding"
    (listed,) = (await house.call("workspace.list"))["workspaces"]
    assert (listed["phase"], listed["reason"]) == ("lost", "the browser ended")
    state = house.call("workspace.state", workspace_id=fields["workspace_id"])
    assert await code_of(state) == "gone"
    await house.call("workspace.close", workspace_id=fields["workspace_id"])
    await house.call("display.destroy", display_id=99)
    assert house.held() == (0, 0, 0, 0)


# --- the methods themselves ------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("display.create", {"min_display_id": 100}),
        ("display.create", {"min_display_id": "100", "max_display_id": 101}),
        ("display.create", {"min_display_id": True, "max_display_id": 101}),
        ("display.create", {"count": 3}),
        ("display.destroy", {}),
        ("display.destroy", {"display_id": "99"}),
        ("display.list", {"all": True}),
        ("workspace.create", {"viewport": "1280"}),
        ("workspace.create", {"viewport": {"width": 1, "height": 1, "depth": 1}}),
        ("workspace.create", {"origins": "https://a.example"}),
        ("workspace.create", {"origins": [1]}),
        ("workspace.create", {"holder": "a\n"}),
        ("workspace.create", {"holder_kind": "agent"}),
        ("workspace.create", {"url": "nowhere"}),
        ("workspace.create", {"headed": True}),
        ("workspace.acquire", {"workspace_id": "bw-1"}),
        ("workspace.state", {}),
    ],
    ids=str,
)
async def test_parameters_that_are_none(
    house: House, method: str, params: dict[str, object]
) -> None:
    assert await code_of(house.call(method, **params)) == "invalid_request"
    assert house.held() == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", ["../x", "", "a b", "CON", "-x"])
async def test_a_holder_kind_is_a_name(house: House, kind: str) -> None:
    asked = house.call("workspace.create", holder="a", holder_kind=kind)
    assert await code_of(asked) == "invalid_name"


@pytest.mark.parametrize("workspace_id", ["bw-" + "0" * 32, "../../x", ""])
async def test_no_such_workspace(house: House, workspace_id: str) -> None:
    for method, more in (
        ("workspace.state", {}),
        ("workspace.close", {}),
        ("workspace.acquire", {"holder": "a"}),
    ):
        asked = house.call(method, workspace_id=workspace_id, **more)
        assert await code_of(asked) == "not_found"


async def test_displays_by_name(house: House) -> None:
    made = await house.call("display.create", min_display_id=150, max_display_id=150)
    assert made["display"]["displayId"] == 150
    full = house.call("display.create", min_display_id=150, max_display_id=150)
    assert await code_of(full) == "display_exhausted"
    assert (await house.call("display.list"))["displays"] == [made["display"]]
    assert (await house.call("display.list", OTHER))["displays"] == []
    assert await code_of(house.call("display.destroy", OTHER, display_id=150)) == "not_found"
    assert (await house.call("display.destroy", display_id=150))["display"] == made["display"]
    assert (await house.call("display.list"))["displays"] == []


async def test_a_workspace_says_which_browser_it_is(house: House) -> None:
    made = (await house.call("workspace.create", url=URL, origins=["https://b.example"]))[
        "workspace"
    ]
    assert made["browser"] == {
        "version": "Fake/1",
        "pid": 4242,
        "argvPassed": ["fake"],
        "argvActual": ["fake"],
    }
    assert made["origins"] == ["http://127.0.0.1:1", "https://b.example"]
    assert made["viewport"] == {"width": 1280, "height": 720}
    assert (made["holder"], made["session"], made["phase"]) == (None, None, "ready")
