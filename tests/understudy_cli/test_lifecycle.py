"""One daemon per installation: started, found, stopped, and never taken for a stranger."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from protocol.errors import Failure
from tests.fakes.door_process import wait_for
from tests.fakes.installation import Installation, script
from understudy_cli import lifecycle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def daemons(installation: Installation) -> list[int]:
    lines = installation.processes().items()
    return [pid for pid, line in lines if "understudyd" in line.split()]


def daemon_pid(installation: Installation) -> int:
    return int(installation.run("daemon", "status", "--get", "daemon.pid").out)


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """An unrelated process that must outlive whatever we do."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        assert process.poll() is None, "a stranger was signalled"
        process.kill()


# --- starting ----------------------------------------------------------------------


def test_twenty_first_calls_at_once_make_one_daemon(installation: Installation) -> None:
    callers = [installation.start("client", "list") for _ in range(20)]
    for caller in callers:
        out, err = caller.communicate(timeout=60)
        assert (caller.returncode, out, err) == (0, b"", b"")
    assert len(daemons(installation)) == 1
    log = (installation.home / "log/daemon.log").read_text()
    assert log.count(" starts, pid ") == 1


def test_a_start_in_a_substitution_does_not_hang(installation: Installation) -> None:
    line = f'exec 9>held; x=$("{script()}" client list 2>&1); echo "done:$x:$?"; cat <&8'
    reader, writer = os.pipe()
    done = subprocess.run(
        ["bash", "-c", line + f" 8<&{reader}"],
        env=installation.environment, cwd=installation.cwd, pass_fds=[reader, writer],
        capture_output=True, timeout=30, check=False, preexec_fn=lambda: os.close(writer),
    )  # fmt: skip
    os.close(reader)
    os.close(writer)
    assert done.stdout.startswith(b"done::0")


def test_the_daemon_is_detached(installation: Installation, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with (tmp_path / "held").open("w") as held:
        started = installation.run("daemon", "start", pass_fds=[writer, held.fileno()])
        assert started.exit == 0
    os.close(writer)
    assert os.read(reader, 1) == b"", "the daemon holds a pipe of its starter"
    os.close(reader)
    process = Path(f"/proc/{daemon_pid(installation)}")
    targets = {str(link.readlink()) for link in (process / "fd").iterdir()}
    assert not any(str(tmp_path / "held") in target for target in targets)
    assert (process / "cwd").readlink() == Path("/")
    status = (process / "status").read_text()
    assert "Umask:\t0077" in status
    stat = (process / "stat").read_text().rpartition(")")[2].split()
    assert stat[4] == "0", "it has a terminal"
    assert int(stat[3]) != os.getsid(0)


def test_facts_of_one_caller_stay_out_of_the_daemon(installation: Installation) -> None:
    installation.environment |= {"UNDERSTUDY_SESSION": "mine", "NO_COLOR": "1"}
    assert installation.run("daemon", "start").exit == 0
    environ = Path(f"/proc/{daemon_pid(installation)}/environ").read_bytes()
    assert b"UNDERSTUDY_SESSION" not in environ
    assert b"NO_COLOR" not in environ


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 2),
        (["--help"], 0),
        (["--version"], 0),
        (["session", "--help"], 0),
        (["session", "begin", "--help"], 0),
        (["client", "add", "ci", "--help"], 0),
        (["nonsense"], 2),
        (["session", "beginn"], 2),
        (["client", "add"], 2),
        (["daemon", "status"], 8),
        (["daemon", "logs"], 0),
        (["daemon", "stop"], 0),
    ],
)
def test_what_needs_no_daemon_starts_none(
    installation: Installation, words: list[str], code: int
) -> None:
    finished = installation.run(*words)
    assert finished.exit == code, finished
    assert finished.out or finished.err or words == ["daemon", "logs"]
    assert daemons(installation) == []
    assert "Traceback" not in finished.err


def test_help_needs_no_state_directory(installation: Installation) -> None:
    right = installation.environment["UNDERSTUDY_HOME"]
    installation.environment["UNDERSTUDY_HOME"] = "/dev/null/state"
    for words in (["--help"], ["client", "--help"], ["client", "add", "ci", "--help"]):
        assert installation.run(*words).exit == 0
    installation.environment["UNDERSTUDY_HOME"] = right


