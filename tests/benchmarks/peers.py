"""Other tools that drive a browser, measured beside ours where they are installed.

They are found in the directory that UNDERSTUDY_PEERS names. Each runs with a HOME of its
own, on the same browser and with the flags that a machine like this needs.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tests.fakes.oracle import real_browser

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "UNDERSTUDY_PEERS"
PACKAGES = ("agent-browser@0.41.2", "playwright-core@1.65.1")
HOW = (
    f"Other tools are not compared: {VARIABLE} names no directory that holds them. To install"
    f" them: npm install --prefix DIR {' '.join(PACKAGES)}"
)
FLAGS = "--no-sandbox,--disable-gpu,--no-first-run,--disable-background-networking"
_PLAYWRIGHT = Path(__file__).with_name("playwright.mjs")
_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def find_peers() -> Path | None:
    """Return the directory that holds both tools, None where there is none."""
    root = Path(os.environ.get(VARIABLE) or "/nonexistent").absolute()
    packages = [root / "node_modules" / each.partition("@")[0] for each in PACKAGES]
    return root if all(map(Path.is_dir, packages)) and shutil.which("node") else None


class AgentBrowser:
    """agent-browser with one page: its own binary, without the node program around it."""

    def __init__(self, peers: Path, home: Path) -> None:
        home.mkdir()
        machine = _MACHINES[platform.machine()]
        package = peers / "node_modules/agent-browser/bin"
        # npm may leave the binary without the right to be run
        binary = shutil.copy(package / f"agent-browser-linux-{machine}", home / "agent-browser")
        Path(binary).chmod(0o700)
        self._home = home
        self._argv = [str(binary)]
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "AGENT_BROWSER_EXECUTABLE_PATH": real_browser(),
            "AGENT_BROWSER_ARGS": FLAGS,
            "AGENT_BROWSER_NO_VERSION_CHECK": "1",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.run("close", "--all")

    def run(self, *argv: str, stdin: str = "") -> str:
        """Run one command and return what it wrote; it must succeed."""
        return subprocess.run(
            [*self._argv, *argv],
            env=self._environment,
            cwd=self._home,
            input=stdin,
            stdout=subprocess.PIPE,
            text=True,
            timeout=120,
            check=True,
        ).stdout

    def open(self, url: str) -> None:
        """Load a page in a viewport like ours."""
        self.run("open", url)
        self.run("set", "viewport", "1280", "720")

    def ref(self, name: str) -> str:
        """Return its ref for the element with a name."""
        refs = json.loads(self.run("snapshot", "-i", "--json"))["data"]["refs"]
        (ref,) = (ref for ref, node in refs.items() if node["name"] == name)
        return f"@{ref}"

    def batch(self, commands: Sequence[Sequence[str]]) -> None:
        """Run commands in one process; each must succeed."""
        replies = json.loads(self.run("batch", "--json", "--bail", stdin=json.dumps(commands)))
        assert [reply["success"] for reply in replies] == [True] * len(commands), replies

    def text(self, selector: str) -> str:
        """Return an element's text."""
        return self.run("get", "text", selector).strip()


class Playwright:
    """Playwright's library with one page, in a node process that times itself."""

    def __init__(self, peers: Path, url: str) -> None:
        self._process = subprocess.Popen(
            ["node", str(_PLAYWRIGHT), str(peers), real_browser(), url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._answer() == "ready"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)

    def click(self, selector: str, count: int) -> float:
        """Click so often; return how long it took in milliseconds."""
        return float(self._ask("click", selector, count))

    def text(self, selector: str) -> str:
        """Return an element's text."""
        return str(self._ask("text", selector))

    def _ask(self, *order: object) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"playwright ended with {self._process.wait()}")
        return json.loads(line)
