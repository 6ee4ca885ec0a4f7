"""Each everyday verb's Options against a host that records: what it asks, and what it says."""

from __future__ import annotations

import base64
import json

import pytest

from protocol.command_failures import CommandFailed, with_details
from protocol.command_fields import parse_command
from protocol.commandline import Text
from protocol.errors import Failure
from protocol.leases import NEVER_OPENED, LeaseState, SessionGone
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

SESSION = "us-" + "a" * 32
REF = {"ref": "k7e14"}
NONCE = "0" * 12
HERE = {"UNDERSTUDY_SESSION": SESSION}


def reply(status="ok", **more):
    return {
        "ok": True,
        "commandId": "0" * 32,
        "sessionId": SESSION,
        "outcome": "completed",
        "status": status,
        "replayed": False,
        "result": {},
        "dialog": None,
        "popups": [],
        "downloads": [],
        "page": {"url": "http://a/", "title": 'A"\n\u202e', "loaderId": "L"},
        **more,
    }


def host_of(*answers, **more):
    return RecordingHost({"command.run": list(answers) or [reply()]}, environment=HERE, **more)


async def run(host, *argv):
    return await parse(argv, width=80).run(host)


def command_of(*argv):
    return dict(parse(argv, width=80).options.command)


def refused(*argv):
    parsed = parse(argv, width=80)
    assert isinstance(parsed, Text), argv
    assert (parsed.out, parsed.exit) == ("", 2)
    return parsed.err


EVIDENCE = "ecup-" + "c" * 32


@pytest.mark.parametrize(
    "argv",
    [
        ["open", "http://a/"],
        ["snapshot"],
        ["click", "k7e14"],
        ["session", "log"],
        ["dialog", "list"],
    ],
)
async def test_an_evidence_session_is_told_from_one_that_is_not_there(argv):
    host = RecordingHost({}, environment={"UNDERSTUDY_SESSION": EVIDENCE})
    assert await run(host, *argv) == 2
    said = host.stderr.decode()
    assert f"{EVIDENCE} is an evidence session" in said
    assert "open --new" in said
    assert host.methods == []


