"""Each session command's Options against a host that records: what it asks, leaves and says."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from protocol.errors import Failure, proof_failure
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

PNG = b"\x89PNG not a real one"
SHA = hashlib.sha256(PNG).hexdigest()
PROOF = "ecup-" + "a" * 32
JOB = "d" * 64
FRAME = {
    "sha256": SHA,
    "byteLength": len(PNG),
    "width": 1280,
    "height": 720,
    "pngBase64": base64.b64encode(PNG).decode(),
}


def reply(phase="stage", sequence=0, **more):
    return {
        "ok": True,
        "profile": "intendant-external-cu-proof-v1",
        "proofId": PROOF,
        "sequence": sequence,
        "binding": {"attemptId": "attempt-1", "workspaceId": "bw-1"},
        "actor": {"kind": "local-process", "principalId": "uid:0", "sessionId": None},
        "phase": phase,
        "frame": FRAME,
        "receipt": None,
        "understudy": {"load": {"url": "http://127.0.0.1/\u202e\n", "status": 200}},
        **more,
    }


async def run(host, *argv):
    return await parse(argv, width=80).run(host)


async def test_begin_sends_the_short_form_and_makes_an_attempt_up():
    host = RecordingHost({"session.begin": [reply()]}, files={"job": b"do it"})
    exit_code = await run(
        host, "session", "begin", "--job-file", "job", "--url", "http://127.0.0.1/",
        "--origin", "http://a:1", "--origin", "http://b:2", "--viewport", "800x600",
    )  # fmt: skip
    assert exit_code == 0
    assert host.params("session.begin") == {
        "attempt_id": "attempt-" + "0" * 32,
        "job_sha256": hashlib.sha256(b"do it").hexdigest(),
        "url": "http://127.0.0.1/",
        "allowed_origins": ["http://a:1", "http://b:2"],
        "viewport": "800x600",
    }
    assert host.stderr == b""


async def test_text_shows_the_page_s_words_on_one_escaped_line():
    host = RecordingHost({"session.begin": [reply()]})
    await run(host, "session", "begin", "--job", JOB)
    lines = host.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == [
        "proofId",
        "phase",
        "sequence",
        "attemptId",
        "workspaceId",
        "url",
        "frame",
    ]
    assert lines[5].endswith(r'"http://127.0.0.1/\u202e\x0a" (200)')
    assert SHA in lines[6]


async def test_begin_passes_the_full_form_on():
    host = RecordingHost({"session.begin": [reply()]})
    await run(
        host, "session", "begin", "--job", JOB, "--workspace", "bw-1", "--display", "120",
        "--generation", "vdcg-1", "--attempt", "attempt-1",
    )  # fmt: skip
    assert host.params("session.begin") == {
        "attempt_id": "attempt-1",
        "job_sha256": JOB,
        "workspace_id": "bw-1",
        "display_id": 120,
        "display_target": "display_120",
        "capture_generation": "vdcg-1",
    }


async def test_progress_is_for_a_terminal_only_and_is_taken_away():
    host = RecordingHost({"session.begin": [reply()]}, stderr_tty=True, environment={"TERM": "x"})
    await run(host, "session", "begin", "--job", JOB)
    assert host.stderr == "starting the browser …\r\x1b[K".encode()
    host = RecordingHost({"session.begin": [reply()]}, stderr_tty=True)
    await run(host, "session", "begin", "--job", JOB)
    assert host.stderr == "starting the browser …\n".encode()


@pytest.mark.parametrize("asked", [["--json"], []], ids=["flag", "variable"])
async def test_json_is_one_object_with_everything(asked):
    environment = {} if asked else {"UNDERSTUDY_OUTPUT": "json"}
    host = RecordingHost({"session.status": [reply()]}, environment=environment)
    assert await run(host, "session", "status", PROOF, *asked) == 0
    assert host.stdout.count(b"\n") == 1
    assert json.loads(host.stdout) == reply()


@pytest.mark.parametrize(
    ("field", "printed"),
    [
        ("frame.sha256", SHA),
        ("sequence", "0"),
        ("receipt", "null"),
        ("binding", '{"attemptId":"attempt-1","workspaceId":"bw-1"}'),
        ("understudy.load.url", "http://127.0.0.1/\u202e\n"),
    ],
)
async def test_get_prints_one_field(field, printed):
    host = RecordingHost({"session.status": [reply()]})
    assert await run(host, "session", "status", PROOF, "--get", field) == 0
    assert host.stdout.decode() == printed + "\n"


async def test_get_of_page_text_is_escaped_on_a_terminal():
    host = RecordingHost({"session.status": [reply()]}, stdout_tty=True)
    await run(host, "session", "status", PROOF, "--get", "understudy.load.url")
    assert host.stdout == rb"http://127.0.0.1/\u202e\x0a" + b"\n"


@pytest.mark.parametrize("field", ["frame.sha", "nothing", "sequence.x", "frame.0"])
async def test_get_of_a_missing_field_exits_2_and_says_that_the_command_was_done(field):
    host = RecordingHost({"session.freeze": [reply("frozen", 1)]})
    assert await run(host, "session", "freeze", PROOF, "--sequence=0", "--get", field) == 2
    assert host.stdout == b""
    assert b"has no field" in host.stderr
    assert b"was done" in host.stderr


async def test_a_frame_goes_to_a_private_file_and_leaves_the_answer():
    host = RecordingHost({"session.status": [reply()]})
    await run(host, "session", "status", PROOF, "--frame", "f.png", "--json")
    assert (host.files["f.png"], host.modes["f.png"]) == (PNG, 0o600)
    frame = json.loads(host.stdout)["frame"]
    assert frame == {name: value for name, value in FRAME.items() if name != "pngBase64"}


async def test_an_output_that_cannot_be_written_stops_the_command_before_it_starts():
    host = RecordingHost({"session.freeze": [reply("frozen", 1)]}, unwritable={"f.png"})
    assert await run(host, "session", "freeze", PROOF, "--sequence=0", "--frame=f.png") == 2
    assert host.methods == []
    assert b"f.png cannot be written" in host.stderr


async def test_an_output_that_fails_afterwards_says_that_the_operation_was_done():
    host = RecordingHost({"session.freeze": [reply("frozen", 1)]}, broken={"f.png"})
    assert await run(host, "session", "freeze", PROOF, "--sequence=0", "--frame=f.png") == 2
    assert b"was done, the sequence is now 1" in host.stderr
    assert host.stdout == b""


async def test_actions_come_from_a_file_verbatim():
    batch = '[ {"type":"wait","ms":1} ]\n'
    host = RecordingHost({"session.actions": [reply(sequence=1)]}, files={"a.json": batch.encode()})
    await run(host, "session", "actions", PROOF, "--sequence=0", "--actions", "@a.json")
    assert host.params("session.actions") == {
        "proof_id": PROOF,
        "sequence": 0,
        "actions_json": batch,
    }


async def test_actions_show_each_status_and_what_the_page_tried():
    page = {
        "actions": [
            {"index": 0, "type": "click", "status": "injected", "detail": "", "frameSha256": SHA},
            {"index": 1, "type": "type", "status": "ok", "detail": "read back", "frameSha256": SHA},
        ],
        "refusedNavigations": [{"url": "http://evil/\x1b[2J"}],
        "popups": [{"url": "http://popup/"}],
        "dialogs": [{"type": "confirm", "message": "Sure?\n", "disposition": "dismissed"}],
    }
    host = RecordingHost({"session.actions": [reply(sequence=1, understudy=page)]})
    await run(host, "session", "actions", PROOF, "--sequence=0", "--actions", "[]")
    text = host.stdout.decode()
    assert "  0 click injected\n  1 type ok (read back)\n" in text
    assert r'refused navigation: "http://evil/\x1b[2J"' in text
    assert 'closed popup: "http://popup/"' in text
    assert r'confirm dialog, dismissed: "Sure?\x0a"' in text


async def test_only_documents_are_read_from_files():
    host = RecordingHost({"session.begin": [reply()]}, files={"x": b"secret"})
    await run(host, "session", "begin", "--job", "@x", "--attempt", "@x", "--url", "-")
    assert host.params("session.begin") == {"job_sha256": "@x", "attempt_id": "@x", "url": "-"}
    assert not [entry for entry in host.did if entry[0] == "read"]


async def test_the_variable_names_the_session_only_when_nothing_else_does():
    host = RecordingHost(
        {"session.status": [reply()]}, environment={"UNDERSTUDY_SESSION": "ecup-v"}
    )
    await run(host, "session", "status")
    assert host.params("session.status") == {"proof_id": "ecup-v"}
    await run(host, "session", "status", "--session", PROOF)
    assert host.params("session.status") == {"proof_id": PROOF}
    host = RecordingHost({})
    assert await run(host, "session", "status", "--json") == 2
    assert (host.stdout, b"no session is named" in host.stderr) == (b"", True)


LASTING = "us-" + "b" * 32


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["freeze"], f'"understudy session close {LASTING}" ends it'),
        (["abort"], f'"understudy session close {LASTING}" ends it'),
        (["finish"], f'"understudy session close {LASTING}" ends it'),
        (["actions"], '"understudy batch"'),
        (["observe", "--state", "s.json"], '"understudy snapshot"'),
        (["close"], "without --sequence"),
    ],
)
async def test_a_session_without_a_job_is_told_from_one_that_is_not_there(words, hint):
    verb, *flags = words
    rest = {"actions": ["--actions", "@a"], "finish": ["--observation", SHA]}.get(verb, [])
    said = parse(["session", verb, LASTING, "--sequence", "0"], width=80).err
    assert f"{LASTING} is no evidence session" in said
    assert hint in said
    place = {"session.current": [{"ok": True, "sessionId": LASTING}]}
    host = RecordingHost(place, files={"a": b"[]"})
    assert await run(host, "session", verb, "--sequence", "0", *flags, *rest) == 2
    assert f"{LASTING} is no evidence session" in host.stderr.decode()
    assert hint in host.stderr.decode()
    assert host.methods == ["session.current"]
    assert not [entry for entry in host.did if entry[0] in ("read", "prepare")]


async def test_observe_records_the_state_and_passes_its_digest():
    document = '{"title":"é","url":"http://a/"}'
    host = RecordingHost(
        {
            "session.state": [{"ok": True, "stateJson": document}],
            "session.observe": [reply("observed", 2)],
        }
    )
    await run(host, "session", "observe", PROOF, "--sequence", "1", "--state", "s.json")
    digest = hashlib.sha256(document.encode()).hexdigest()
    assert host.params("session.observe") == {
        "proof_id": PROOF,
        "sequence": 1,
        "pre_observation_sha256": digest,
    }
    assert hashlib.sha256(host.files["s.json"]).hexdigest() == digest
    assert host.modes["s.json"] == 0o600


async def test_observe_passes_the_caller_s_own_digest():
    host = RecordingHost({"session.observe": [reply("observed", 2)]})
    await run(host, "session", "observe", PROOF, "--sequence=1", "--pre-observation", JOB)
    assert host.methods == ["session.observe"]
    assert host.params("session.observe")["pre_observation_sha256"] == JOB


async def test_a_state_that_cannot_be_written_leaves_the_session_frozen():
    host = RecordingHost({}, unwritable={"s.json"})
    assert await run(host, "session", "observe", PROOF, "--sequence=1", "--state=s.json") == 2
    assert host.methods == []


async def test_finish_keeps_the_claims_to_the_letter_and_writes_the_receipt():
    receipt = {"receiptId": "ecup-receipt:1", "claimsJson": "é"}
    host = RecordingHost(
        {"session.finish": [reply("finished", 3, receipt=receipt)]}, stdin=b'{ "a" : 1 }\n'
    )
    await run(
        host, "session", "finish", PROOF, "--sequence=2", "--observation", SHA,
        "--claims", "-", "--receipt", "r.json",
    )  # fmt: skip
    assert host.params("session.finish") == {
        "proof_id": PROOF,
        "sequence": 2,
        "observation_sha256": SHA,
        "claims_json": '{ "a" : 1 }\n',
    }
    assert json.loads(host.files["r.json"]) == receipt
    assert host.modes["r.json"] == 0o600
    assert b"receiptId    ecup-receipt:1" in host.stdout


async def test_claims_must_be_text():
    host = RecordingHost({}, files={"c": b'"\xff"'})
    argv = ["session", "finish", PROOF, "--sequence=2", "--observation", SHA, "--claims", "@c"]
    assert await run(host, *argv) == 2
    assert b"not UTF-8" in host.stderr
    argv[-1] = '"\udcff"'
    assert await run(host, *argv) == 2


@pytest.mark.parametrize(("verb", "aborted"), [("close", False), ("abort", True)])
async def test_an_end_says_which(verb, aborted):
    ended = {"ok": True, "proofId": PROOF, "sequence": 4, "closed": True, "aborted": aborted}
    ended |= {"receiptId": None if aborted else "ecup-receipt:1"}
    host = RecordingHost({f"session.{verb}": [ended]})
    assert await run(host, "session", verb, PROOF, "--sequence", "3") == 0
    word = "aborted" if aborted else "closed"
    assert ["phase", word] in [line.split() for line in host.stdout.decode().splitlines()]
    assert (b"receiptId" in host.stdout) is not aborted


async def test_a_failure_goes_to_stderr_as_text_and_to_stdout_as_json():
    failure = proof_failure("sequence", "the sequence is 3", "ask for the status")
    host = RecordingHost({"session.freeze": [failure]})
    assert await run(host, "session", "freeze", PROOF, "--sequence=0") == 3
    assert host.stdout == b""
    assert host.stderr == b"understudy: the sequence is 3\nhint: ask for the status\n"
    host = RecordingHost({"session.freeze": [failure]})
    assert await run(host, "session", "freeze", PROOF, "--sequence=0", "--json") == 3
    assert json.loads(host.stdout) == {"ok": False, "error": failure.body()}
    assert host.stderr == b""


async def test_get_reads_the_error_of_a_failure_too():
    failure = proof_failure("sequence", "the sequence is 3", "ask for the status")
    host = RecordingHost({"session.freeze": [failure]})
    argv = ["session", "freeze", PROOF, "--sequence=0", "--get", "error.code"]
    assert await run(host, *argv) == 3
    assert host.stdout == b"external-proof-sequence\n"
    host = RecordingHost({"session.freeze": [failure]})
    assert await run(host, *argv[:-1], "frame.sha256") == 3
    assert (host.stdout, host.stderr.startswith(b"understudy: ")) == (b"", True)


async def test_a_lone_surrogate_never_breaks_the_output():
    page = {"url": "http://a/", "title": "bad \ud800 title"}
    host = RecordingHost({"session.status": [reply(understudy=page)]})
    await run(host, "session", "status", PROOF, "--json")
    assert json.loads(host.stdout)["understudy"]["title"] == "bad \ufffd title"


async def test_a_raw_request_passes_untouched_and_is_answered_in_json():
    raw = b' {"op":"freeze", "proof_id":"x","sequence":0}\n'
    host = RecordingHost({"request": [reply("frozen", 1)]}, stdin=raw)
    assert await run(host, "session", "freeze", "--request", "-", "--frame", "f.png") == 0
    assert ("request", raw) in host.did
    assert "pngBase64" not in json.loads(host.stdout)["frame"]
    assert host.files["f.png"] == PNG


async def test_a_raw_request_of_another_operation_is_refused():
    host = RecordingHost({})
    request = '{"op":"abort","proof_id":"x","sequence":0}'
    assert await run(host, "session", "freeze", "--request", request) == 2
    assert json.loads(host.stdout)["error"]["code"] == "invalid_request"
    assert host.did == []


@pytest.mark.parametrize("raw", [b"{", b"[1]", b"{}", b"\xff", b'{"op":1}', b"[" * 9000])
async def test_a_broken_request_gets_the_daemon_s_own_answer(raw):
    failed = {"ok": False, "error": proof_failure("json", "not JSON", "").body()}
    host = RecordingHost({"request": [failed]}, files={"r": raw})
    assert await run(host, "session", "freeze", "--request", "@r") == 2
    assert json.loads(host.stdout) == failed
    assert ("request", raw) in host.did


async def test_list_prints_a_table_or_nothing():
    sessions = [
        {"proofId": PROOF, "phase": "stage", "sequence": 0, "startedAt": "t", "attemptId": "a\n"},
        {"sessionId": "us-1", "kind": "unattended", "state": "live\n", "createdAt": "t"},
    ]
    host = RecordingHost({"session.list": [{"ok": True, "sessions": sessions}]})
    await run(host, "session", "list")
    heading, first, second = host.stdout.decode().splitlines()
    assert heading.split() == ["session", "kind", "state", "sequence", "begun"]
    assert first.split() == [PROOF, "evidence", "stage", "0", "t"]
    assert second.split() == ["us-1", "unattended", r"live\x0a", "-", "t"]
    host = RecordingHost({"session.list": [{"ok": True, "sessions": []}]})
    assert await run(host, "session", "list") == 0
    assert host.stdout == b""


async def test_pipe_answers_line_by_line_and_goes_on_after_a_failure():
    busy = {"ok": False, "error": proof_failure("busy", "one is running", "").body()}
    gone = {"ok": False, "error": proof_failure("expired", "it is over", "").body()}
    host = RecordingHost(
        {"request": [reply(), busy, gone, reply("frozen", 1)]}, stdin=b"one\n\ntwo\n \nthree\nfour"
    )
    assert await run(host, "session", "pipe") == 6
    assert [entry[1] for entry in host.did] == [b"one", b"two", b"three", b"four"]
    answers = [json.loads(line) for line in host.stdout.splitlines()]
    assert answers == [reply(), busy, gone, reply("frozen", 1)]


async def test_pipe_without_a_line_is_done():
    host = RecordingHost({})
    assert await run(host, "session", "pipe") == 0
    assert host.stdout == b""


async def test_pipe_ends_at_a_line_without_end():
    host = RecordingHost({"request": [reply()]}, stdin=b"one\n" + b"x" * (2 << 20))
    assert await run(host, "session", "pipe") == 2
    answers = [json.loads(line) for line in host.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False]
    assert answers[1]["error"]["code"] == "input_too_large"


async def test_a_failure_that_no_table_knows_is_internal():
    host = RecordingHost({"session.status": [Failure("never_heard_of", "m", "h")]})
    assert await run(host, "session", "status", PROOF) == 1
