"""Actions on elements in an evidence session, on a real Chromium that an oracle watches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from protocol.errors import Failure
from protocol.verify import check_receipt
from tests.fakes.house import PRE, code_of
from tests.fakes.real_house import RealHouse, open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

DESK = """<!doctype html><title>desk</title>
<button onclick="note('save')" ondblclick="note('twice')">Save</button>
<label>Subject <input id=i></label>
<label>Password <input id=p type=password></label>
<label>Size <select id=s><option value=s>Small<option value=l>Large</select></label>
<label><input type=checkbox id=c> Agree</label>
<a href="{A}/other">Other</a>
<button id=under style="position:absolute;left:300px;top:300px">Under</button>
<div style="position:absolute;left:280px;top:280px;width:200px;height:100px;background:red"></div>
<p id=out></p>
<script>
const out = document.getElementById('out');
function note(what) { out.textContent += what + ' '; }
</script>"""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[RealHouse]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def desk(pages: PageServer) -> str:
    pages.add("/other", "<!doctype html><title>other</title>there")
    return pages.add("/desk", DESK)


async def test_a_session_on_elements_does_it_and_leaves_a_receipt(
    house: RealHouse, desk: str
) -> None:
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    reply = await house.act(
        proof_id,
        0,
        {"type": "click", "target": {"role": "button", "name": "Save"}},
        {"type": "fill", "target": {"label": "Subject"}, "text": "correct horse"},
        {"type": "fill", "target": {"label": "Password"}, "text": "swordfish"},
        {"type": "select", "target": {"label": "Size"}, "labels": ["Large"]},
        {"type": "check", "target": {"label": "Agree"}},
        {"type": "hover", "target": {"text": "Other"}},
    )
    results = reply["understudy"]["actions"]
    assert [one["status"] for one in results] == ["ok"] * 5 + [results[5]["status"]], results
    with await house.watch(reply) as page:
        seen = await trio.to_thread.run_sync(
            page.evaluate, "[out.textContent, i.value, p.value, s.value, c.checked].join('|')"
        )
    assert seen == "save |correct horse|swordfish|l|true"
    reply = await house.act(
        proof_id,
        1,
        {"type": "uncheck", "target": {"label": "Agree"}},
        {"type": "click", "target": {"text": "Other"}},
        {"type": "back"},
    )
    assert reply["understudy"]["load"]["url"] == desk
    receipt = await close(house, proof_id, 2)
    assert check_receipt(json.dumps(receipt).encode()) is None
    assert (receipt["actionCount"], receipt["inputEventCount"]) == (9, 9)
    verify_nothing_typed(house, proof_id, receipt)


async def close(house: RealHouse, proof_id: str, sequence: int) -> Any:
    await house.op("freeze", proof_id, sequence)
    observed = await house.op("observe", proof_id, sequence + 1, pre_observation_sha256=PRE)
    finished = await house.op(
        "finish",
        proof_id,
        sequence + 2,
        observation_sha256=observed["frame"]["sha256"],
        claims_json="{}",
    )
    await house.op("close", proof_id, sequence + 3)
    return finished["receipt"]


def verify_nothing_typed(house: RealHouse, proof_id: str, receipt: Any) -> None:
    actions = [event for event in house.events(proof_id) if event["event"] == "action"]
    assert actions[1]["action"] == {"type": "fill", "target": {"label": "Subject"}}
    assert actions[0]["under"]["role"] == "button"
    assert actions[0]["under"]["name"] == "Save"
    assert actions[1]["under"]["name"] == "Subject"
    assert actions[3]["action"] == {"type": "select", "target": {"label": "Size"}}
    files = [path.read_bytes().decode("latin-1") for path in house.layout.store.iterdir()]
    kept = [json.dumps(receipt), json.dumps(house.events(proof_id)), *files]
    for secret in ("correct horse", "swordfish", "Large"):
        assert not any(secret in text for text in kept), secret


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"type": "click", "target": {"css": "#under"}}, "receive the click"),
        ({"type": "click", "target": {"role": "button", "name": "Send"}}, "of the page fits"),
        ({"type": "click", "target": {"css": "[["}}, 'selector "[["'),
        ({"type": "fill", "target": {"text": "Save"}, "text": "swordfish"}, "(fill) failed"),
    ],
)
async def test_what_cannot_be_done_ends_the_session_and_nothing_was_done(
    house: RealHouse, desk: str, action: dict[str, object], said: str
) -> None:
    begun = await house.begin(url=desk)
    proof_id = begun["proofId"]
    with pytest.raises(Failure) as caught:
        await house.act(proof_id, 0, {"type": "screenshot"}, action)
    body: Any = caught.value.body()
    assert body["code"] == "external-proof-action-failed"
    assert (body["actionIndex"], body["actionOutcome"]) == (1, "failed")
    assert said in body["message"]
    assert "swordfish" not in json.dumps(body) + json.dumps(house.events(proof_id))
    assert await code_of(house.status(proof_id)) == "closed"