VERBS = [
    (["click", "k7e14"], {"type": "click", "target": REF}),
    (
        ["click", "k7e14", "--button", "right", "--double", "--modifier", "shift", "--renamed"],
        {
            "type": "click",
            "target": {"ref": "k7e14", "renamed": True},
            "button": "right",
            "count": 2,
            "modifiers": ["shift"],
        },
    ),
    (["click", "--triple", "12,7"], {"type": "click", "target": {"point": [12, 7]}, "count": 3}),
    (["click", "--at", "12,7"], {"type": "click", "target": {"point": [12, 7]}}),
    (
        ["click", "--role", "button", "--name", "Save", "--expect", "text=a=b"],
        {
            "type": "click",
            "target": {"role": "button", "name": "Save"},
            "expect": {"text": "a=b"},
        },
    ),
    (["hover", "--text", "More"], {"type": "hover", "target": {"text": "More"}}),
    (["drag", "k7e1", "9,9"], {"type": "drag", "target": {"ref": "k7e1"}, "to": {"point": [9, 9]}}),
    (
        ["drag", "--css", "i", "k7e2"],
        {"type": "drag", "target": {"css": "i"}, "to": {"ref": "k7e2"}},
    ),
    (["scroll", "k7e14"], {"type": "scroll", "target": REF}),
    (["scroll", "--by", "-200"], {"type": "scroll", "by": [0, -200]}),
    (["scroll", "k7e14", "--by=-5,7"], {"type": "scroll", "target": REF, "by": [-5, 7]}),
    (["scroll", "--to", "bottom"], {"type": "scroll", "to": "bottom"}),
    (["fill", "k7e14", "text"], {"type": "fill", "target": REF, "text": "text"}),
    (["fill", "--label", "N", "text"], {"type": "fill", "target": {"label": "N"}, "text": "text"}),
    (["type", "text"], {"type": "type", "text": "text"}),
    (["type", "k7e14", "text"], {"type": "type", "target": REF, "text": "text"}),
    (
        ["type", "--test-id", "n", "k7e14"],
        {"type": "type", "target": {"test_id": "n"}, "text": "k7e14"},
    ),
    (["select", "k7e14", "a", "b"], {"type": "select", "target": REF, "labels": ["a", "b"]}),
    (["select", "k7e14", "--value", ""], {"type": "select", "target": REF, "values": [""]}),
    (["check", "k7e14"], {"type": "check", "target": REF}),
    (["uncheck", "k7e14"], {"type": "uncheck", "target": REF}),
    (["clear", "k7e14"], {"type": "clear", "target": REF}),
    (["focus", "k7e14"], {"type": "focus", "target": REF}),
    (["press", "ctrl+a"], {"type": "key", "keys": "ctrl+a"}),
    (["hold", "right", "500"], {"type": "hold_key", "keys": "right", "ms": 500}),
    (["back"], {"type": "back"}),
    (["forward"], {"type": "forward"}),
    (["reload", "--expect", "gone=x"], {"type": "reload", "expect": {"gone": "x"}}),
    (["snapshot"], {"type": "snapshot"}),
    (
        ["snapshot", "--interactive", "--diff", "--depth=3", "--limit=9", "--within=k7e14"],
        {
            "type": "snapshot",
            "interactive": True,
            "diff": True,
            "depth": 3,
            "limit": 9,
            "within": REF,
        },
    ),
    (["read", "title"], {"type": "read", "what": "title"}),
    (["read", "text"], {"type": "read", "what": "text"}),
    (["read", "value", "k7e14"], {"type": "read", "what": "value", "target": REF}),
    (
        ["read", "attribute", "--css", "a", "href"],
        {"type": "read", "what": "attribute", "target": {"css": "a"}, "name": "href"},
    ),
    (
        ["read", "count", "--role", "row"],
        {"type": "read", "what": "count", "target": {"role": "row"}},
    ),
    (["wait", "load"], {"type": "wait", "for": "load"}),
    (["wait", "text-gone", "x y"], {"type": "wait", "for": "text_gone", "value": "x y"}),
    (["wait", "ms", "10"], {"type": "wait", "for": "ms", "ms": 10}),
    (
        ["wait", "checked", "k7e14", "--timeout", "0.5"],
        {"type": "wait", "for": "state", "value": "checked", "target": REF, "timeout_ms": 500},
    ),
]


@pytest.mark.parametrize(("argv", "command"), VERBS, ids=lambda value: " ".join(value)[:40])
async def test_a_verb_is_one_command_in_the_session_under_the_call_s_id(argv, command):
    host = host_of(reply(result={"value": "x", "lines": []}))
    assert await run(host, *argv) == 0
    assert host.params("command.run") == {
        "session_id": SESSION,
        "command_id": "0" * 32,
        "command": command,
    }
    parse_command(command)


@pytest.mark.parametrize("text", ["--help", "-1", "--", "", "@e1", "$(id)", "a\nb", "--json", "-"])
async def test_any_text_is_literal_behind_two_dashes(text):
    for argv in (["fill", "k7e14", "--", text], ["type", "--css", "i", "--", text or "x"]):
        host = host_of()
        assert await run(host, *argv) == 0
        assert host.params("command.run")["command"]["text"] == (text or argv[-1])


@pytest.mark.parametrize("text", ["", "@e1", "@file", "-", "$(id)", "a\nb", "k7e14"])
def test_text_without_dashes_needs_nothing(text):
    assert command_of("fill", "k7e14", text)["text"] == text


