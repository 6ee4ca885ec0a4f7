"""``session run``: all phases in order, nothing lost, and an honest end when one fails."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from protocol.errors import proof_failure
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

PROOF = "ecup-" + "a" * 32
JOB = "d" * 64
STATE = '{"url":"http://127.0.0.1/"}'
PICTURES = [f"picture {number}".encode() for number in range(3)]
DIGESTS = [hashlib.sha256(picture).hexdigest() for picture in PICTURES]
RECEIPT = {
    "receiptId": "ecup-receipt:1",
    "transcript": [{"detail": {"frameSha256": sha}} for sha in (*DIGESTS, DIGESTS[2])],
}
WAIT = {"type": "wait", "ms": 1}
ELSEWHERE = {"type": "navigate", "url": "http://b.example/"}


class Daemon(RecordingHost):
    """Answers as a daemon would: each change adds one to the sequence."""

    def __init__(self, failing="", failure=None, **more):
        super().__init__(**more)
        self.failing, self.failure = failing, failure
        self.sequence = 0
        self.batches = []

    async def call(self, method, params):
        self.did.append(("call", method, dict(params)))
        verb = method.removeprefix("session.")
        if verb == "frame":
            return {"ok": True, "frame": frame(DIGESTS.index(params["sha256"]))}
        if verb == "state":
            return {"ok": True, "stateJson": STATE}
        assert params.get("sequence") == (None if verb == "begin" else self.sequence)
        if verb == self.failing:
            raise self.failure
        self.sequence += verb != "begin"
        return getattr(self, verb, self.other)(params)

    def actions(self, params):
        batch = json.loads(params["actions_json"])
        self.batches.append(batch)
        results = [
            {"index": index, "type": "wait", "status": "ok"} for index, _ in enumerate(batch)
        ]
        load = {"url": "http://127.0.0.1/", "status": 404, "error": None, "loaded": True}
        page = {"actions": results, "popups": [], "load": load}
        return self.other(params) | {"understudy": page}

    def finish(self, params):
        assert params["observation_sha256"] == DIGESTS[2]
        return self.other(params) | {"receipt": RECEIPT}

    def other(self, _):
        return {"ok": True, "proofId": PROOF, "sequence": self.sequence, "frame": frame(2)}


def frame(number):
    return {
        "sha256": DIGESTS[number],
        "pngBase64": base64.b64encode(PICTURES[number]).decode(),
    }


async def run(host, *argv, actions=(WAIT,)):
    host.files["a.json"] = json.dumps(actions).encode()
    words = ["session", "run", "--job", JOB, "--actions", "@a.json", *argv]
    return await parse(words, width=80).run(host)


async def test_all_phases_in_order_with_every_record_left():
    host = Daemon()
    assert await run(host, "--out", "out/", "--receipt", "r.json", actions=[WAIT] * 40) == 0
    assert host.methods == [
        "session.begin",
        *["session.actions"] * 3,
        "session.freeze",
        "session.state",
        "session.observe",
        "session.finish",
        "session.close",
        *["session.frame"] * 3,
    ]
    assert [len(batch) for batch in host.batches] == [16, 16, 8]
    assert json.loads(host.files["r.json"]) == RECEIPT
    assert host.files["out/state.json"] == STATE.encode()
    for sha, picture in zip(DIGESTS, PICTURES, strict=True):
        assert host.files[f"out/frames/{sha}.png"] == picture
    assert set(host.modes.values()) == {0o600}
    text = host.stdout.decode()
    assert "  39 wait ok\n" in text
    assert "actions    40 (40 ok)" in text
    assert "out/frames (3)" in text
    assert 'url        "http://127.0.0.1/" (404)\n' in text
    assert "ecup-receipt:1" in text


async def test_outputs_are_made_sure_of_before_anything_starts():
    host = Daemon()
    await run(host, "--out", "out")
    first_call = next(index for index, entry in enumerate(host.did) if entry[0] == "call")
    prepared = [entry[1] for entry in host.did[:first_call] if entry[0] == "prepare"]
    assert prepared == ["out/frames/", "out/state.json", "out/receipt.json"]
    for path in prepared:
        blocked = Daemon(unwritable={path})
        assert await run(blocked, "--out", "out") == 2
        assert blocked.methods == []


async def test_a_receipt_alone_leaves_nothing_else():
    host = Daemon()
    assert await run(host, "--receipt", "r.json") == 0
    assert set(host.files) == {"a.json", "r.json"}
    assert "session.frame" not in host.methods


async def test_json_names_the_files():
    host = Daemon()
    await run(host, "--out", "out", "--json", actions=[WAIT] * 17)
    answer = json.loads(host.stdout)
    assert answer["files"] == {
        "receipt": "out/receipt.json",
        "state": "out/state.json",
        "frames": [f"out/frames/{sha}.png" for sha in DIGESTS],
    }
    assert [one["index"] for one in answer["actions"]] == list(range(17))
    assert answer["receiptId"] == "ecup-receipt:1"


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([], "external-proof-actions"),
        ([WAIT] * 65, "external-proof-action-limit"),
        ([{"type": "wait", "ms": 1, "x": 2}], "external-proof-action"),
        ([{"type": "click", "x": 1280, "y": 0}], "external-proof-action"),
        ([{"type": "paste"}], "external-proof-action-forbidden"),
        ([*[WAIT] * 20, ELSEWHERE], "external-proof-action-forbidden"),
        ({"type": "wait"}, "external-proof-actions"),
    ],
)
async def test_a_plan_that_cannot_be_is_refused_before_a_browser_starts(actions, code):
    host = Daemon()
    argv = ["--receipt", "r", "--url", "http://127.0.0.1:1/", "--json"]
    assert await run(host, *argv, actions=actions) != 0
    assert host.methods == []
    error = json.loads(host.stdout)["error"]
    assert error["code"] == code
    assert ("counting from action 16" in error["message"]) is (len(actions) == 21)


@pytest.mark.parametrize(
    ("claims", "code"), [("[1]", "external-proof-claims"), ('{"a":1,"a":2}', "external-proof-json")]
)
async def test_claims_that_cannot_be_are_refused_before_a_browser_starts(claims, code):
    host = Daemon()
    assert await run(host, "--claims", claims, "--receipt", "r", "--json") == 2
    assert json.loads(host.stdout)["error"]["code"] == code
    assert host.methods == []


async def test_the_plan_is_judged_by_the_page_s_own_size():
    click = [{"type": "click", "x": 1280, "y": 0}]
    host = Daemon()
    assert await run(host, "--receipt", "r", "--viewport", "1281x720", actions=click) == 0
    assert host.params("session.begin")["viewport"] == "1281x720"


@pytest.mark.parametrize("phase", ["actions", "freeze", "observe", "finish"])
async def test_a_failure_aborts_and_says_so(phase):
    host = Daemon(phase, proof_failure("frame", "no picture came", "try again"))
    assert await run(host, "--out", "out") == 1
    assert host.methods[-1] == "session.abort"
    assert b"was aborted, and there is no receipt" in host.stderr
    assert PROOF.encode() in host.stderr
    assert "out/receipt.json" not in host.files


async def test_a_failure_in_a_later_batch_says_where_its_numbers_begin():
    class Third(Daemon):
        def actions(self, params):
            if self.batches[1:]:
                self.sequence -= 1  # the batch was not accepted
                raise proof_failure("action-failed", "Action 2 (wait) failed: no", "x")
            return super().actions(params)

    host = Third()
    assert await run(host, "--receipt", "r", actions=[WAIT] * 40) == 13
    assert b"Action 2 (wait) failed: no (counting from action 32); session" in host.stderr


async def test_a_session_that_ended_by_itself_is_not_called_aborted():
    class Ended(Daemon):
        def abort(self, _):
            raise proof_failure("closed", "it is over", "")

    host = Ended("actions", proof_failure("action-failed", "Action 0 (wait) failed: no", "x"))
    assert await run(host, "--receipt", "r") == 13
    assert b"had ended by then" in host.stderr


async def test_a_session_that_cannot_be_aborted_is_named_with_the_reason():
    class Stuck(Daemon):
        def abort(self, _):
            raise proof_failure("cleanup-failed", "the browser does not die", "")

    host = Stuck("freeze", proof_failure("frame", "no picture came", ""))
    assert await run(host, "--receipt", "r") == 1
    assert b"could not be aborted (the browser does not die)" in host.stderr


async def test_a_refused_begin_is_not_aborted():
    host = Daemon("begin", proof_failure("busy", "there are eight", "wait"))
    assert await run(host, "--receipt", "r") == 6
    assert host.methods == ["session.begin"]


async def test_a_disk_that_fills_up_loses_the_file_but_closes_the_session():
    host = Daemon(broken={"r"})
    assert await run(host, "--receipt", "r") == 2
    assert host.methods[-1] == "session.close"
    assert f"session {PROOF} itself was finished" in host.stderr.decode()
    assert f"evidence/{PROOF}" in host.stderr.decode()


async def test_a_frame_that_comes_back_changed_is_not_kept():
    class Liar(Daemon):
        async def call(self, method, params):
            answer = await super().call(method, params)
            return {"frame": frame(0)} if method == "session.frame" else answer

    host = Liar()
    assert await run(host, "--out", "out") == 1
    assert f"out/frames/{DIGESTS[1]}.png" not in host.files
    assert b"came back changed" in host.stderr
