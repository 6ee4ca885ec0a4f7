"""``batch``: what stdin may hold, what is refused before anything is sent, and what is told."""

from __future__ import annotations

import json

import pytest

from protocol.command_failures import CommandFailed
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

SESSION = "us-" + "a" * 32
CLICK = {"type": "click", "target": {"text": "X"}}
WAIT = {"type": "wait", "for": "text", "value": "never", "timeout_ms": 500}


def error(code):
    return CommandFailed(code, "it is not there").body()


def steps_reply(*steps, **more):
    return {"ok": True, "status": "ok", "steps": list(steps), "replayed": False, **more}


DONE = {"index": 0, "type": "click", "outcome": "done", "status": "ok"}
FAILED = {"index": 1, "id": "b", "type": "click", "outcome": "failed", "status": None}
WAITED = {**FAILED, "type": "wait"}
NOT_RUN = {"index": 2, "type": "click", "outcome": "not_run", "status": None}


def host_of(stdin, *answers):
    return RecordingHost(
        {"command.batch": list(answers) or [steps_reply(DONE)]},
        stdin=stdin,
        environment={"UNDERSTUDY_SESSION": SESSION},
    )


async def run(host, *argv):
    return await parse(["batch", *argv], width=80).run(host)


LIST = json.dumps([CLICK, {**WAIT, "id": "w"}]).encode()
LINES = json.dumps(CLICK).encode() + b"\n\n" + json.dumps({**WAIT, "id": "w"}).encode()


async def test_a_step_id_that_is_given_twice_is_refused_and_nothing_is_sent():
    host = host_of(json.dumps([{**CLICK, "id": "a"}, {**CLICK, "id": "a"}]).encode())
    assert await run(host, "--id", "order-7") == 2
    assert host.methods == []


@pytest.mark.parametrize(
    "stdin",
    [LIST, b"\xef\xbb\xbf" + LIST, b" \r\n" + LIST + b"\r\n", LINES, LINES.replace(b"\n", b"\r\n")],
    ids=["list", "BOM", "blanks", "lines", "CRLF"],
)
async def test_a_list_and_lines_are_the_same_batch(stdin):
    host = host_of(stdin)
    assert await run(host, "--id", "order-7") == 0
    assert host.params("command.batch") == {
        "session_id": SESSION,
        "command_id": "order-7",
        "commands": [CLICK, {**WAIT, "id": "w"}],
        "bail": True,
    }


async def test_lines_may_be_words_of_this_command_line():
    host = host_of(
        b"click --text X\nfill --label 'A b' -- --help\r\nwait text never --timeout .5\n"
    )
    assert await run(host) == 2
    assert b"line 3" in host.stderr
    host = host_of(
        b"click --text X\nfill --label 'A b' -- --help\r\nwait text never --timeout 0.5\n"
    )
    assert await run(host, "--no-bail", "--timeout", "9") == 0
    asked = host.params("command.batch")
    assert asked["commands"] == [
        CLICK, {"type": "fill", "target": {"label": "A b"}, "text": "--help"}, WAIT,
    ]  # fmt: skip
    assert (asked["bail"], asked["wait_s"]) == (False, 9)


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b"", b"no command"),
        (b" \n\r\n", b"no command"),
        (b"\xef\xbb\xbf", b"no command"),
        (LIST[:-1], b"cut off"),
        (LIST[:20], b"cut off"),
        (b"[]", b"1 to 256"),
        (LIST.replace(b'"type": "click"', b'"type": "click", "type": "hover"'), b"key twice"),
        (b"[1]", b"Command 0"),
        (LINES[:-4], b"line 3"),
        (b"\xff\xfe", b"UTF-8"),
        (b"[" * 100_000, b"cut off"),
        (json.dumps([CLICK, {"type": "clik"}]).encode(), b"Command 1"),
        (json.dumps([{**CLICK, "odd": 1}]).encode(), b"no such field"),
        (b"click", b"line 1: no target"),
        (b"clik k7e1", b"line 1"),
        (b"click --help", b"line 1"),
        (b"--version", b"line 1"),
        (b"click 'k7e1", b"not closed"),
        (b"click k7e1 --id x", b"line 1 says how it is sent"),
        (b"click k7e1 --session us-1", b"line 1"),
        (b"fill k7e1 --stdin", b"line 1"),
        (b"fill k7e1 --env X", b"line 1"),
        (b"upload k7e1 file", b"line 1"),
        (b"screenshot f.png", b"line 1"),
        (b"batch", b"line 1"),
        (b"session list", b"line 1"),
        (b"open http://a/", b"objects of the types click, hover, "),
        (b"dialog accept", b"line 1: a batch cannot hold this"),
    ],
)
async def test_what_is_no_batch_is_refused_before_anything_is_sent(stdin, said):
    host = host_of(stdin)
    assert await run(host) == 2
    assert said in host.stderr
    assert (host.stdout, "command.batch" in host.methods) == (b"", False)
    host = host_of(stdin)
    assert await run(host, "--json") == 2
    assert json.loads(host.stdout)["error"]["code"] == "invalid_request"