@pytest.mark.parametrize("text", ["--help", "-1", "--", "--json", "--clear"])
def test_text_that_looks_like_a_flag_is_never_dropped(text):
    assert "--" in refused("fill", "k7e14", text)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["click"], "no target"),
        (["click", "@e1"], "no ref"),
        (["click", "k7e14", "k7e15"], "too many"),
        (["click", "--css", "a", "--text", "b"], "two locators"),
        (["click", "--name", "a"], "--role"),
        (["click", "--css", "a", "--renamed"], "--renamed"),
        (["click", "--at", "1"], "no point"),
        (["click", "--css", ""], "1 to 4096"),
        (["click", "k7e1", "--button", "up"], "button"),
        (["click", "k7e1", "--double", "--triple"], "--triple"),
        (["click", "k7e1", "--id", ""], "--id"),
        (["click", "k7e1", "--session", ""], "empty"),
        (["click", "k7e1", "--no-wait", "--timeout", "3"], "--no-wait"),
        (["click", "k7e1", "--timeout", "x"], "--timeout"),
        (["click", "k7e1", "--expect", "state=odd"], "expect"),
        (["fill", "k7e1", "text", "--stdin"], "too many"),
        (["fill", "k7e1", "--stdin", "--env", "X"], "one of the two"),
        (["fill", "k7e1", "--env", "A=b"], "--env"),
        (["fill", "k7e1", "\udcff"], "UTF-8"),
        (["scroll"], "scroll"),
        (["scroll", "--by", "x"], "--by"),
        (["press", "ctrl+"], "key"),
        (["hold", "a", "99999"], "MS"),
        (["read", "value"], "target"),
        (["read", "colour"], '"understudy read --help"'),
        (["scroll"], '"understudy scroll --help"'),
        (["read", "title", "k7e1"], "too many"),
        (["read", "count", "k7e1"], "locator"),
        (["wait", "text"], "no text"),
        (["wait", "text", "--css", "a"], "no target"),
        (["wait", "visible"], "no target"),
        (["wait", "load", "--timeout", "601"], "--timeout"),
        (["upload", "k7e1"], "no file"),
        (["open", "http://a/", "--new", "--session", "us-1"], "--new"),
        (["open", "http://a/", "--on-dialog", "never"], "--on-dialog"),
        (["session", "resolve", "x"], "--not-done"),
        (["session", "resolve", "x", "--done", "--not-done"], "one of the two"),
        (["popup", "open", "x"], "N takes a number"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_is_asked(argv, said):
    assert said in refused(*argv)


# --- what is called, and how ----------------------------------------------------------


async def test_id_dry_run_and_waiting_are_passed_on():
    host = host_of()
    await run(host, "click", "k7e14", "--id", "order-7", "--dry-run", "--timeout", "30")
    asked = host.params("command.run")
    assert (asked["command_id"], asked["dry_run"], asked["wait_s"]) == ("order-7", True, 30)
    await run(host, "click", "k7e14", "--no-wait")
    assert host.params("command.run")["wait_s"] == 0


def test_what_to_ask_when_the_line_is_lost():
    assert parse(["click", "k7e1"], width=80).ask == "understudy poll {command_id}"
    named = parse(["click", "k7e1", "--id", "x", "--session", SESSION], width=80)
    assert named.ask == f"understudy poll x --session {SESSION}"
    odd = parse(["click", "k7e1", "--id", "a;b"], width=80)
    assert odd.ask == "understudy poll 'a;b'"
    assert named.writes
    assert not parse(["snapshot"], width=80).writes
    assert not parse(["wait", "idle"], width=80).writes


async def test_a_secret_comes_from_the_variable_and_is_nowhere_else():
    host = host_of(reply(result={"secret": True}), secrets={"S": "s3crét".encode()})
    assert await run(host, "fill", "k7e14", "--env", "S") == 0
    assert host.params("command.run")["command"]["text"] == "s3crét"
    assert b"s3cr" not in host.stdout + host.stderr
    assert host.stderr == b"", "nothing to warn of"
    host = host_of(secrets={})
    assert await run(host, "fill", "k7e14", "--env", "S") == 2
    assert "command.run" not in host.methods


@pytest.mark.parametrize(
    ("content", "text"), [(b"pw\n", "pw"), (b"pw\r\n", "pw"), (b"a\n\n", "a\n"), (b"", "")]
)
async def test_a_text_from_stdin_loses_one_line_end(content, text):
    host = host_of(stdin=content)
    assert await run(host, "fill", "--css", "i", "--stdin") == 0
    assert host.params("command.run")["command"]["text"] == text


async def test_a_password_in_the_command_line_warns():
    host = host_of(reply(result={"secret": True}))
    assert await run(host, "fill", "k7e14", "hunter2") == 0
    assert b"warning" in host.stderr
    assert b"hunter2" not in host.stdout + host.stderr


async def test_files_are_read_by_their_real_path_and_none_is_sent_when_one_is_missing():
    files = {"a": b"A", "/real/a": b"A", "b": b"B", "/real/b": b"B"}
    host = host_of(files=files)
    assert await run(host, "upload", "k7e14", "a", "b") == 0
    sent = host.params("command.run")["command"]
    assert [file["path"] for file in sent["files"]] == ["/real/a", "/real/b"]
    assert [base64.b64decode(file["content"]) for file in sent["files"]] == [b"A", b"B"]
    parse_command(sent)
    host = host_of(files=files)
    assert await run(host, "upload", "k7e14", "a", "ghost") == 2
    assert "command.run" not in host.methods


async def test_a_picture_goes_to_a_private_file():
    shot = {"pngBase64": base64.b64encode(b"PNG").decode(), "width": 1, "height": 2, "sha256": "d"}
    host = host_of(reply(result=shot))
    assert await run(host, "screenshot", "p.png", "k7e14", "--json") == 0
    assert (host.files["p.png"], host.modes["p.png"]) == (b"PNG", 0o600)
    assert json.loads(host.stdout)["result"] == {
        "width": 1, "height": 2, "sha256": "d", "file": "p.png",
    }  # fmt: skip
    host = host_of(reply(result=shot), unwritable={"p.png"})
    assert await run(host, "screenshot", "p.png", "--full") == 2
    assert "command.run" not in host.methods


# --- which session ---------------------------------------------------------------------


async def test_the_flag_wins_over_the_variable_and_that_over_the_place():
    answers = {
        "command.run": [reply()],
        "session.current": [{"ok": True, "sessionId": "us-here"}],
    }
    host = RecordingHost(answers, environment={"UNDERSTUDY_SESSION": "us-v"}, terminal="7:1")
    await run(host, "back", "--session", "us-f")
    assert host.params("command.run")["session_id"] == "us-f"
    await run(host, "back")
    assert host.params("command.run")["session_id"] == "us-v"
    host = RecordingHost(answers, terminal="7:1")
    await run(host, "back")
    assert host.params("command.run")["session_id"] == "us-here"
    assert host.params("session.current") == {"terminal": "7:1"}
    host = RecordingHost(answers)
    await run(host, "back")
    assert host.params("session.current") == {"cwd": "/somewhere"}


async def test_without_any_session_nothing_is_guessed():
    for host in (RecordingHost({}), RecordingHost({}, cwd=""), RecordingHost({}, terminal="t")):
        assert await run(host, "click", "k7e14") == 2
        assert b"no session is named" in host.stderr
        assert "command.run" not in host.methods
        assert "session.list" not in host.methods


SESSION_FACTS = {
    "sessionId": SESSION, "kind": "unattended", "state": "connected",
    "origins": ["http://127.0.0.1:1", "http://b:2"], "url": "http://127.0.0.1:1/",
}  # fmt: skip


async def test_open_begins_a_session_when_there_is_none_and_remembers_it():
    host = RecordingHost({"session.open": [{"ok": True, "session": SESSION_FACTS}]}, terminal="7:1")
    argv = ["http://127.0.0.1:1/", "--origin", "http://b:2", "--viewport", "800x600"]
    assert await run(host, "open", *argv, "--on-dialog", "accept", "--downloads") == 0
    assert host.params("session.open") == {
        "url": "http://127.0.0.1:1/",
        "origins": ["http://b:2"],
        "viewport": "800x600",
        "on_dialog": "accept",
        "downloads": True,
    }
    assert host.params("session.remember") == {"session_id": SESSION, "terminal": "7:1"}
    assert b"http://127.0.0.1:1 http://b:2\n" in host.stdout


async def test_open_uses_the_session_that_is_there():
    status = {"ok": True, "session": SESSION_FACTS}
    host = RecordingHost({"command.run": [reply()], "session.status": [status]}, environment=HERE)
    assert await run(host, "open", "http://127.0.0.1:1/x", "--origin", "http://b:2/") == 0
    assert host.params("command.run")["command"] == {
        "type": "navigate", "url": "http://127.0.0.1:1/x",
    }  # fmt: skip
    assert "session.open" not in host.methods


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["https://c/"], 11, b"--origin https://c "),
        (["http://127.0.0.1:1/", "--origin", "https://c"], 11, b"https://c"),
        (["javascript:alert(1)"], 11, b"javascript"),
        (["http://127.0.0.1:1/", "--viewport", "1x1"], 2, b"--viewport"),
    ],
)
async def test_open_in_a_session_that_does_not_allow_it_sends_nothing(argv, code, said):
    status = {"ok": True, "session": SESSION_FACTS}
    host = RecordingHost({"session.status": [status]}, environment=HERE)
    assert await run(host, "open", *argv) == code
    assert said in host.stderr
    assert host.stdout == b""


