"""One whole evidence session on the sample site, by the command line only.

    python -m understudy_cli.demo.run [DIRECTORY]

Starts the site, shows each command and its answer, and leaves receipt, frames
and state in the directory (default ``demo-output``). It has an installation of
its own there, so that it meets no session of yours, and takes it away again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from understudy_cli.demo.layout import DESK, TICKET, VIEWPORT
from understudy_cli.demo.site import Site

if TYPE_CHECKING:
    from understudy_cli.demo.layout import Point

JOB = "Ticket T-1042, broken pots: assign it to Mina, ask the customer for a photo, thank her.\n"
THANKS = "\nThank you, and sorry for the trouble.\n— Mina"
CLAIMS = {"assignee": "Mina Okafor", "replied": True, "ticket": "T-1042"}
STATE = "installation"
LEFT = ("job.txt", "claims.json", "state.json", "receipt.json", "pictures", "frames", STATE)
COMMAND_TIMEOUT_S = 60


class Failed(Exception):
    """A step of the demo did not do what it should."""


@dataclass
class Shell:
    """Runs ``understudy`` in a directory and shows it, as a person would see it."""

    directory: Path
    session: str = ""
    """What UNDERSTUDY_SESSION holds, once it is set."""

    def run(self, *argv: str) -> str:
        """Show a command, run it, show and return what it printed; it must succeed."""
        say(f"$ {shlex.join(['understudy', *argv])}")
        finished = self._finish(argv)
        say((finished.stdout + finished.stderr).rstrip() or "(nothing to say)")
        if finished.returncode != 0:
            raise Failed(f"exit code {finished.returncode}")
        return finished.stdout.strip()

    def name_session(self, proof_id: str) -> None:
        """Show and set the variable that names the session to each further command."""
        say(f"$ export UNDERSTUDY_SESSION={proof_id}")
        self.session = proof_id

    def stop(self) -> None:
        """End this installation's daemon and take the installation away."""
        if (self.directory / STATE).exists():
            self._finish(("daemon", "stop"))
            shutil.rmtree(self.directory / STATE)

    def _finish(self, argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        command = Path(sysconfig.get_path("scripts")) / "understudy"
        hidden = ("UNDERSTUDY_SESSION", "UNDERSTUDY_OUTPUT", "UNDERSTUDY_CLIENT_TOKEN_FILE")
        variables = {name: value for name, value in os.environ.items() if name not in hidden}
        if self.session:
            variables["UNDERSTUDY_SESSION"] = self.session
        variables["UNDERSTUDY_HOME"] = str(self.directory / STATE)
        return subprocess.run(  # noqa: S603 - our own command, and arguments from this file
            [command, *argv],
            cwd=self.directory,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )


def say(text: str = "") -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def click(point: Point) -> dict[str, object]:
    """Return a click on a control of the site."""
    return {"type": "click", "x": point.x, "y": point.y}


STEPS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("Open the first ticket", "1-ticket", click(DESK["first ticket"])),
    ("Go to the list of assignees", "2-assignee", click(TICKET["assignee label"])),
    ("Choose the one with M", "3-mina", {"type": "key", "key": "m"}),
    ("Take the canned reply that asks for a photo", "4-canned", click(TICKET["photo template"])),
    ("Add a word of thanks", "5-thanks", {"type": "type", "text": THANKS}),
    ("Send it", "6-sent", click(TICKET["send"])),
)
"""What is said, the frame's name, and the action."""


