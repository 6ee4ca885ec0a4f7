"""The command line as its users see it: the transcripts in tests/scripts, on the real thing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.fakes.installation import script
from tests.fakes.transcripts import Step, check_step, read_transcript

SCRIPTS = Path(__file__).parents[1] / "scripts"
VECTORS = Path(__file__).parents[1] / "vectors" / "receipt-v2.json"
TRANSCRIPTS = sorted(SCRIPTS.glob("*.txt"))


def lay_out(directory, names):
    for case in json.loads(VECTORS.read_text())["cases"]:
        if case["name"] in names:
            (directory / names[case["name"]]).write_text(json.dumps(case["receipt"]))


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_command_line_answers_as_in_the_transcript(transcript, installation):
    if transcript.stem == "receipts":
        bad = "transcript changed, only the id re-sealed"
        lay_out(installation.cwd, {"good": "good.json", bad: "bad.json"})
    steps = read_transcript(transcript)
    path = f"{Path(script()).parent}:{installation.environment['PATH']}"
    for step in steps:
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=installation.cwd,
            env={**installation.environment, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert check_step(step, out, err, done.returncode) == [], step.command
    assert steps


def test_a_transcript_that_differs_is_found():
    step = Step("x", out=["a <*> c", ""], err=[], exit=2)
    assert check_step(step, "a b c\n\n", "", 2) == []
    assert check_step(step, "a b c\n", "", 2) != []
    assert check_step(step, "a b d\n\n", "", 2) != []
    assert check_step(step, "a b c\n\nmore\n", "", 2) != []
    assert check_step(step, "a b c\n\n", "oh\n", 2) != []
    assert check_step(step, "a b c\n\n", "", 0) != []


def test_a_line_that_is_none_is_refused(tmp_path):
    (tmp_path / "t").write_text("$ x\noutput without a mark\n")
    with pytest.raises(ValueError, match="no line of a transcript"):
        read_transcript(tmp_path / "t")
