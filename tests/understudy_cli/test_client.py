"""The thin client and the hosting, process to process, over the real socket."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.fakes.door_process import (
    DoorProcess,
    awaits_stdin,
    listens,
    opens_in_vain,
    wait_for,
)
from tests.fakes.installation import script
from understudy_cli.streams import STDERR, Streams

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def door(tmp_path: Path) -> Iterator[DoorProcess]:
    process = DoorProcess(tmp_path)
    try:
        yield process
        process.close()
    finally:
        process.kill()


# --- what passes ----------------------------------------------------------------


def test_argv_passes_byte_for_byte(door: DoorProcess) -> None:
    odd = [b"", b"--help", b"-1", b"--", b"$(id)", b"a\nb", b"\xff\xfe", "é😀".encode()]
    for language in ({}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}):
        door.environment |= language
        with door.start("echo", *odd) as process:
            out, err = process.communicate()
        assert (out, err, process.returncode) == (b"\0".join(odd), b"", 0)


def test_only_the_listed_variables_pass(door: DoorProcess) -> None:
    door.environment |= {"UNDERSTUDY_SESSION": "ecup-é", "COLUMNS": "132", "SECRET": "s3cret"}
    facts = door.run("facts").out.splitlines()
    assert facts[:3] == [str(door.cwd), "132", "000"]
    assert facts[4:] == ["COLUMNS=132", "UNDERSTUDY_SESSION=ecup-é"]


def test_text_answers_without_being_run(door: DoorProcess) -> None:
    finished = subprocess.run(
        [script(), "nonsense"],
        env=door.environment | {"COLUMNS": "99"},
        capture_output=True,
        check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr == b"unknown command at width 99\n"
    assert finished.stdout == b""


def test_both_streams_and_the_exit_code_pass(door: DoorProcess) -> None:
    finished = door.run("streams", "7")
    assert (finished.exit, finished.out, finished.err) == (7, "out\n", "err\n")


def test_a_command_calls_methods(door: DoorProcess) -> None:
    assert door.run("nested", "try.whoami").out == "True"
    assert door.run("nested", "try.fail").err == "conflict: two of a kind\n"


def test_a_mistake_of_ours_is_an_internal_error(door: DoorProcess) -> None:
    finished = door.run("broken")
    assert finished.exit == 1
    assert "internal error" in finished.err
    assert "Traceback" not in finished.err
    assert "RuntimeError" in door.log()
    assert "doors.py" in door.log(), "the place is told"
    assert "a mistake of ours" not in door.log(), "the text could quote a caller"


def test_much_output_passes(door: DoorProcess) -> None:
    assert door.run("big", "3000000").out == "é" * 3_000_000


# --- files and standard input -----------------------------------------------------


def test_a_file_is_read_in_the_callers_directory(door: DoorProcess) -> None:
    content = os.urandom(700_000)
    (door.cwd / "input é").write_bytes(content)
    with door.start("cat", "input é", "700000") as process:
        assert process.communicate()[0] == content
    assert door.run("cat", "input é", "699999").err.startswith("input_too_large")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("absent", "no_such_file"),
        ("absent/deeper", "no_such_file"),
        (".", "is_directory"),
        ("", "no_such_file"),
    ],
)
def test_what_cannot_be_read_is_named(door: DoorProcess, path: str, code: str) -> None:
    finished = door.run("cat", path, "10")
    assert finished.exit == 2
    assert finished.err.startswith(code)


def test_an_endless_file_is_refused_at_the_limit(door: DoorProcess) -> None:
    assert door.run("cat", "/dev/zero", "1000000").err.startswith("input_too_large")
    assert door.run("cat", "/dev/null", "10").exit == 0


def test_stdin_passes_whole_and_by_line(door: DoorProcess) -> None:
    content = b"x" * 600_000
    assert door.run("cat", "-", "600000", stdin=content).out == content.decode()
    assert door.run("cat", "-", "599999", stdin=content).err.startswith("input_too_large")
    assert door.run("lines", stdin=b"a\r\n\nb").out == "1:a\n2:\n3:b\n"
    assert door.run("lines", stdin=b"x" * 1001).err.startswith("input_too_large")


def test_each_line_is_answered_before_the_next_comes(door: DoorProcess) -> None:
    with door.start("lines") as process:
        assert process.stdin
        assert process.stdout
        for number in range(1, 4):
            process.stdin.write(b"line\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"%d:line\n" % number
        process.stdin.close()
        assert process.wait() == 3


def test_a_closed_stdin_is_named(door: DoorProcess) -> None:
    finished = door.shell("u cat - 10 <&-")
    assert (finished.exit, finished.err) == (2, "unreadable_file: standard input is closed\n")
    assert door.shell("u echo fine <&-").out == "fine"


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_is_written_with_its_mode(door: DoorProcess, mode: int) -> None:
    (door.cwd / "out").write_text("old")
    assert door.run("put", "out", f"{mode:o}", "text é", umask=0o022).exit == 0
    assert (door.cwd / "out").read_text() == "text é"
    assert (door.cwd / "out").stat().st_mode & 0o777 == mode
    assert sorted(path.name for path in door.cwd.iterdir()) == ["out"]


def test_a_large_file_is_written_whole(door: DoorProcess) -> None:
    assert door.run("put-big", "out", "9000000").exit == 0
    assert (door.cwd / "out").stat().st_size == 9_000_000


def test_a_link_is_replaced_and_not_followed(door: DoorProcess, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    (door.cwd / "out").symlink_to(target)
    assert door.run("put", "out", "600", "text").exit == 0
    assert target.read_text() == "precious"
    assert not (door.cwd / "out").is_symlink()


@pytest.mark.parametrize("path", ["absent/out", ".", "", "sub/", "a\x01/b"])
def test_what_cannot_be_written_is_named(door: DoorProcess, path: str) -> None:
    finished = door.run("put", path, "600", "text")
    assert finished.exit == 2
    assert finished.err.startswith("unwritable_file")
    assert list(door.cwd.iterdir()) == []


def test_devices_and_pipes_are_written_as_they_are(door: DoorProcess) -> None:
    assert door.shell("u put /dev/stdout 600 text | cat").out == "text"
    assert door.shell("u put >(cat) 600 text; sleep 0.2").out == "text"
    full = door.run("put", "/dev/full", "600", "text")
    assert full.err.startswith("unwritable_file")
    assert door.run("put", "/dev/null", "600", "text").exit == 0


def test_preparing_writes_nothing_and_makes_directories(door: DoorProcess) -> None:
    assert door.run("ready", "out").exit == 0
    assert list(door.cwd.iterdir()) == []
    assert door.run("ready", "new/deep/").exit == 0
    assert (door.cwd / "new/deep").stat().st_mode & 0o777 == 0o700
    assert list((door.cwd / "new/deep").iterdir()) == []
    assert door.run("ready", "absent/out").err.startswith("unwritable_file")
    (door.cwd / "file").touch()
    assert door.run("ready", "file/").err.startswith("unwritable_file")


def test_a_variable_passes_only_when_it_is_asked_for(door: DoorProcess) -> None:
    door.environment |= {"SECRET": "s3cret é\n", "EMPTY": ""}
    assert door.run("variable", "SECRET", "10").out == "s3cret é\n"
    assert door.run("variable", "EMPTY", "10").out == ""
    assert door.run("variable", "SECRET", "9").err.startswith("input_too_large")
    absent = door.run("variable", "ABSENT", "10")
    assert (absent.exit, absent.err.partition(":")[0]) == (2, "no_such_variable")
    assert "s3cret" not in door.log()


def test_a_file_s_real_path_is_told_once_it_is_readable(door: DoorProcess, tmp_path: Path) -> None:
    (tmp_path / "far").write_text("text")
    (door.cwd / "link é").symlink_to(tmp_path / "far")
    assert door.run("resolve", "link é").out == str((tmp_path / "far").resolve())
    os.mkfifo(door.cwd / "pipe")
    (door.cwd / "loop").symlink_to("loop")
    wrong = {".": "is_directory", "ghost": "no_such_file", "pipe": "unreadable_file"}
    wrong |= {"loop": "unreadable_file", "/dev/null": "unreadable_file"}
    for path, code in wrong.items():
        refused = door.run("resolve", path)
        assert (refused.exit, refused.out) == (2, "")
        assert refused.err.startswith(code), path


# --- output that cannot go out ------------------------------------------------------


def test_a_closed_stdout_is_no_success(door: DoorProcess) -> None:
    finished = door.shell("u streams 0 >&-")
    assert finished.exit == 1
    assert "standard output cannot be written: it is closed" in finished.err
    assert "Traceback" not in finished.err
    assert door.shell("u streams 7 >&-").exit == 7
    assert door.shell("u put out 600 text >&-").exit == 0, "nothing was to be printed"


def test_a_full_stdout_is_no_success(door: DoorProcess) -> None:
    finished = door.shell("u big 100000 >/dev/full")
    assert finished.exit == 1
    assert "No space left" in finished.err
    assert "Traceback" not in finished.err
    assert door.shell("u streams 0 >/dev/full 2>&1").exit == 1


@pytest.mark.parametrize("work", ["big", "big-write"])
def test_a_reader_that_closes_early_ends_it_quietly(door: DoorProcess, work: str) -> None:
    finished = door.shell(f"u {work} 3000000 | head -c 10; exit ${{PIPESTATUS[0]}}")
    assert finished.err == ""
    assert len(finished.out.encode("utf-8", "surrogateescape")) == 10
    assert finished.exit == (141 if work == "big" else 0)


def test_a_reader_that_closes_early_ends_a_pipe_of_lines(door: DoorProcess) -> None:
    with door.start("lines-write") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"one\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"1:one\n"
        process.stdout.close()
        process.stdin.write(b"two\n")
        process.stdin.flush()
        assert process.wait(20) == 2, "the second line was done, and no third was waited for"
        assert process.stderr.read() == b""


def test_a_slow_reader_does_not_hold_the_daemon(door: DoorProcess) -> None:
    with door.start("linger-read", "began", "ended", "0") as process:
        wait_for((door.cwd / "ended").exists)  # 100,000 bytes, more than a pipe holds
        assert process.stdout
        assert len(process.stdout.read()) == 100_000


# --- the line is lost ------------------------------------------------------------------


@pytest.mark.parametrize(("effect", "code"), [("write", 4), ("read", 9)])
def test_the_daemon_is_killed_while_a_command_runs(
    door: DoorProcess, effect: str, code: int
) -> None:
    with door.start(f"linger-{effect}", "began", "ended", "60") as process:
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        door.kill()
        assert process.wait(20) == code
        told = process.stderr.read().decode()
    assert ("understudy try ask" in told) == (effect == "write")
    assert "Traceback" not in told


@pytest.mark.parametrize("effect", ["write", "read"])
def test_a_daemon_that_is_killed_while_stdin_is_awaited_has_started_nothing(
    door: DoorProcess, effect: str
) -> None:
    with door.start(f"stdin-{effect}", "mark") as process:
        wait_for(lambda: awaits_stdin(process))
        door.kill()
        assert process.wait(20) == 9
        assert process.stderr
        assert b"awaited; nothing was sent\n" in process.stderr.read()


def test_a_line_that_comes_after_the_daemon_was_killed_is_not_called_unknown(
    door: DoorProcess,
) -> None:
    with door.start("lines-write") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"a\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"1:a\n"
        wait_for(lambda: awaits_stdin(process))
        process.send_signal(signal.SIGSTOP)  # the line and the end come together
        door.kill()
        process.stdin.write(b"b\n")
        process.stdin.flush()
        process.send_signal(signal.SIGCONT)
        assert process.wait(20) == 9
        assert process.stderr
        assert b"nothing was sent but what was answered\n" in process.stderr.read()


def test_a_daemon_that_dies_before_it_accepts_has_started_nothing(door: DoorProcess) -> None:
    with door.dying() as die, door.start("linger-write", "began", "ended", "0") as process:
        die()
        assert process.wait(20) == 9
        assert process.stderr
        assert b"nothing was started" in process.stderr.read()
    assert not (door.cwd / "began").exists()


def test_what_was_lost_is_told_in_json_too(door: DoorProcess) -> None:
    door.environment["UNDERSTUDY_OUTPUT"] = "json"
    with door.start("linger-write", "began", "ended", "60") as process:
        assert process.stdout
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        door.kill()
        assert process.wait(20) == 4
        assert process.stdout.read().startswith(b'{"ok":false,"error":{"code":"outcome_unknown"')


@pytest.mark.parametrize(
    ("words", "is_json"),
    [
        (["--json"], True),
        (["--request", "{}"], True),
        (["--request=-"], True),
        (["--json", "--get", "phase"], False),
        (["--get=phase", "--request", "-"], False),
        (["--", "--json"], False),
        ([], False),
    ],
)
def test_what_was_lost_is_told_in_the_form_that_was_asked_for(
    door: DoorProcess, words: list[str], is_json: bool
) -> None:
    command = ("linger-write", "began", "ended", "0", *words)
    with door.dying() as die, door.start(*command) as process:
        die()
        assert process.wait(20) == 9
        assert process.stdout
        assert process.stderr
        told = process.stdout.read() if is_json else process.stderr.read()
    assert told.startswith(b'{"ok":false,"error":{' if is_json else b"understudy: ")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_write_runs_to_its_end_without_its_client(
    door: DoorProcess, number: signal.Signals
) -> None:
    with door.start("linger-write", "began", "ended", "0.7") as process:
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        process.send_signal(number)
        process.wait(20)
        assert not (door.cwd / "ended").exists()
    wait_for((door.cwd / "ended").exists)


def test_a_read_ends_with_its_client(door: DoorProcess) -> None:
    with door.start("linger-read", "began", "ended", "60") as process:
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        process.kill()
    wait_for((door.cwd / "cut-short").exists)
    assert not (door.cwd / "ended").exists()


def test_a_write_that_waits_for_stdin_ends_with_its_client(door: DoorProcess) -> None:
    mark = door.cwd / "mark"
    with door.start("stdin-write", str(mark)) as process:
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        process.kill()
    wait_for(lambda: mark.exists() and mark.read_text())
    assert mark.read_text() == "caller_gone"


@pytest.mark.parametrize("effect", ["write", "read"])
def test_an_interrupt_names_what_can_be_asked_and_exits_130(door: DoorProcess, effect: str) -> None:
    with door.start(f"linger-{effect}", "began", "ended", "60") as process:
        assert process.stderr
        assert process.stderr.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        told = process.stderr.read().decode()
    assert told.startswith("understudy: interrupted; the command ")
    assert "understudy try ask" in told
    assert ("goes on in the daemon" in told) == (effect == "write")
    assert re.search("[0-9a-f]{32}", told) is None, "the call's own id is nothing to ask about"
    assert "Traceback" not in told


def test_what_was_written_before_an_interrupt_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    streams, write = Streams(), os.write

    def write_and_be_interrupted(number: int, data: bytes) -> int:
        write(number, data)
        raise KeyboardInterrupt

    streams.put(STDERR, b"once\n")
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write_and_be_interrupted)
        with pytest.raises(KeyboardInterrupt):
            streams.write_some()
    streams.put(STDERR, b"interrupted\n")
    streams.flush(STDERR)
    assert capfdbinary.readouterr().err == b"once\ninterrupted\n"


def test_an_interrupt_before_the_daemon_answers_promises_nothing(door: DoorProcess) -> None:
    with door.dying(), door.start("linger-write", "began", "ended", "0") as process:
        wait_for(lambda: listens(process))
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr
        told = process.stderr.read().decode()
    assert told.startswith("understudy: interrupted before the daemon answered\n")


@pytest.mark.parametrize("effect", ["write", "read"])
def test_an_interrupt_while_stdin_is_awaited_says_that_nothing_was_sent(
    door: DoorProcess, effect: str
) -> None:
    with door.start(f"stdin-{effect}", "mark") as process:
        wait_for(lambda: awaits_stdin(process))
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr
        told = process.stderr.read().decode()
    assert "standard input; nothing was sent\n" in told
    assert "try ask" not in told


def test_an_interrupt_leaves_no_half_written_file(door: DoorProcess) -> None:
    os.mkfifo(door.cwd / "never")
    with door.start("put", "never", "600", "text") as process:
        wait_for(lambda: opens_in_vain(process))
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert [path.name for path in door.cwd.iterdir()] == ["never"]


# --- terminals -------------------------------------------------------------------------


def test_a_terminal_is_told_from_another(door: DoorProcess) -> None:
    assert door.run("facts", start_new_session=True).out.splitlines()[3] == ""
    assert len({_facts_on_a_terminal(door)[3] for _ in range(2)}) == 2
    facts = _facts_on_a_terminal(door)
    assert facts[2] == "111"
    assert facts[3].count(":") == 1


def _facts_on_a_terminal(door: DoorProcess) -> list[str]:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(script(), [script(), "try", "facts"], door.environment)
    told = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break  # Linux reports the end of a terminal so
        told += piece
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0
    return told.decode().splitlines()