def prepare(directory: Path) -> None:
    """Make the directory and take away what an earlier demo left in it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    Shell(directory).stop()  # of a demo that was killed
    for name in LEFT:
        left = directory / name
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)
    for name in ("pictures", "frames"):
        (directory / name).mkdir(mode=0o700)
    (directory / "job.txt").write_text(JOB, "utf-8")
    (directory / "claims.json").write_text(json.dumps(CLAIMS), "utf-8")


def act(shell: Shell, url: str) -> None:
    """Begin a session and do the steps, one sequence number each."""
    say("\nBegin: a browser of its own, fenced to the site's origin")
    job = ("--job-file", "job.txt", "--url", url, "--viewport", VIEWPORT)
    first = ("--frame", "pictures/0-begin.png")
    shell.name_session(shell.run("session", "begin", *job, *first, "--get", "proofId"))
    say("\n(For each action: ok, its effect was seen; injected, the input went out, and whether it")
    say("had its effect is for the picture to show; failed ends the session.)")
    for sequence, (said, name, action) in enumerate(STEPS):
        say(f"\n{said}")
        batch = ("--sequence", str(sequence), "--actions", compact([action]))
        frame = ("--frame", f"pictures/{name}.png")
        shell.run("session", "actions", *batch, *frame, "--get", "understudy.actions.0.status")


def compact(value: object) -> str:
    """Return JSON as a person would write it on a command line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def conclude(shell: Shell) -> None:
    """Freeze, observe, finish, close, and verify the receipt offline."""
    sequence = len(STEPS)
    say("\nFreeze: no input can reach the page any more")
    shell.run("session", "freeze", "--sequence", str(sequence), "--get", "phase")
    say("\nObserve: one last look, with the page's state beside it")
    seen = ("--state", "state.json", "--frame", "pictures/7-observation.png")
    look = ("--sequence", str(sequence + 1), *seen, "--get", "frame.sha256")
    digest = shell.run("session", "observe", *look)
    say("\nFinish: claim what was done, and get the receipt")
    claims = ("--observation", digest, "--claims", "@claims.json", "--receipt", "receipt.json")
    shell.run("session", "finish", "--sequence", str(sequence + 2), *claims)
    say("\nClose: the browser ends")
    shell.run("session", "close", "--sequence", str(sequence + 3))
    keep_frames(shell.directory)
    say("\nVerify the receipt, offline")
    shell.run("receipt", "verify", "receipt.json", "--frames", "frames", "--allow-unsigned")
    say("\nRead it")
    shell.run("receipt", "show", "receipt.json")


def keep_frames(directory: Path) -> None:
    """Copy each picture to ``frames/<sha256>.png``, where ``receipt verify`` looks for it."""
    for picture in sorted((directory / "pictures").iterdir()):
        digest = hashlib.sha256(picture.read_bytes()).hexdigest()
        shutil.copy2(picture, directory / "frames" / f"{digest}.png")


def compare(site: Site) -> None:
    """Compare what the site received with what the session says it did."""
    received = site.desk.log()
    kinds = [entry["kind"] for entry in received]
    if kinds != ["change", "reply"] or not received[1]["text"].endswith(THANKS):
        raise Failed(f"the site received {kinds}, not one change and one whole reply")
    say(f"\nThe site itself received: assignee {received[0]['assignee']}, and one reply.")


def report(directory: Path, took_s: float) -> None:
    """Say what lies where."""
    say(f"\nDone in {took_s:.1f} s. In {directory}:")
    say("  receipt.json  the receipt: what was done, in a form that others can check")
    say("  pictures/     what the page showed after each step (PNG, for your eyes only)")
    say("  frames/       the same, named by their digests, as the receipt names them")
    say("  state.json    the page's state at the observation")
    say("  job.txt, claims.json   what was asked for, and what was claimed")


def run(directory: Path) -> None:
    """Do the whole demo in a directory."""
    began = time.monotonic()
    prepare(directory)
    shell = Shell(directory)
    try:
        with Site() as site:
            say(f"Understudy's demo: a help desk at {site.url}, and one evidence session on it.")
            act(shell, site.url)
            conclude(shell)
            compare(site)
    finally:
        shell.stop()
    report(directory, time.monotonic() - began)


def main() -> int:
    """Run the demo; the exit code is 1 when a step failed."""
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
    try:
        run(directory.resolve())
    except Failed as failed:
        say(f"\nThe demo failed: {failed}.")
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted; the demo's browser and daemon are gone.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