async def test_an_ended_session_is_gone_and_no_other_is_begun():
    gone = Failure("gone", "it ended", "begin another")
    current = {"ok": True, "sessionId": SESSION}
    answers = {"session.status": [gone], "command.run": [gone], "session.current": [current]}
    for argv in (["open", "http://a/"], ["click", "k7e14"], ["session", "status"]):
        host = RecordingHost(answers)
        assert await run(host, *argv) == 7
        assert "session.open" not in host.methods


async def test_a_session_whose_first_page_did_not_load_is_the_one_meant_until_another_begins():
    failure = with_details(Failure("navigation_failed", "no", "look"), sessionId=SESSION)
    host = RecordingHost({"session.open": [failure]})
    assert await run(host, "open", "http://a/", "--new") == 13
    assert host.params("session.remember") == {"session_id": SESSION, "cwd": "/somewhere"}
    gone = SessionGone(SESSION, LeaseState.CLOSED, f"{NEVER_OPENED}: it did not")
    current = {"ok": True, "sessionId": SESSION}
    begun = {"ok": True, "session": SESSION_FACTS}
    answers = {"session.current": [current], "session.status": [gone], "session.open": [begun]}
    host = RecordingHost(answers | {"command.run": [gone]})
    assert await run(host, "click", "k7e14") == 7
    assert b"its first page did not load" in host.stderr
    assert await run(host, "open", "http://127.0.0.1:1/", "--viewport", "800x600") == 0
    assert await run(RecordingHost(answers, environment=HERE), "open", "http://a/") == 7


