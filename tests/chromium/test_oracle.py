"""The oracle sees what a browser does, although the browser is driven by a pipe."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.fakes import oracle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium


@pytest.fixture
def profile(watched_browser: Path, tmp_path: Path) -> Iterator[Path]:
    """A browser run with a pipe that we keep open and never use."""
    profile = tmp_path / "profiles" / "one"
    commands, replies = os.pipe(), os.pipe()
    flags = ["--headless", "--no-sandbox", "--no-first-run", "--remote-debugging-pipe"]
    place = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
    argv = ["bash", "-c", place, "place", str(commands[0]), str(replies[1]), str(watched_browser)]
    process = subprocess.Popen(
        [*argv, *flags, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(commands[0], replies[1]),
        stderr=subprocess.DEVNULL,
    )
    yield profile
    for end in (*commands, *replies):
        os.close(end)
    assert process.wait(10) == 0  # losing the pipe ends the browser


def test_evaluate_text_targets_and_crash(profile: Path, pages: PageServer) -> None:
    with oracle.connect(profile.parent) as watching:
        page = watching.page("about:blank")
        watching.call("Page.navigate", session=watching.attach(page), url=pages.url("P04"))
        watching.wait_for("document.readyState + document.title", "completeP04")
        assert watching.text() == "0"
        assert watching.evaluate("Promise.resolve({a: [1, 'é']})") == {"a": [1, "é"]}
        x, y = watching.center("#b")
        assert watching.evaluate(f"document.elementFromPoint({x}, {y}).id") == "b"
        assert len(watching.evaluate("'x'.repeat(1 << 20)")) == 1 << 20
        with pytest.raises(oracle.OracleError, match="nothing"):
            watching.evaluate("nothing.at.all")
        watching.crash()
        with pytest.raises(oracle.OracleError, match="in time"):
            watching.call(
                "Runtime.evaluate", session=watching.attach(page), timeout_s=0.5, expression="1"
            )
        assert len(watching.targets()) == 1
