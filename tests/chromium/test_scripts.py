"""Whole sessions from scripts: by raw requests, by one pipe, and by JSON-RPC from Perl."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.installation import script

pytestmark = pytest.mark.chromium

SCRIPTS = Path(__file__).parents[1] / "scripts"
RECEIPT_ID = re.compile(r"ecup-receipt:[0-9a-f]{64}")


def run_script(name, interpreter, installation, url):
    path = f"{Path(script()).parent}:{installation.environment['PATH']}"
    return subprocess.run(
        [interpreter, SCRIPTS / name],
        cwd=installation.cwd,
        env={**installation.environment, "PATH": path, "URL": url},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "interpreter", "said"),
    [
        ("session_by_request.sh", "bash", ["true", "true"]),
        ("session_by_pipe.sh", "bash", ["true"]),
        ("session_by_rpc.pl", "perl", ["true"]),
    ],
)
def test_a_script_does_a_whole_session(name, interpreter, said, installation, pages):
    if shutil.which(interpreter) is None:
        pytest.skip(f"{interpreter} is not installed")
    assert installation.run("daemon", "start").exit == 0
    done = run_script(name, interpreter, installation, pages.url("O01"))
    assert (done.returncode, done.stderr) == (0, "")
    receipt_id, *rest = done.stdout.split()
    assert RECEIPT_ID.fullmatch(receipt_id)
    assert rest == said
    sessions = installation.run("session", "list", "--json").json["sessions"]
    assert [one["phase"] for one in sessions] == ["closed"]
    assert sessions[0]["receiptId"] == receipt_id


def test_run_leaves_everything_that_its_receipt_names(installation, pages):
    (installation.cwd / "job").write_text("type it")
    (installation.cwd / "actions.json").write_text(
        '[{"type":"click","x":60,"y":20},{"type":"type","text":"--help"}]'
    )
    argv = ["--job-file", "job", "--url", pages.url("O01"), "--actions", "@actions.json"]
    done = installation.run("session", "run", *argv, "--out", "a/b", "--json")
    assert done.exit == 0, done
    assert [one["status"] for one in done.json["actions"]] == ["injected", "ok"]
    verified = installation.run(
        "receipt", "verify", "a/b/receipt.json", "--frames", "a/b/frames", "--allow-unsigned"
    )
    assert (verified.exit, verified.err) == (0, "")
    assert "3 of 3 match" in verified.out
    modes = {path.stat().st_mode & 0o777 for path in (installation.cwd / "a").rglob("*.*")}
    assert modes == {0o600}
    assert "--help" not in (installation.cwd / "a/b/receipt.json").read_text()


def test_run_says_that_a_refused_page_left_nothing(installation, pages):
    argv = [
        "--job",
        "d" * 64,
        "--url",
        "http://127.0.0.1:9/",
        "--actions",
        '[{"type":"screenshot"}]',
    ]
    done = installation.run("session", "run", *argv, "--receipt", "r.json", "--json")
    assert done.exit != 0
    assert done.json["ok"] is False
    assert list(installation.cwd.iterdir()) == []
