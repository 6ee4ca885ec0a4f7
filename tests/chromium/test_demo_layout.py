"""The sample site lies where its table says, and does what its labels say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.bare_browser import open_browser
from understudy_cli.demo import layout
from understudy_cli.demo.site import PAGES, Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.fakes.oracle import Oracle
    from understudy_cli.demo.layout import Point

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        yield served


def go(browser: Oracle, url: str, title: str) -> None:
    session = browser.attach(browser.page())
    browser.call("Page.navigate", session=session, url="about:blank")
    browser.call("Page.navigate", session=session, url=url)
    browser.wait_for("document.readyState + document.title", "complete" + title)


def open_ticket(browser: Oracle, site: Site) -> None:
    go(browser, site.url, "Fernhill Help Desk")
    browser.wait_for("document.body.dataset.ready", "true")
    click(browser, layout.DESK["first ticket"])
    browser.wait_for("document.title", "Pots arrived broken - Fernhill Help Desk")


def click(browser: Oracle, point: Point) -> None:
    session = browser.attach(browser.page())
    mouse = {"x": point.x, "y": point.y, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", session=session, type=kind, **mouse)


def press(browser: Oracle, key: str) -> None:
    session = browser.attach(browser.page())
    browser.call("Input.dispatchKeyEvent", session=session, type="keyDown", key=key, text=key)
    browser.call("Input.dispatchKeyEvent", session=session, type="keyUp", key=key)


def accessible(browser: Oracle, selector: str) -> dict[str, Any]:
    session = browser.attach(browser.page())
    root = browser.call("DOM.getDocument", session=session, depth=0)["root"]["nodeId"]
    found = browser.call("DOM.querySelector", session=session, nodeId=root, selector=selector)
    tree = browser.call(
        "Accessibility.getPartialAXTree",
        session=session,
        nodeId=found["nodeId"],
        fetchRelatives=False,
    )
    return dict(tree["nodes"][0])


def check_table(browser: Oracle, table: Mapping[str, Point]) -> None:
    for point in table.values():
        matches = f"document.querySelectorAll({point.selector!r}).length"
        assert browser.evaluate(matches) == 1, point
        x, y = browser.center(point.selector)
        assert abs(x - point.x) <= 1, (x, point)
        assert abs(y - point.y) <= 1, (y, point)
        hit = (
            f"document.elementFromPoint({point.x}, {point.y}).closest({point.selector!r}) !== null"
        )
        assert browser.evaluate(hit) is True, point
        if point.role != "label":
            node = accessible(browser, point.selector)
            assert node["role"]["value"] == point.role, point
            assert node["name"]["value"].startswith(point.name), point


def test_desk(browser: Oracle, site: Site) -> None:
    go(browser, site.url, "Fernhill Help Desk")
    browser.wait_for("document.body.dataset.ready", "true")
    check_table(browser, layout.DESK)


def test_ticket(browser: Oracle, site: Site) -> None:
    open_ticket(browser, site)
    check_table(browser, layout.TICKET)


def test_new_ticket(browser: Oracle, site: Site) -> None:
    go(browser, site.url + "new.html", "New ticket - Fernhill Help Desk")
    check_table(browser, layout.NEW)


def test_label_and_key_assign_and_a_template_is_sent_once(browser: Oracle, site: Site) -> None:
    open_ticket(browser, site)
    click(browser, layout.TICKET["assignee label"])
    press(browser, "m")
    browser.wait_for("said.textContent", "Assigned to Mina Okafor.")
    click(browser, layout.TICKET["photo template"])
    click(browser, layout.TICKET["send"])
    browser.wait_for("said.textContent", "Reply sent to Ines Castellano.")
    changed, replied = site.desk.log()
    assert changed == {"kind": "change", "ticket": "T-1042", "assignee": "Mina Okafor"}
    assert replied["kind"] == "reply"
    assert replied["text"].startswith("Dear Ines,\n\nCould you send us a photo")


def test_search_narrows_the_list(browser: Oracle, site: Site) -> None:
    open_ticket(browser, site)
    click(browser, layout.DESK["search"])
    press(browser, "b")
    press(browser, "u")
    press(browser, "l")
    assert browser.text("tickets").count("T-") == 1


def test_form_makes_a_ticket_and_shows_it(browser: Oracle, site: Site) -> None:
    go(browser, site.url + "new.html", "New ticket - Fernhill Help Desk")
    session = browser.attach(browser.page())
    texts = {"customer": "Zoë", "email": "zoe@example.org", "subject": "Snails", "message": "Many."}
    for name, text in texts.items():
        click(browser, layout.NEW[name])
        browser.call("Input.insertText", session=session, text=text)
    click(browser, layout.NEW["urgent"])
    click(browser, layout.NEW["create"])
    browser.wait_for("document.title", "Snails - Fernhill Help Desk")
    assert site.desk.log() == [{"kind": "ticket", "ticket": "T-1043", "subject": "Snails"}]
    assert site.desk.state()["tickets"][0]["priority"] == "Urgent"


def test_nothing_is_loaded_from_elsewhere() -> None:
    texts = {file: file.read_text("utf-8") for file in PAGES.iterdir()}
    assert len(texts) >= 6
    outside = [file.name for file, text in texts.items() if "//" in _without_namespaces(text)]
    assert outside == []


def _without_namespaces(text: str) -> str:
    lines = (line.partition("// ")[0] for line in text.splitlines())
    return "\n".join(lines).replace("http://www.w3.org/2000/svg", "")
