"""README shows the recorded tour as it was recorded: no line more, none less, none otherwise."""

from __future__ import annotations

import re
from pathlib import Path

from tests.fakes.transcripts import Step, read_transcript, show_steps

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "tests" / "scripts" / "recorded" / "everyday.txt"
TOUR = re.compile(r"^## Everyday use\n(.*?)^## ", re.MULTILINE | re.DOTALL)


def test_readme_shows_the_recording() -> None:
    [tour] = TOUR.findall((ROOT / "README.md").read_text("utf-8"))
    blocks = [line[4:] for line in tour.splitlines() if line.startswith("    ")]
    start = next(at for at, line in enumerate(blocks) if line.startswith("$ "))
    recorded = show_steps(read_transcript(RECORDING))
    assert blocks[start:] == recorded
    assert len(recorded) > 50


def test_what_is_shown_is_what_stood_on_the_terminal() -> None:
    steps = [Step("a \\\n    b", out=["id <*>", ""], err=["oh"], exit=4), Step("c")]
    assert show_steps(steps) == ["$ a \\", "    b", "id …", "", "oh", "[4]", "$ c"]