async def test_open_new_begins_another():
    host = RecordingHost(
        {"session.open": [{"ok": True, "session": SESSION_FACTS}]}, environment=HERE
    )
    assert await run(host, "open", "http://127.0.0.1:1/", "--new") == 0
    assert host.methods == ["session.open", "session.remember"]


async def test_a_session_that_cannot_be_remembered_is_begun_all_the_same():
    full = Failure("store_full", "the disk is full", "make room")
    host = RecordingHost(
        {"session.open": [{"ok": True, "session": SESSION_FACTS}], "session.remember": [full]}
    )
    assert await run(host, "session", "begin", "--url", "http://127.0.0.1:1/") == 0
    assert b"will have to be named" in host.stderr


# --- what is said -------------------------------------------------------------------------


async def test_a_page_cannot_forge_a_line():
    forged = {
        "page": {"url": "http://a/\nok", "title": "x\ninjected\u2028\u202e", "loaderId": "L"},
        "dialog": {"number": 1, "type": "confirm", "message": 'a"\nok'},
        "popups": [{"number": 1, "url": "http://b/\npage"}],
        "refused": [{"number": 1, "url": "http://c/\n", "method": "GET", "origin": "http://c\n"}],
        "result": {"landed\n": "x\nok", "list": ["\r"]},
    }
    host = host_of(reply("injected", **forged))
    assert await run(host, "click", "k7e14") == 0
    words = [line.split()[0] for line in host.stdout.decode().split("\n") if line]
    assert words == ["injected", r"landed\x0a", "list", "page", "dialog", "refused", "popup"]
    assert host.stdout.decode().isascii()
    assert b"--origin http://c\\x0a when" in host.stdout