def test_starting_and_stopping_say_what_was_done(installation: Installation) -> None:
    first = installation.run("daemon", "start", "--json").json
    assert first["started"] is True
    again = installation.run("daemon", "start", "--json").json
    assert again["started"] is False
    assert again["daemon"]["pid"] == first["daemon"]["pid"]
    restarted = installation.run("daemon", "restart", "--json").json
    assert restarted["daemon"]["pid"] != first["daemon"]["pid"]
    assert installation.run("daemon", "stop", "--json").json["daemon"]["stopped"] is True
    assert installation.run("daemon", "stop", "--json").json["daemon"]["stopped"] is False
    assert installation.run("daemon", "status").exit == 8


def test_the_log_is_shown_whether_a_daemon_runs_or_not(installation: Installation) -> None:
    assert installation.run("daemon", "restart").exit == 0
    assert installation.run("daemon", "stop").exit == 0
    shown = installation.run("daemon", "logs").out.splitlines()
    assert any("starts, pid" in line for line in shown)
    assert installation.run("daemon", "logs", "--lines", "1").out.splitlines() == shown[-1:]


def test_a_daemon_in_the_foreground_is_used_and_ends_by_a_signal(
    installation: Installation,
) -> None:
    foreground = subprocess.Popen(
        [str(Path(script()).with_name("understudyd"))], env=installation.environment
    )
    wait_for((installation.home / "run" / "daemon.lock").exists)  # its sockets come later
    assert installation.run("client", "list").exit == 0
    assert daemon_pid(installation) == foreground.pid
    foreground.send_signal(2)
    assert foreground.wait(20) == 0
    assert installation.check_leftovers() == []


def test_a_call_while_a_daemon_ends_gets_the_next_one(installation: Installation) -> None:
    assert installation.run("daemon", "start").exit == 0
    ended = daemon_pid(installation)
    os.kill(ended, 15)
    calls = [installation.run("client", "list").exit for _ in range(3)]
    assert calls[-1] == 0
    assert set(calls) <= {0, 9}, "a call that met the closing door was not started"
    assert daemon_pid(installation) != ended


def test_an_idle_daemon_leaves(installation: Installation) -> None:
    installation.home.mkdir(mode=0o700)
    (installation.home / "config.toml").write_text("[daemon]\nidle_exit_s = 1\n")
    assert installation.run("daemon", "start").exit == 0
    wait_for(lambda: not daemons(installation))
    assert installation.check_leftovers() == []
    assert installation.run("client", "list").exit == 0, "and comes back when it is wanted"


# --- starts that fail ------------------------------------------------------------------


def test_a_broken_configuration_is_named(installation: Installation) -> None:
    installation.home.mkdir(mode=0o700)
    config = installation.home / "config.toml"
    config.write_text("[daemon]\nidle_exit = 1\n")
    for words in (["client", "list"], ["daemon", "start"]):
        finished = installation.run(*words)
        assert finished.exit == 8
        assert f"{config}, line 2" in finished.err
    told = installation.run("client", "list", "--json")
    assert told.json["error"]["code"] == "config_invalid"


def set_version(store: Path) -> None:
    with closing(sqlite3.connect(store / "understudy.db")) as connection:
        connection.execute("PRAGMA user_version = 999")


STORES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "truncated": (
        lambda store: os.truncate(store / "understudy.db", 8192),
        "store_corrupt",
        "The database is damaged",
    ),
    "newer": (set_version, "store_newer", "The database has version 999"),
    "with another key": (
        lambda store: (store / "fingerprint.key").write_bytes(b"k" * 32),
        "state_untrusted",
        "The key beside the database is not the one",
    ),
    "with a loose key": (
        lambda store: (store / "fingerprint.key").chmod(0o644),
        "state_untrusted",
        "fingerprint.key can be reached by other users",
    ),
}


