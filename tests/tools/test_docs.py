"""Manual pages and completions say what the code does, and render cleanly."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shutil
import signal
import subprocess

import pytest

from tests.tools.generate_docs import ROOT, documents, stray_documents
from tests.tools.reference import METHODS
from tests.tools.roff import NAMED, write_page
from understudy_cli.exits import EXITS
from understudy_cli.outline import outline

DOCUMENTS = documents()
PAGES = sorted(path for path in DOCUMENTS if path.startswith("man/"))
COMMANDS = [command for command in outline().walk() if command.path]


@pytest.mark.parametrize("path", sorted(DOCUMENTS))
def test_a_document_is_as_generated(path):
    assert (ROOT / path).read_text("utf-8") == DOCUMENTS[path], "run: make docs"


def test_nothing_is_left_of_documents_that_are_no_more():
    assert stray_documents(DOCUMENTS) == []


def shown(page):
    """Return the words of a page, without roff."""
    text = re.sub(r"\\f[BR]|\\&", "", DOCUMENTS[page])
    text = re.sub(r"\\\[u([0-9A-F]{4,6})\]", lambda found: chr(int(found[1], 16)), text)
    for character, named in NAMED.items():
        text = text.replace(named, character)
    return text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_every_command_is_in_its_page_with_every_flag_and_example(command):
    page = shown(f"man/man1/understudy-{command.path[0]}.1")
    assert command.words in page
    for flag in command.flags:
        assert flag.name == "--help" or flag.name in page
    if len(command.path) == 2:
        for line in command.examples:
            assert line.strip() in page


def test_every_error_code_is_in_the_protocol():
    page = shown("man/man7/understudy-protocol.7")
    assert [code for code in EXITS if code not in page] == []


def test_every_method_of_the_daemon_is_in_the_protocol():
    handlers = "\n".join(file.read_text() for file in ROOT.glob("daemon/handlers/*.py"))
    served = set(re.findall(r'"((?:session|display|workspace|client|daemon)\.[a-z]+)":', handlers))
    told = {re.split(r"[ ,]", method)[0] for method in METHODS} | {"session.begin"}
    assert {"session.list", "display.create", "daemon.stop"} <= served
    assert served - told == set()


@pytest.mark.parametrize("path", PAGES)
def test_groff_renders_without_a_warning(path):
    formatter = shutil.which("groff")
    if formatter is None:
        pytest.skip("groff is not installed")
    argv = [formatter, "-ww", "-man", "-Tutf8", "-k", str(ROOT / path)]
    done = subprocess.run(argv, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"General Commands" in done.stdout or path[-1] in "57"


@pytest.mark.parametrize("path", PAGES)
def test_mandoc_finds_nothing(path):
    linter = shutil.which("mandoc")
    if linter is None:
        pytest.skip("mandoc is not installed")
    argv = [linter, "-Tlint", "-W", "warning", str(ROOT / path)]
    assert subprocess.run(argv, capture_output=True, check=False).stdout == b""


def test_roff_cannot_be_broken_by_what_is_shown():
    page = write_page("x", 1, "# A\n.B \\n 'q' é -\n\n    .so /etc/passwd", date="d", source="s")
    lines = page.splitlines()
    assert lines[3] == r"\&.B \en \(aqq\(aq \[u00E9] \-"
    assert r"\&.so /etc/passwd" in lines


BASH = """
source completions/understudy.bash
complete_line() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _understudy; echo "${COMPREPLY[*]}"
}
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ses"], "session"),
        (["session", "fr"], "freeze"),
        (["session", "run", "--rec"], "--receipt"),
        (["session", "begin", "--job-file", "pypro"], "pyproject.toml"),
        (["receipt", "verify", "pypro"], "pyproject.toml"),
        (["session", "begin", "--url", ""], ""),
        (["clic"], "click"),
        (["click", "--ro"], "--role"),
        (["click", "k7e14", "--dou"], "--double"),
        (["popup", "o"], "open"),
        (["upload", "k7e14", "pypro"], "pyproject.toml"),
    ],
)
def test_bash_completes(words, offered):
    script = BASH + "complete_line understudy " + " ".join(f"'{word}'" for word in words)
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout.decode().strip(), done.stderr) == (offered, b"")


def test_bash_offers_a_file_with_a_blank_in_its_name_as_one(tmp_path):
    (tmp_path / "job one.txt").touch()
    (tmp_path / "job two").mkdir()
    script = BASH.replace("*", "0").replace("completions/", f"'{ROOT}'/completions/")
    script += "complete_line understudy session begin --job-file 'job o'\n"
    script += "complete_line understudy session run --out 'job'"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"job one.txt\njob two\n", b"")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dae\t", ["daemon"]),
        ("session beg\t", ["session", "begin"]),
        ("session run --out job\t", ["session", "run", "--out", "job two/"]),
        ("receipt verify ord\t", ["receipt", "verify", "order one"]),
    ],
)
def test_an_interactive_bash_completes_only_files_as_files(tmp_path, line, words):
    for name in ("daemon", "begin", "job two"):
        (tmp_path / name).mkdir()
    (tmp_path / "order one").touch()
    script = f"source '{ROOT}/completions/understudy.bash'\n"
    script += "understudy() { printf '%s\\n' \"$@\" > told; exit; }\n"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {"PATH": os.environ["PATH"]})
    os.write(terminal, f"{script}understudy {line}\n".encode())
    assert wait_for_child(pid, terminal) == 0
    assert (tmp_path / "told").read_text().splitlines() == words


def wait_for_child(pid, terminal):
    """Return the exit status of a process once its terminal has ended; kill one that waits."""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal so
        while select.select([terminal], [], [], 20)[0]:
            os.read(terminal, 4096)
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    return os.waitpid(pid, 0)[1]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_can_read_theirs(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = {"zsh": "_understudy", "fish": "understudy.fish"}[shell]
    argv = [shell, "-n", str(ROOT / "completions" / script)]
    subprocess.run(argv, check=True, capture_output=True)