@pytest.mark.parametrize(
    ("dialog", "why"),
    [
        (None, "it was sent; nothing can prove its effect"),
        ({"type": "alert", "disposition": "accepted"}, "it was sent; nothing can prove its effect"),
        (
            {"type": "alert", "disposition": "open"},
            "a dialog opened before its effect could be seen",
        ),
    ],
)
async def test_what_a_dialog_held_up_is_not_called_sent(dialog: object, why: str):
    host = host_of(reply("injected", dialog=dialog))
    assert await run(host, "click", "k7e14") == 0
    assert host.stdout.decode().splitlines()[0] == f"injected ({why})"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ({"status": 200}, ""),
        ({"status": 404}, " status 404"),
        ({"failed": True}, " did not load"),
    ],
)
async def test_a_page_that_is_not_what_was_asked_for_says_so(page: dict[str, object], told: str):
    shown = {"url": "http://a/", "title": "x", "loaderId": "L", **page}
    host = host_of(reply(page=shown))
    assert await run(host, "click", "k7e14") == 0
    assert host.stdout.decode() == f'ok\npage "http://a/" "x"{told}\n'


async def test_text_of_several_lines_is_fenced_by_a_nonce():
    value = f"one\n--- end {NONCE[:-1]} ---\n\x1b[2J"
    host = host_of(reply(result={"value": value}))
    await run(host, "read", "text")
    assert host.stdout.decode() == (
        f"--- page {NONCE} ---\none\n--- end {NONCE[:-1]} ---\n\\x1b[2J\n--- end {NONCE} ---\n"
    )
    host = host_of(reply(result={"value": 'a "b"'}))
    await run(host, "read", "text")
    assert host.stdout == b'"a \\"b\\""\n'


async def test_snapshots_are_fenced_and_a_difference_is_shown_alone():
    result = {"lines": ['button "A" [k7e0]'], "nodes": []}
    host = host_of(reply(result=result))
    await run(host, "snapshot")
    assert host.stdout.decode() == (
        f'--- page {NONCE} ---\nbutton "A" [k7e0]\n--- end {NONCE} ---\n'
    )
    host = host_of(reply(result={**result, "diff": ["- x"]}))
    await run(host, "snapshot", "--diff")
    assert host.stdout.decode().splitlines()[1:-1] == ["- x"]


async def test_a_failure_says_what_was_seen_and_exits_by_its_code():
    failure = CommandFailed("no_match", "No element fits", seen=["a\nb"])
    failure.details["pageErrors"] = 2
    host = host_of(failure)
    assert await run(host, "click", "--css", "x") == 13
    assert host.stdout == b""
    assert host.stderr.decode().splitlines()[2:] == [
        r'seen: "a\x0ab"',
        "page errors: 2; see understudy session log --page",
    ]
    host = host_of(failure)
    assert await run(host, "click", "--css", "x", "--json") == 13
    assert json.loads(host.stdout)["error"]["seen"] == ["a\nb"]


