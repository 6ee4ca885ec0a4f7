"""Our roles and names against Chromium's accessibility tree, node by node.

Where the two differ on purpose, a rule below says why. A rule that no page needs is
an error, as is a difference that no rule explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.driven import drive
from tests.fakes.walked import ax_nodes, snapshot_of, walk, walked_numbers
from understudy_cli.demo.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from protocol.snapshots import Node
    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer
    from tests.fakes.walked import AxNode

pytestmark = pytest.mark.chromium

CORPUS = Path(__file__).parents[1] / "vectors" / "corpus"
DEMO_PAGES = ("index.html", "new.html", "order.html")

OUR_WORDS = {
    "Audio": "audio",
    "Canvas": "canvas",
    "ColorWell": "button",
    "Date": "textbox",
    "DateTime": "textbox",
    "Details": "group",
    "DisclosureTriangle": "button",
    "Iframe": "frame",
    "InputTime": "textbox",
    "SvgRoot": "img",
    "Video": "video",
    "image": "img",
}
"""Chromium's own role words -> ours."""

ROLES = """
alert alertdialog article audio banner button canvas cell checkbox columnheader combobox
complementary contentinfo dialog feed figure form frame grid gridcell group heading img link
list listbox listitem log main marquee menu menubar menuitem menuitemcheckbox menuitemradio
meter navigation option progressbar radio radiogroup region row rowheader scrollbar search
searchbox slider spinbutton status switch tab table tablist tabpanel textbox timer toolbar
tooltip tree treegrid treeitem video
"""
KEPT = frozenset(ROLES.split())
CELLS = frozenset({"row", "cell", "gridcell", "columnheader", "rowheader"})


@dataclass(frozen=True)
class Difference:
    """One element that the two trees do not agree on; None where a tree leaves it out."""

    ours: Node | None
    theirs: AxNode | None

    def __str__(self) -> str:
        ours = self.ours and (self.ours.role, self.ours.name, dict(self.ours.states))
        return f"ours {ours}, Chromium's {self.theirs}"


@dataclass(frozen=True)
class Rule:
    """A difference that is meant, and why."""

    why: str
    explains: Callable[[Node | None, AxNode | None], bool]


def only_ours(test: Callable[[Node], bool]) -> Callable[[Node | None, AxNode | None], bool]:
    return lambda ours, theirs: ours is not None and theirs is None and test(ours)


def only_theirs(test: Callable[[AxNode], bool]) -> Callable[[Node | None, AxNode | None], bool]:
    return lambda ours, theirs: ours is None and theirs is not None and test(theirs)


def both(test: Callable[[Node, AxNode], bool]) -> Callable[[Node | None, AxNode | None], bool]:
    return lambda ours, theirs: ours is not None and theirs is not None and test(ours, theirs)


RULES = [
    Rule(
        "an element without a role that can be clicked is a clickable for us",
        lambda ours, theirs: (
            ours is not None
            and ours.role == "clickable"
            and (theirs is None or theirs.role == "generic")
        ),
    ),
    Rule(
        "a role is what its author says, outside the context that ARIA wants for it too",
        both(lambda ours, theirs: ours.role == "option" and theirs.role == "generic"),
    ),
    Rule(
        "an editable region without a role is a textbox for us: that is how it is used",
        both(lambda ours, theirs: ours.role == "textbox" and theirs.role == "generic"),
    ),
    Rule(
        "a check box, radio or file field that a style hides is what its label or button works",
        only_ours(lambda ours: ours.states.get("hidden") is True),
    ),
    Rule(
        "structure without a name and without anything of its own to say is left out",
        only_theirs(
            lambda theirs: (
                word(theirs) in {"form", "group", "img", "list", "listitem", "figure", "status"}
                and not theirs.name
            )
        ),
    ),
    Rule(
        "the options of a drop-down are a state of it: they are chosen by value, not clicked",
        only_theirs(lambda theirs: theirs.role == "option"),
    ),
    Rule(
        "what a name already covers is not said again",
        only_theirs(lambda theirs: word(theirs) in {"heading", "img"} and theirs.name != ""),
    ),
    Rule(
        "a cell or row is named by its content only where it can be acted on",
        both(
            lambda ours, theirs: ours.role in CELLS and ours.role == theirs.role and not ours.name
        ),
    ),
    Rule(
        "a name has the letters of the document, not those of text-transform",
        both(
            lambda ours, theirs: (
                ours.role == word(theirs) and ours.name.upper() == theirs.name != ours.name
            )
        ),
    ),
    Rule(
        "a figure is named by its caption, as HTML-AAM has it",
        both(lambda ours, theirs: ours.role == theirs.role == "figure" and not theirs.name),
    ),
    Rule(
        "media keep their author's name when they cannot be played",
        both(lambda ours, theirs: ours.role == "video" and "play" in theirs.name),
    ),
]


def word(node: AxNode) -> str:
    return OUR_WORDS.get(node.role, node.role)


async def test_corpus(tmp_path: Path, pages: PageServer) -> None:
    used: set[str] = set()
    unexplained: list[str] = []
    compared = 0
    async with drive(tmp_path) as driven:
        for file in sorted(CORPUS.glob("*.html")):
            await driven.open(pages.add(f"/corpus/{file.stem}", file.read_text("utf-8")))
            found = await differences(driven)
            compared += found.compared
            explain(file.stem, found.differences, used, unexplained)
    assert not unexplained, "\n".join(unexplained)
    assert {rule.why for rule in RULES} == used
    assert compared > 200


async def test_demo_site(tmp_path: Path) -> None:
    unexplained: list[str] = []
    compared = 0
    async with drive(tmp_path) as driven:
        with Site() as site:
            for page in DEMO_PAGES:
                await driven.open(site.url + page)
                found = await differences(driven)
                compared += found.compared
                explain(page, found.differences, set(), unexplained)
    assert not unexplained, "\n".join(unexplained)
    assert compared > 40


def explain(page: str, found: list[Difference], used: set[str], unexplained: list[str]) -> None:
    for each in found:
        why = next((rule.why for rule in RULES if rule.explains(each.ours, each.theirs)), None)
        if why is None:
            unexplained.append(f"{page}: {each}")
        else:
            used.add(why)


@dataclass(frozen=True)
class Comparison:
    compared: int
    differences: list[Difference]


async def differences(driven: Driven) -> Comparison:
    """Compare the two trees of the page that is open."""
    snapshot = snapshot_of(await walk(driven.page))
    theirs = await ax_nodes(driven.page)
    by_local = {node.key[1]: node for node in snapshot.nodes if node.key is not None}
    ours = {
        backend_id: by_local[number]
        for backend_id, number in (await walked_numbers(driven.page)).items()
    }
    assert len(ours) == len(by_local)
    return Comparison(len(ours.keys() & theirs.keys()), list(disagreements(ours, theirs)))


def disagreements(ours: dict[int, Node], theirs: dict[int, AxNode]) -> Iterator[Difference]:
    for backend_id in ours.keys() | theirs.keys():
        our, their = ours.get(backend_id), theirs.get(backend_id)
        if our is None and their is not None and word(their) not in KEPT:
            continue
        if our is None or their is None or not agree(our, their):
            yield Difference(our, their)


def agree(ours: Node, theirs: AxNode) -> bool:
    return ours.role == word(theirs) and ours.name.split() == theirs.name.split()
