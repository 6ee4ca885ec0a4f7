"""The demo does a whole session by the command line, and leaves nothing but its output."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.installation import script

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.chromium

ROOT = Path(__file__).parents[2]
LEFT = {"job.txt", "claims.json", "state.json", "receipt.json", "pictures", "frames"}


def run_demo(output: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "understudy_cli.demo.run", output],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def processes_of(directory: Path) -> list[str]:
    lines = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            line = (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or is not ours
        if str(directory).encode() in line:
            lines.append(line[:200].decode("utf-8", "replace"))
    return lines


def test_demo_leaves_a_receipt_that_verifies_and_nothing_else(tmp_path: Path) -> None:
    output = tmp_path / "a place with é" / "output"
    home = tmp_path / "home"
    home.mkdir()
    for _ in range(2):  # a second run replaces the first one's output
        finished = run_demo(output, {"HOME": str(home), "UNDERSTUDY_OUTPUT": "json"})
        assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "assignee Mina Okafor, and one reply" in finished.stdout
    assert {path.name for path in output.iterdir()} == LEFT
    frames = list((output / "frames").iterdir())
    assert len(frames) >= 6
    for private in [*frames, *(output / "pictures").iterdir(), output / "receipt.json"]:
        assert stat.S_IMODE(private.stat().st_mode) == 0o600, private
    receipt = json.loads((output / "receipt.json").read_text("utf-8"))
    assert receipt["actionCount"] == receipt["inputEventCount"] == 6
    assert "sorry for the trouble" not in json.dumps(receipt)
    assert processes_of(output) == []
    verify = ["receipt", "verify", "receipt.json", "--frames", "frames", "--allow-unsigned"]
    verified = subprocess.run(
        [script(), *verify], cwd=output, capture_output=True, timeout=30, check=False
    )
    assert verified.returncode == 0, verified


def test_demo_says_what_failed_and_cleans_up(tmp_path: Path) -> None:
    output = tmp_path / "output"
    finished = run_demo(output, {"UNDERSTUDY_BROWSER": "/bin/false"})
    assert finished.returncode == 1
    assert "The demo failed: exit code 8" in finished.stdout
    assert not (output / "installation").exists()
    assert processes_of(output) == []
