"""Who gets in at the two sockets, and what becomes of those who should not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from protocol import framing
from protocol.framing import Command, Decoder
from tests.fakes.door_process import DoorProcess, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOCKETS = ["cli.sock", "rpc.sock"]
NOBODY = 65534


@pytest.fixture
def door(tmp_path: Path) -> Iterator[DoorProcess]:
    process = DoorProcess(tmp_path)
    try:
        yield process
        process.close()
    finally:
        process.kill()


def everything(line: socket.socket) -> bytes:
    """Return what the daemon says before it closes the line."""
    said = b""
    try:
        while piece := line.recv(65536):
            said += piece
    except ConnectionResetError:
        pass  # closed with our bytes unread: nothing more can come
    return said


def call(line: socket.socket, method: str, params: object = None) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    line.sendall(json.dumps(request).encode() + b"\n")
    return json.loads(line.makefile("rb").readline())


def argv_frame(*argv: str, **changes: Any) -> bytes:
    facts = {"command_id": "0" * 32, "cwd": "/", "variables": {}}
    return framing.encode_command(Command(argv=argv, **(facts | changes)))


def frames(said: bytes) -> list[tuple[int, bytes]]:
    return Decoder().feed(said)


def test_everything_is_private(door: DoorProcess) -> None:
    modes = {path.name: path.lstat().st_mode for path in (door.state / "run").iterdir()}
    assert {name for name, mode in modes.items() if stat.S_ISSOCK(mode)} == set(SOCKETS)
    assert {stat.S_IMODE(mode) for mode in modes.values()} == {0o600}
    for name in ("run", "log", "profiles", "evidence"):
        assert stat.S_IMODE((door.state / name).stat().st_mode) == 0o700
    assert stat.S_IMODE((door.state / "log/daemon.log").stat().st_mode) == 0o600


def test_nothing_listens_on_the_network(door: DoorProcess) -> None:
    inodes = set()
    for descriptor in os.listdir(f"/proc/{door.daemon.pid}/fd"):
        target = os.readlink(f"/proc/{door.daemon.pid}/fd/{descriptor}")
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    assert inodes, "at least the two unix sockets"
    for table in ("tcp", "tcp6", "udp", "udp6"):
        with open(f"/proc/{door.daemon.pid}/net/{table}") as lines:
            assert inodes.isdisjoint(line.split()[9] for line in list(lines)[1:])


@pytest.mark.parametrize("name", SOCKETS)
def test_http_is_dropped_without_an_answer(door: DoorProcess, name: str) -> None:
    call_within = b'POST / HTTP/1.1\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"daemon.stop"}\n'
    get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for request in (
        get,
        call_within,
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n",
    ):
        with door.connect(name) as line:
            line.sendall(request)
            assert everything(line) == b""
    assert door.run("echo", "alive").out == "alive"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can call as another uid")
@pytest.mark.parametrize("name", SOCKETS)
def test_a_peer_of_another_uid_is_refused(door: DoorProcess, name: str) -> None:
    run = door.state / "run"
    run.chmod(0o711)
    (run / name).chmod(0o666)  # the worst case: the kernel lets it connect
    asked = {
        "cli.sock": argv_frame("try", "echo", "x"),
        "rpc.sock": b'{"jsonrpc":"2.0","id":1,"method":"daemon.status"}\n',
    }
    assert _ask_as_nobody(run, name, asked[name]) == b"answer: "
    assert f"a peer of uid {NOBODY} was refused" in door.log()
    run.chmod(0o700)


def _ask_as_nobody(run: Path, name: str, request_bytes: bytes) -> bytes:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(run)
            os.setgroups([])
            os.setuid(NOBODY)
            line = socket.socket(socket.AF_UNIX)
            line.connect(name)
            with suppress(BrokenPipeError):
                line.sendall(request_bytes)
            os.write(theirs, b"answer: " + everything(line))
        finally:
            os._exit(0)
    os.close(theirs)
    os.waitpid(pid, 0)
    with open(ours, "rb") as said:
        return said.read()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: run.chmod(0o750),
        lambda run: run.chmod(0o701),
        lambda run: (run / "cli.sock").chmod(0o660),
        lambda run: _swap_for_link(run / "."),
        lambda run: _swap_for_link(run / "cli.sock"),
        lambda run: _swap_for_file(run / "cli.sock"),
        lambda run: os.chown(run, NOBODY, -1),
        lambda run: os.chown(run / "cli.sock", NOBODY, -1),
    ],
)
def test_the_client_refuses_what_is_not_private(door: DoorProcess, spoil: Any) -> None:
    run = door.state / "run"
    before = run.stat().st_mode
    spoil(run)
    finished = door.run("echo", "x")
    assert finished.exit == 8 or "state_untrusted" in finished.err
    assert str(run) in finished.err
    assert "hint:" in finished.err
    assert finished.out == ""
    if not run.is_symlink():
        os.chown(run, os.geteuid(), -1)
        run.chmod(stat.S_IMODE(before))


def _swap_for_link(path: Path) -> None:
    path = path.resolve()
    moved = path.with_name(path.name + ".moved")
    path.rename(moved)
    path.symlink_to(moved)


def _swap_for_file(path: Path) -> None:
    path.unlink()
    path.touch(mode=0o600)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: (state / "run").chmod(0o755),
        lambda state: _swap_for_link(state / "run"),
        lambda state: (shutil.rmtree(state / "run"), (state / "run").touch()),
        lambda state: state.chmod(0o770),
        lambda state: state.chmod(0o707),
        lambda state: (state / "log").chmod(0o777),
        lambda state: os.chown(state / "run", NOBODY, -1),
        lambda state: (state / "config.toml").write_text("[nonsense]"),
        lambda state: (state / "clients.json").write_text("{}"),
    ],
)
def test_the_daemon_refuses_to_start_on_what_others_may_change(tmp_path: Path, spoil: Any) -> None:
    state = tmp_path / "state"
    for directory in (state, state / "run", state / "log"):
        directory.mkdir(mode=0o700)
    spoil(state)
    code = "import sys; from tests.fakes import doors; doors.main()"
    refused = subprocess.run(
        [sys.executable, "-c", code, str(state)], capture_output=True, timeout=20, check=False
    )
    assert refused.returncode == 1
    assert b"Failure" in refused.stderr or b"Invalid" in refused.stderr
    assert str(state).encode() in refused.stderr
    assert not (state / "run" / "cli.sock").exists()


def test_a_wire_version_that_differs_is_named_with_its_remedy(door: DoorProcess) -> None:
    with door.connect("cli.sock") as line:
        line.sendall(argv_frame("try", "echo", "x", wire_version=99))
        ((kind, payload),) = frames(everything(line))
    assert kind == framing.REFUSED
    code, message, hint = framing.parse_fields(payload)
    assert code == b"wire_mismatch"
    assert b"99" in message
    assert b"daemon restart" in hint


def test_a_wrong_token_is_refused_before_anything_is_parsed(door: DoorProcess) -> None:
    with door.connect("cli.sock") as line:
        line.sendall(argv_frame("try", "echo", "x", token="wrong"))
        ((kind, payload),) = frames(everything(line))
    assert (kind, framing.parse_fields(payload)[0]) == (framing.REFUSED, b"actor")


def test_what_is_no_command_is_dropped(door: DoorProcess) -> None:
    for first in (
        framing.encode_frame(framing.DATA, b"x"),
        framing.encode_frame(framing.ARGV, b""),
        framing.encode_frame(
            framing.ARGV, framing.encode_fields([str(framing.WIRE_VERSION).encode()])
        ),
        framing.encode_frame(framing.ARGV, b"\xff" * 30),
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
    ):
        with door.connect("cli.sock") as line:
            line.sendall(first)
            line.shutdown(socket.SHUT_WR)
            assert everything(line) == b""
    assert door.run("echo", "alive").out == "alive"


def test_a_client_that_sends_more_than_it_was_asked_for_is_dropped(door: DoorProcess) -> None:
    with door.connect("cli.sock") as line:
        line.sendall(argv_frame("try", "cat", "file", "10"))
        asked, decoder = [], Decoder()
        while framing.READ not in asked:
            asked += [kind for kind, _ in decoder.feed(line.recv(1000))]
        line.sendall(framing.encode_frame(framing.DATA, b"x" * 11))
        assert everything(line) == b""


def test_programs_call_the_same_methods(door: DoorProcess) -> None:
    with door.connect("rpc.sock") as line:
        assert call(line, "try.whoami", {"a": 1})["result"]["params"] == {"a": 1}
        assert call(line, "try.fail")["error"]["data"]["code"] == "conflict"
        status = call(line, "daemon.status")["result"]["daemon"]
    assert status["pid"] == door.daemon.pid
    assert status["wireVersion"] == framing.WIRE_VERSION
    assert status["counts"]["connections"] == 1
    assert 5_000_000 < status["residentBytes"] < 80 * 1024 * 1024


def test_lines_may_come_in_any_pieces(door: DoorProcess) -> None:
    request = b'{"jsonrpc":"2.0","id":%d,"method":"try.whoami"}\n'
    with door.connect("rpc.sock") as line:
        for byte in request % 1:
            line.sendall(bytes((byte,)))
        line.sendall(request % 2 + b"\r\n\n" + request % 3 + b'{"jsonrpc"')
        answers = line.makefile("rb")
        assert [json.loads(answers.readline())["id"] for _ in range(3)] == [1, 2, 3]


def test_a_line_without_end_is_refused(door: DoorProcess) -> None:
    with door.connect("rpc.sock") as line:
        line.sendall(b"[" + b" " * (1024 * 1024 + 100_000))
        assert json.loads(everything(line))["error"]["code"] == -32600


def test_too_many_connections_are_dropped_and_then_welcome(door: DoorProcess) -> None:
    lines = [door.connect("rpc.sock") for _ in range(256)]
    try:
        counts = call(lines[-1], "daemon.status")["result"]["daemon"]["counts"]
        assert counts["connections"] == 256
        with door.connect("rpc.sock") as surplus:
            assert everything(surplus) == b""
    finally:
        for line in lines:
            line.close()
    wait_for(lambda: door.run("echo", "x").out == "x")


def test_stopping_lets_what_runs_finish(door: DoorProcess) -> None:
    with door.start("linger-write", "began", "ended", "0.5") as process:
        wait_for((door.cwd / "began").exists)
        with door.connect("rpc.sock") as line:
            assert call(line, "daemon.stop")["result"] == {"ok": True, "stopping": True}
        process.communicate(timeout=20)
        assert process.returncode == 0
    assert door.daemon.wait(20) == 0
    assert (door.cwd / "ended").exists()
    assert not [path for path in (door.state / "run").iterdir() if path.suffix == ".sock"]


def test_stopping_does_not_wait_for_ever(door: DoorProcess) -> None:
    with door.start("linger-write", "began", "ended", "60") as process:
        wait_for((door.cwd / "began").exists)
        door.daemon.send_signal(signal.SIGTERM)
        assert door.daemon.wait(10) == 0
        assert process.wait(10) == 4


def test_a_second_daemon_is_refused_and_leaves_the_first_alone(door: DoorProcess) -> None:
    code = "import sys; from tests.fakes import doors; doors.main()"
    second = subprocess.run(
        [sys.executable, "-c", code, str(door.state)], capture_output=True, check=False
    )
    assert b"running already" in second.stderr
    assert door.run("echo", "alive").out == "alive"
