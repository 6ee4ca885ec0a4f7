"""displays, workspaces, clients, the daemon and completions, against a host that records."""

from __future__ import annotations

import json

import pytest

from protocol.errors import Failure
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

DISPLAY = {
    "displayId": 120,
    "displayTarget": "display_120",
    "captureGeneration": "vdcg-1",
    "kind": "headless",
    "workspaceId": None,
}
WORKSPACE = {
    "workspaceId": "bw-1",
    "displayId": 120,
    "captureGeneration": "vdcg-1",
    "holder": "a\x1b[2J",
    "phase": "ready",
    "url": 'http://a/"\n',
    "origins": ["http://a"],
    "browser": {"version": "Chrome/1", "pid": 1},
}
VIEW_AND_HOLDER = ["--viewport=8x8", "--holder=h", "--holder-kind=k"]


async def run(host, *argv):
    return await parse(argv, width=80).run(host)


@pytest.mark.parametrize(
    ("argv", "method", "params"),
    [
        (["display", "create"], "display.create", {}),
        (
            ["display", "create", "--min-display-id=100", "--max-display-id", "199"],
            "display.create",
            {"min_display_id": 100, "max_display_id": 199},
        ),
        (["display", "list"], "display.list", {}),
        (["display", "destroy", "120"], "display.destroy", {"display_id": 120}),
        (["workspace", "create"], "workspace.create", {}),
        (
            ["workspace", "create", "--display=120", "--url=u", "--origin=o", *VIEW_AND_HOLDER],
            "workspace.create",
            {
                "display_id": 120,
                "url": "u",
                "origins": ["o"],
                "viewport": "8x8",
                "holder": "h",
                "holder_kind": "k",
            },
        ),
        (
            ["workspace", "acquire", "bw-1", "--holder", "h"],
            "workspace.acquire",
            {"workspace_id": "bw-1", "holder": "h"},
        ),
        (
            ["workspace", "acquire", "bw-1", "--holder", "h", "--force"],
            "workspace.acquire",
            {"workspace_id": "bw-1", "holder": "h", "force": True},
        ),
        (["workspace", "list"], "workspace.list", {}),
        (["workspace", "state", "bw-1"], "workspace.state", {"workspace_id": "bw-1"}),
        (["workspace", "close", "bw-1"], "workspace.close", {"workspace_id": "bw-1"}),
        (["client", "add", "n"], "client.add", {"name": "n"}),
        (["client", "list"], "client.list", {}),
        (["client", "remove", "--", "-n"], "client.remove", {"name": "-n"}),
        (["daemon", "start"], "daemon.start", {}),
        (["daemon", "stop"], "daemon.stop", {}),
        (["daemon", "restart"], "daemon.restart", {}),
        (["daemon", "status"], "daemon.status", {}),
        (["daemon", "logs", "--lines", "7"], "daemon.logs", {"lines": 7}),
    ],
)
async def test_each_command_is_one_call(argv, method, params):
    host = RecordingHost({method: [{"ok": True}]})
    assert await run(host, *argv) == 0
    assert host.did == [("call", method, params)]
    host = RecordingHost({method: [{"ok": True, "x": [1]}]})
    before_dashes = [argv[0], argv[1], "--json", *argv[2:]]
    assert await run(host, *before_dashes) == 0
    assert json.loads(host.stdout) == {"ok": True, "x": [1]}
    host = RecordingHost({method: [Failure("not_found", "nothing there", "look again")]})
    assert await run(host, *argv) == 10
    assert (host.stdout, host.stderr.splitlines()[0]) == (b"", b"understudy: nothing there")


