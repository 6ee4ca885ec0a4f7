"""Commands in the client's own process: which host they see, and what they cannot lose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from understudy_cli.offline import find_width

RUN = """
import sys
from understudy_cli import offline
sys.exit(offline.run(sys.argv[1:], {"daemon.status": lambda params: {"ok": True, "daemon": {}}}))
"""


def run(*argv, **options):
    command = [sys.executable, "-c", RUN, *argv]
    settings = {"stdin": subprocess.DEVNULL, "capture_output": True, **options}
    return subprocess.run(command, timeout=60, check=False, **settings)


def test_no_event_loop_no_daemon_and_no_socket_is_imported():
    probe = "import sys; from understudy_cli import offline; offline.run(['receipt', '--help'])\n"
    probe += "print([name for name in ('trio', 'daemon', 'cdp', 'socket') if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == b"[]"


def test_local_methods_are_served_and_others_need_the_daemon():
    assert run("daemon", "status").returncode == 0
    done = run("session", "list")
    assert (done.returncode, done.stdout) == (8, b"")
    assert b"needs the daemon" in done.stderr
    for argv in (
        ["session", "pipe"],
        ["session", "freeze", "--request", '{"op":"freeze"}'],
        ["session", "status", "x", "--frame", "f"],
        ["client", "add", "n", "--token-file", "t"],
    ):
        assert run(*argv).returncode == 8, argv


def test_stdin_may_be_long_closed_or_a_directory(tmp_path):
    done = run("receipt", "verify", "-", input=b"x" * 1000, stdin=None)
    assert done.returncode == 12
    with subprocess.Popen(
        ["bash", "-c", '"$0" -c "$1" receipt verify - <&-', sys.executable, RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        _, err = process.communicate(timeout=60)
    assert (process.returncode, b"standard input cannot be read" in err) == (2, True)


def test_a_frame_is_read_from_a_plain_file_only(tmp_path):
    vectors = json.loads((Path(__file__).parents[1] / "vectors" / "receipt-v2.json").read_text())
    [receipt] = [one["receipt"] for one in vectors["cases"] if one["expect"] == "consistent"][:1]
    (tmp_path / "r").write_text(json.dumps(receipt))
    picture = tmp_path / f"{receipt['observation']['sha256']}.png"
    os.mkfifo(picture)
    # somebody holds it open and writes nothing, which is a wait without end
    holder = os.open(picture, os.O_RDWR)
    try:
        done = run("receipt", "verify", str(tmp_path / "r"), "--frames", str(tmp_path))
    finally:
        os.close(holder)
    assert done.returncode == 2
    assert b"it is no plain file" in done.stdout


def test_a_reader_that_goes_away_is_no_error():
    script = '"$0" -c "$1" session run --help | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable, RUN], capture_output=True, timeout=60, check=True
    )
    assert done.stdout in (b"141\n", b"0\n")  # 0 when all of it fitted into the pipe
    assert done.stderr == b""


@pytest.mark.parametrize("columns", ["", "0", "-1", "x", "99999", "8\u0665"])
def test_a_width_that_is_none_is_not_used(columns):
    assert find_width({"COLUMNS": columns}) == find_width({})
    assert find_width({"COLUMNS": "61"}) == 61