async def test_what_is_pending_or_unknown_names_the_command():
    for code, exit_code in (("pending", 5), ("outcome_unknown", 4)):
        failure = CommandFailed(code, "who knows")
        failure.details["commandId"] = "order-7"
        host = host_of(failure)
        assert await run(host, "click", "k7e14") == exit_code
        assert b'command: "order-7"' in host.stderr


async def test_a_replay_and_a_dry_run_say_so():
    host = host_of(reply(replayed=True), reply(result={"simulated": True}))
    await run(host, "click", "k7e14")
    assert host.stdout.startswith(b"ok (done before; not done again)\n")
    host.stdout = b""
    await run(host, "click", "k7e14", "--dry-run")
    assert host.stdout.startswith(b"ok (dry run: nothing was sent)\n")


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"state": "completed", "status": "ok"}, 0),
        ({"state": "completed", "status": "injected"}, 0),
        ({"state": "completed", "status": "failed", "code": "covered"}, 13),
        ({"state": "completed", "status": "failed", "code": "origin"}, 11),
        ({"state": "preparing"}, 5),
        ({"state": "granted"}, 5),
        ({"state": "not_started", "safeToRetry": True}, 9),
        ({"state": "timed_out", "safeToRetry": True}, 9),
        ({"state": "unknown"}, 4),
    ],
)
async def test_poll_exits_as_the_command_itself(told, code):
    host = RecordingHost({"command.poll": [{"ok": True, "commandId": "x", "result": None, **told}]})
    assert await run(host, "poll", "x") == code
    assert host.params("command.poll") == {"command_id": "x"}
    assert told["state"].encode() in host.stdout
    assert await run(host, "poll", "x", "--session", SESSION) == code
    assert host.params("command.poll")["session_id"] == SESSION


async def test_poll_tells_the_steps_of_a_batch_that_are_on_record():
    steps = [
        {"index": 0, "type": "click", "outcome": "done", "status": "ok", "code": None},
        {"index": 1, "type": "fill", "outcome": "started", "status": None, "code": None},
    ]
    told = {"ok": True, "commandId": "x", "type": "batch", "state": "unknown", "steps": steps}
    host = RecordingHost({"command.poll": [told]})
    assert await run(host, "poll", "x") == 4
    assert b"\nstep 0 click done ok\nstep 1 fill started\n" in host.stdout


# --- sessions, dialogs, popups, downloads ---------------------------------------------------


async def test_status_and_close_do_what_the_kind_of_session_needs():
    lasting = {"ok": True, "session": SESSION_FACTS}
    host = RecordingHost({"session.status": [lasting], "session.close": [lasting]})
    assert await run(host, "session", "status", SESSION) == 0
    assert host.params("session.status") == {"session_id": SESSION}
    assert await run(host, "session", "close", SESSION) == 0
    assert host.stdout.endswith(f"session {SESSION} closed\n".encode())
    current = {"ok": True, "sessionId": "ecup-1"}
    host = RecordingHost({"session.current": [current], "session.status": [{"ok": True}]})
    assert await run(host, "session", "status") == 0
    assert host.params("session.status") == {"proof_id": "ecup-1"}
    assert await run(host, "session", "close") == 2
    assert b"--sequence is missing" in host.stderr


async def test_status_tells_what_runs_and_what_was_refused():
    running = {"commandId": "c-1", "type": "snapshot", "seconds": 3}
    facts = {**SESSION_FACTS, "running": running, "waiting": 2, "refusedNavigations": 1}
    host = RecordingHost({"session.status": [{"ok": True, "session": facts}]})
    assert await run(host, "session", "status", SESSION) == 0
    lines = [line.split(None, 1) for line in host.stdout.decode().splitlines()]
    assert ["running", "snapshot c-1 for 3 s"] in lines
    assert ["waiting", "2"] in lines
    assert ["refused", "1 navigations to other origins"] in lines