async def test_a_display_is_shown_as_facts_and_as_a_table():
    host = RecordingHost({"display.create": [{"display": DISPLAY}]})
    await run(host, "display", "create")
    assert host.stdout.decode().split() == [
        "displayId", "120", "kind", "headless", "captureGeneration", "vdcg-1",
    ]  # fmt: skip
    host = RecordingHost({"display.list": [{"displays": [DISPLAY, DISPLAY]}]})
    await run(host, "display", "list")
    rows = [line.split() for line in host.stdout.decode().splitlines()]
    assert rows[0] == ["displayId", "kind", "captureGeneration", "workspaceId"]
    assert rows[1:] == [["120", "headless", "vdcg-1", "-"]] * 2


async def test_a_workspace_s_page_words_are_quoted_and_escaped():
    host = RecordingHost({"workspace.create": [{"workspace": WORKSPACE}]})
    await run(host, "workspace", "create")
    text = host.stdout.decode()
    assert r'"http://a/\"\x0a"' in text
    assert r"a\x1b[2J" in text
    assert "\x1b" not in text
    assert "Chrome/1" in text
    state = {"title": "\u202e", "viewport": {"width": 8, "height": 9}}
    host = RecordingHost({"workspace.state": [{"state": state, "stateSha256": "d"}]})
    await run(host, "workspace", "state", "bw-1")
    rows = [line.split(maxsplit=1) for line in host.stdout.decode().splitlines()]
    assert rows == [
        ["title", r'"\u202e"'],
        ["viewport", "width 8 height 9"],
        ["stateSha256", "d"],
    ]


async def test_a_token_is_printed_once_or_kept_in_a_private_file():
    host = RecordingHost({"client.add": [{"ok": True, "name": "n", "token": "secret"}]})
    await run(host, "client", "add", "n")
    assert host.stdout == b"secret\n"
    host = RecordingHost({"client.add": [{"ok": True, "name": "n", "token": "secret"}]})
    assert await run(host, "client", "add", "n", "--token-file", "t", "--json") == 0
    assert (host.files["t"], host.modes["t"]) == (b"secret\n", 0o600)
    assert b"secret" not in host.stdout + host.stderr


async def test_a_token_that_cannot_be_kept_makes_no_client():
    host = RecordingHost({}, unwritable={"t"})
    assert await run(host, "client", "add", "n", "--token-file", "t") == 2
    assert host.methods == []
    answers = {"client.add": [{"token": "secret"}], "client.remove": [{"ok": True}]}
    host = RecordingHost(answers, broken={"t"})
    assert await run(host, "client", "add", "n", "--token-file", "t") == 2
    assert host.methods == ["client.add", "client.remove"]
    assert b"secret" not in host.stdout + host.stderr


async def test_a_token_never_takes_the_place_of_another():
    host = RecordingHost({}, files={"t": b"of another client\n"})
    assert await run(host, "client", "add", "n", "--token-file", "t") == 2
    assert host.methods == []
    assert host.files == {"t": b"of another client\n"}
    assert b"t is there already" in host.stderr
    host = RecordingHost({"client.add": [{"token": "secret"}]}, files={"/dev/stdout": b""})
    assert await run(host, "client", "add", "n", "--token-file", "/dev/stdout") == 0


async def test_the_daemon_s_facts_and_log_are_shown_line_by_line():
    facts = {"version": "1", "sockets": ["/a b", "/c"], "counts": {"sessions": 1, "displays": 2}}
    host = RecordingHost({"daemon.start": [{"ok": True, "daemon": facts, "started": True}]})
    await run(host, "daemon", "start")
    assert [line.split(maxsplit=1) for line in host.stdout.decode().splitlines()] == [
        ["version", "1"],
        ["sockets", "/a b /c"],
        ["counts", "sessions 1, displays 2"],
        ["started", "yes"],
    ]
    host = RecordingHost({"daemon.logs": [{"lines": ["one", "two\x07"]}]})
    await run(host, "daemon", "logs")
    assert host.stdout == b"one\ntwo\\x07\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_a_completion_script_is_printed(shell):
    host = RecordingHost()
    assert await run(host, "completion", shell) == 0
    assert host.stdout.startswith((b"#", b"#compdef"))
    assert b"session" in host.stdout