async def test_a_snapshot_among_the_steps_is_told_once_and_forges_no_line():
    result = {"lines": ['button "A" [k7e0]', "x\nok"], "nodes": [{"name": "A", "ref": "k7e0"}]}
    host = host_of(LIST, steps_reply({**DONE, "type": "snapshot", "result": result}))
    assert await run(host) == 0
    assert host.stdout.decode() == ('0 snapshot ok\n    button "A" [k7e0]\n    x\\x0aok\n')


async def test_every_step_is_told_in_order_and_the_first_failure_is_the_exit_code():
    failed = {**FAILED, "error": error("no_match")}
    host = host_of(LIST, steps_reply(DONE, failed, NOT_RUN, status="failed"))
    assert await run(host) == 13
    lines = host.stdout.decode().splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "0 click ok", "1 b click failed", "2 click not_run",
    ]  # fmt: skip
    assert "  error: it is not there" in lines
    host = host_of(LIST, steps_reply(DONE, failed, NOT_RUN, status="failed"))
    assert await run(host, "--json") == 13
    told = json.loads(host.stdout)
    assert told["ok"] is False
    assert [step["outcome"] for step in told["steps"]] == ["done", "failed", "not_run"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (steps_reply({**WAITED, "error": error("timed_out")}), 9),
        (steps_reply({**DONE, "type": "read"}, {**WAITED, "error": error("timed_out")}), 9),
        (steps_reply(DONE, {**WAITED, "error": error("timed_out")}), 13),
        (steps_reply({**WAITED, "error": error("timed_out")}, DONE), 13),
        (
            steps_reply(
                {**FAILED, "error": error("origin")}, {**FAILED, "error": error("covered")}
            ),
            11,
        ),
        (steps_reply({**FAILED, "outcome": "unknown"}), 13),
        ({"ok": True, "status": "failed", "replayed": True}, 13),
        ({"ok": True, "status": "ok", "replayed": True}, 0),
    ],
)
async def test_the_exit_code_is_that_of_the_first_step_that_failed(reply, code):
    assert await run(host_of(LIST, reply)) == code


async def test_a_batch_that_failed_as_a_whole_tells_the_steps_it_got_to():
    failure = CommandFailed("outcome_unknown", "nobody knows")
    failure.details["steps"] = [DONE, {**FAILED, "outcome": "unknown"}]
    host = host_of(LIST, failure)
    assert await run(host) == 4
    assert host.stdout.decode().splitlines() == ["0 click ok", "1 b click unknown"]
    assert b"nobody knows" in host.stderr
    host = host_of(LIST, failure)
    assert await run(host, "--json") == 4
    assert len(json.loads(host.stdout)["error"]["steps"]) == 2


async def test_a_replayed_batch_says_so():
    host = host_of(LIST, steps_reply(DONE, replayed=True))
    assert await run(host) == 0
    assert host.stdout.startswith(b"(done before; not done again)\n")


def sent_id(host):
    return host.params("command.batch")["command_id"]


async def test_steps_that_all_have_ids_name_the_batch():
    steps = [{**CLICK, "id": "a"}, {**CLICK, "id": "b"}]
    ids = []
    for content in (steps, steps, steps[::-1], [steps[0], CLICK]):
        host = host_of(json.dumps(content).encode())
        await run(host)
        ids.append(sent_id(host))
    assert ids[0] == ids[1] != host.command_id
    assert len(set(ids)) == 3
    assert ids[3] == host.command_id


async def test_an_id_of_the_batch_wins_over_those_of_its_steps():
    host = host_of(json.dumps([{**CLICK, "id": "a"}]).encode())
    await run(host, "--id", "order-7")
    assert sent_id(host) == "order-7"
