"""Manual pages and completions, from the command tree and the code's own tables.

``python -m tests.tools.generate_docs`` writes them; a test compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.tools.reference import TABLES, noun_page
from tests.tools.roff import write_page
from understudy_cli.completions import write_completion
from understudy_cli.outline import outline
from understudy_cli.version import VERSION

ROOT = Path(__file__).parents[2]
PAGES = Path(__file__).parent / "pages"
DATE = "2026-11-30"
"""The date on the pages; it moves with the version."""
SCRIPTS = {"bash": "understudy.bash", "zsh": "_understudy", "fish": "understudy.fish"}


def documents() -> dict[str, str]:
    """Return every generated file: path from the root of the repository, content."""
    pages = {name: noun_page(noun) for noun in outline().commands if (name := _page(noun.name))}
    pages |= {file.stem: _filled(file.read_text("utf-8")) for file in sorted(PAGES.glob("*.txt"))}
    manual = {_place(name): _write(name, markup) for name, markup in pages.items()}
    scripts = {f"completions/{file}": write_completion(shell) for shell, file in SCRIPTS.items()}
    return manual | scripts


def main() -> int:
    """Write every document, and remove pages of nouns that are no more."""
    wanted = documents()
    for path, content in wanted.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(content, "utf-8")
    for path in stray_documents(wanted):
        path.unlink()
    sys.stdout.write(f"{len(wanted)} documents written\n")
    return 0


def stray_documents(wanted: dict[str, str]) -> list[Path]:
    """Return generated files that nothing generates any more."""
    there = [*ROOT.glob("man/man*/*"), *ROOT.glob("completions/*")]
    return [path for path in there if str(path.relative_to(ROOT)) not in wanted]


def _page(noun: str) -> str:
    return f"understudy-{noun}.1"


def _place(name: str) -> str:
    return f"man/man{name[-1]}/{name}"


def _write(name: str, markup: str) -> str:
    title, _, section = name.rpartition(".")
    return write_page(title, int(section), markup, date=DATE, source=f"understudy {VERSION}")


def _filled(text: str) -> str:
    lines = (TABLES[line]() if line.startswith("@") else line for line in text.split("\n"))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