@pytest.mark.parametrize(("spoil", "code", "message"), STORES.values(), ids=STORES.keys())
def test_a_store_that_cannot_be_used_is_named(
    installation: Installation, spoil: Callable[[Path], object], code: str, message: str
) -> None:
    assert installation.run("daemon", "start").exit == 0
    assert installation.run("daemon", "stop").exit == 0
    spoil(installation.home / "store")
    told = installation.run("client", "list")
    assert (told.exit, told.out) == (8, "")
    lines = told.err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["understudy", "hint"]
    assert message in lines[0]
    assert installation.run("client", "list", "--json").json["error"]["code"] == code
    assert message in installation.run("daemon", "logs").out
    assert "Traceback" not in (installation.home / "log/daemon.stderr").read_text()


def test_a_daemon_that_dies_says_why(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "trio.py").write_text("raise RuntimeError('no trio today')")
    installation.environment["PYTHONPATH"] = str(tmp_path)
    finished = installation.run("client", "list")
    del installation.environment["PYTHONPATH"]
    assert finished.exit == 8
    assert "no trio today" in finished.err
    assert "daemon.log" in finished.err


def test_a_state_directory_that_cannot_be_is_named(installation: Installation) -> None:
    right = installation.environment["UNDERSTUDY_HOME"]
    installation.environment["UNDERSTUDY_HOME"] = "/dev/null/state"
    finished = installation.run("client", "list")
    assert (finished.exit, "/dev/null" in finished.err) == (8, True)
    installation.environment["UNDERSTUDY_HOME"] = "relative"
    assert installation.run("client", "list").exit == 2
    installation.environment["UNDERSTUDY_HOME"] = right


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("method", ["status", "stop", "start", "restart", "logs"])
def test_a_state_directory_of_somebody_else_is_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    tmp_path.chmod(0o700)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    os.seteuid(65534)
    try:
        with pytest.raises(Failure, match="may not be looked at: Permission denied") as refused:
            lifecycle.methods()[f"daemon.{method}"]({})
    finally:
        os.seteuid(0)
    assert (refused.value.code, str(tmp_path) in refused.value.message) == ("state_untrusted", True)


# --- what a killed or hanging daemon leaves (case K03) -----------------------------------


def test_a_killed_daemon_is_replaced(installation: Installation) -> None:
    installation.run("daemon", "start")
    killed = daemon_pid(installation)
    os.kill(killed, 9)
    assert installation.run("client", "list").exit == 0
    assert daemon_pid(installation) != killed


def test_a_pid_file_is_never_believed(
    installation: Installation, stranger: subprocess.Popen[bytes]
) -> None:
    run = installation.home / "run"
    run.mkdir(mode=0o700, parents=True)
    for name in ("daemon.pid", "daemon.lock"):
        (run / name).write_text(f"{stranger.pid}\n")
    assert installation.run("daemon", "status").exit == 8
    assert installation.run("daemon", "stop").exit == 0
    assert installation.run("daemon", "start").exit == 0
    assert daemon_pid(installation) != stranger.pid


def test_a_live_daemon_with_a_broken_pid_file_is_used(
    installation: Installation, stranger: subprocess.Popen[bytes]
) -> None:
    installation.run("daemon", "start")
    pid = daemon_pid(installation)
    for content in ("nonsense", "", f"{stranger.pid}\n"):
        (installation.home / "run" / "daemon.pid").write_text(content)
        assert installation.run("client", "list").exit == 0
        assert daemon_pid(installation) == pid
    assert installation.run("daemon", "stop").exit == 0
    assert daemons(installation) == []


def test_a_hanging_daemon_is_killed_when_it_is_proven_ours(installation: Installation) -> None:
    installation.run("daemon", "start")
    os.kill(daemon_pid(installation), 19)
    assert installation.run("daemon", "stop").exit == 0
    assert daemons(installation) == []
    assert installation.run("client", "list").exit == 0
    sockets = (installation.home / "run").glob("*.sock")
    assert len(list(sockets)) == 2


