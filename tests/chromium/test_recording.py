"""The recorded tour of README, in a new installation and on the real support desk.

What the desk was sent is asked of the desk, which knows how often.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.installation import script
from tests.fakes.transcripts import check_step, read_transcript
from understudy_cli.demo.site import Site

if TYPE_CHECKING:
    from tests.fakes.installation import Installation

pytestmark = pytest.mark.chromium

RECORDING = Path(__file__).parents[1] / "scripts" / "recorded" / "everyday.txt"
PORT = "8765"
"""The port that the recording names; here the desk takes one that is free."""


def test_the_recorded_tour_answers_as_it_did(installation: Installation) -> None:
    with Site() as site:
        port = str(site.server_address[1])
        for step in read_transcript(RECORDING):
            done = run(installation, step.command.replace(PORT, port))
            if step.command.startswith("kill -9"):
                installation.wait_for_the_end()
            out, err = (text.replace(port, PORT) for text in (done.stdout, done.stderr))
            assert check_step(step, out, err, done.returncode) == [], step.command
        log = site.desk.log()
    assert [(entry["kind"], entry["ticket"]) for entry in log] == [
        ("change", "T-1042"),
        ("reply", "T-1042"),
        ("reply", "T-1042"),
    ]
    assert [entry["text"] for entry in log if entry["kind"] == "reply"] == [
        "New pots leave today.",
        "Thanks!",
    ]


def run(installation: Installation, command: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(script()).parent}:{installation.environment['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=installation.cwd,
        env={**installation.environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