@pytest.mark.parametrize(
    ("url", "hint"), [("http://b/", ": understudy popup open 1"), ("about:blank", ""), (None, "")]
)
async def test_only_a_popup_with_an_address_can_be_opened(url, hint):
    host = RecordingHost({"popup.list": [{"ok": True, "popups": [{"number": 1, "url": url}]}]})
    assert await run(host, "popup", "list", "--session", SESSION) == 0
    assert host.stdout.decode() == f'popup 1 "{url or ""}" was closed{hint}\n'


async def test_a_popup_that_was_to_be_sent_a_form_is_not_offered():
    popup = {"number": 1, "url": "http://b/", "method": "POST"}
    host = RecordingHost({"popup.list": [{"ok": True, "popups": [popup]}]})
    assert await run(host, "popup", "list", "--session", SESSION) == 0
    assert b"was closed: it was to be sent a form" in host.stdout
    assert b"popup open 1" not in host.stdout


async def test_the_log_is_a_table_and_the_page_s_log_is_page_text():
    row = {"commandId": "c", "type": "click", "state": "completed", "status": "ok", "code": None}
    entry = {"kind": "console", "text": "x\nok"}
    host = RecordingHost(
        {"session.log": [{"ok": True, "commands": [row]}, {"ok": True, "entries": [entry]}]},
        environment=HERE,
    )
    assert await run(host, "session", "log", "--limit", "5") == 0
    assert host.params("session.log") == {"session_id": SESSION, "limit": 5}
    assert host.stdout.decode().splitlines()[1].split()[:4] == ["c", "click", "completed", "ok"]
    host.stdout = b""
    assert await run(host, "session", "log", "--page") == 0
    assert host.params("session.log")["page"] is True
    assert host.stdout == b'kind "console" text "x\\x0aok"\n'


async def test_a_judgement_is_passed_on():
    judged = {"ok": True, "commandId": "x", "resolution": "not_done", "writesBlocked": True}
    host = RecordingHost({"session.resolve": [judged]}, environment=HERE)
    assert await run(host, "session", "resolve", "x", "--not-done") == 0
    assert host.params("session.resolve") == {
        "session_id": SESSION, "command_id": "x", "done": False,
    }  # fmt: skip
    assert b"x resolved: not done (writes stay blocked" in host.stdout


async def test_dialogs_are_listed_and_answered():
    dialog = {"number": 1, "type": "prompt", "message": "Name?\n", "defaultPrompt": "d"}
    answered = {"ok": True, "dialog": {**dialog, "disposition": "accepted"}}
    host = RecordingHost(
        {"dialog.list": [{"ok": True, "dialogs": [dialog]}], "dialog.accept": [answered]},
        environment=HERE,
    )
    assert await run(host, "dialog", "list") == 0
    assert host.stdout.startswith(b'dialog prompt "Name?\\x0a" default "d" is open')
    for argv, params in (([], {}), ([""], {"text": ""}), (["--", "--x"], {"text": "--x"})):
        assert await run(host, "dialog", "accept", *argv) == 0
        assert host.params("dialog.accept") == {
            "session_id": SESSION, "command_id": "0" * 32, **params,
        }  # fmt: skip
    assert parse(["dialog", "accept"], width=80).ask == "understudy poll {command_id}"


async def test_a_download_is_saved_to_a_private_file():
    download = {"number": 1, "name": "a\nb", "state": "complete", "sizeBytes": 2, "sha256": "d"}
    whole = {**download, "contentBase64": base64.b64encode(b"hi").decode()}
    host = RecordingHost(
        {"download.save": [{"ok": True, "download": whole}], "popup.open": [reply()]},
        environment=HERE,
    )
    assert await run(host, "download", "save", "1", "f") == 0
    assert (host.files["f"], host.modes["f"]) == (b"hi", 0o600)
    assert host.stdout == b'download 1 "a\\x0ab" complete 2 bytes sha256 d\n'
    assert await run(host, "popup", "open", "3", "--id", "x") == 0
    assert host.params("popup.open") == {
        "session_id": SESSION, "command_id": "x", "number": 3,
    }  # fmt: skip
