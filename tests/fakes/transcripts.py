"""Transcripts of the command line: commands as typed, and exactly what they answered.

    # a remark
    $ understudy session statu
    ! understudy: "statu" is no command of "understudy session"
    ! hint: <*>
    [2]

``| `` is a line of stdout, ``! `` one of stderr, ``[N]`` the exit code, 0 without it.
``<*>`` stands for any text within a line. Output that is not there must not come.
A command goes on in the next line after a backslash, as in a shell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ANY = "<*>"
SHOWN_ANY = "…"


@dataclass
class Step:
    """One command and what is expected of it."""

    command: str
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    exit: int = 0


def read_transcript(path: Path) -> list[Step]:
    """Return the steps of a transcript; ValueError for a line that is none."""
    steps: list[Step] = []
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif steps[-1:] and steps[-1].command.endswith("\\"):
            steps[-1].command += f"\n{line}"
        else:
            _expect(steps[-1], line)
    return steps


def _expect(step: Step, line: str) -> None:
    if line[:2] in ("| ", "! ") or line in ("|", "!"):
        (step.out if line[0] == "|" else step.err).append(line[2:])
    elif found := re.fullmatch(r"\[([0-9]+)\]", line):
        step.exit = int(found[1])
    else:
        raise ValueError(f"no line of a transcript: {line!r}")


def show_steps(steps: list[Step]) -> list[str]:
    """Return the lines that a reader is shown: what stood on the terminal, then the exit code."""
    shown = []
    for step in steps:
        answer = [line.replace(ANY, SHOWN_ANY) for line in (*step.out, *step.err)]
        code = [f"[{step.exit}]"] if step.exit else []
        shown += [*f"$ {step.command}".split("\n"), *answer, *code]
    return shown


def check_step(step: Step, out: str, err: str, exit_code: int) -> list[str]:
    """Return what differs from the transcript."""
    differing = [] if exit_code == step.exit else [f"exit {exit_code}, not {step.exit}"]
    for name, wanted, got in (("stdout", step.out, out), ("stderr", step.err, err)):
        lines = got.splitlines()
        pairs = zip(wanted, lines, strict=False)
        if len(lines) != len(wanted) or not all(_matches(*pair) for pair in pairs):
            differing.append(f"{name}:\n{got}")
    return differing


def _matches(wanted: str, line: str) -> bool:
    parts = [re.escape(part) for part in wanted.split(ANY)]
    return re.fullmatch(".*".join(parts), line) is not None