@pytest.mark.parametrize("content", ["{pid} {start}\n", "nonsense"])
def test_a_hanging_daemon_that_is_not_proven_is_left_alone(
    installation: Installation, stranger: subprocess.Popen[bytes], content: str
) -> None:
    installation.run("daemon", "start")
    pid = daemon_pid(installation)
    lock = installation.home / "run" / "daemon.lock"
    proven = lock.read_bytes()
    start = Path(f"/proc/{stranger.pid}/stat").read_text().rpartition(")")[2].split()[19]
    os.kill(pid, 19)
    lock.write_text(content.format(pid=stranger.pid, start=start))
    finished = installation.run("daemon", "stop")
    os.kill(pid, 18)
    lock.write_bytes(proven)
    assert finished.exit == 8
    assert "nothing was signalled" in finished.err
    assert daemons(installation) in ([pid], [])


# --- odd surroundings (case K01) ----------------------------------------------------------


def test_a_long_odd_path_and_odd_surroundings(tmp_path: Path) -> None:
    root = tmp_path / ("é with space " * 12).strip()
    assert len(str(root / "state")) > 150
    installation = Installation(root)
    try:
        pids = set()
        for change in (
            {},
            {"TMPDIR": str(tmp_path)},
            {"LC_ALL": "C"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"XDG_RUNTIME_DIR": str(tmp_path)},
        ):
            installation.environment |= change
            assert installation.run("client", "list").err == ""
            pids.add(daemon_pid(installation))
        del installation.environment["HOME"]
        pids.add(daemon_pid(installation))
        assert len(pids) == 1
        assert installation.stop().exit == 0
        assert installation.check_leftovers() == []
    finally:
        installation.kill()


def test_a_start_under_the_plainest_locale(tmp_path: Path) -> None:
    installation = Installation(tmp_path / "é")
    installation.environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    try:
        assert installation.run("client", "list").err == ""
        assert installation.stop().exit == 0
    finally:
        installation.kill()


# --- clients ---------------------------------------------------------------------------------


def test_a_client_is_known_by_its_token(installation: Installation) -> None:
    added = installation.run("client", "add", "ci", "--token-file", "token")
    assert (added.exit, added.out) == (0, "")
    token = installation.cwd / "token"
    assert token.stat().st_mode & 0o777 == 0o600
    installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"] = "token"
    assert installation.run("client", "list").out == "ci\n"
    assert installation.run("client", "remove", "ci").exit == 11, "a client removes none"
    del installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"]
    assert installation.run("client", "remove", "ci").exit == 0
    installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"] = "token"
    for content in (token.read_text(), "", "guess"):
        token.write_text(content)
        assert installation.run("client", "list").exit == 11
    token.unlink()
    assert installation.run("client", "list").exit == 11
    del installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"]
    secret = (installation.home / "log/daemon.log").read_text()
    assert "guess" not in secret


def test_a_token_that_others_can_read_is_not_shown(installation: Installation) -> None:
    assert installation.run("client", "add", "ci", "--token-file", "token").exit == 0
    token = installation.cwd / "token"
    kept = token.read_text()
    assert installation.run("client", "add", "other", "--token-file", "token").exit == 2
    assert token.read_text() == kept
    installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"] = "token"
    for mode in (0o644, 0o640, 0o602):
        token.chmod(mode)
        told = installation.run("client", "list")
        assert (told.exit, told.out) == (11, "")
        assert f"has mode {mode:04o}" in told.err
        assert "chmod 600" in told.err
    token.chmod(0o400)
    assert installation.run("client", "list").out == "ci\n"
    del installation.environment["UNDERSTUDY_CLIENT_TOKEN_FILE"]


def test_a_shown_token_is_nowhere_else(installation: Installation) -> None:
    token = installation.run("client", "add", "ci").out.strip()
    assert len(token) > 30
    for path in installation.home.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes()


def test_the_thin_client_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import understudy_cli.main, understudy_cli.client;"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    light = {"__future__", "_socket", "select", "protocol", "understudy_cli"}
    ours = {name for name in loaded if name.startswith(("protocol.", "understudy_cli."))}
    assert set(loaded) - ours <= light
    assert ours == {
        "protocol.framing", "protocol.paths", "protocol.processes", "understudy_cli.client",
        "understudy_cli.connection", "understudy_cli.conversation", "understudy_cli.main",
        "understudy_cli.streams",
    }  # fmt: skip
