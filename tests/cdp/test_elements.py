"""What is decided about acts on elements, and in which order messages leave, without a browser."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from cdp.connection import open_connection
from cdp.editing import Typing, TypingStatus
from cdp.elements.acts import Acts
from cdp.elements.clicking import Clicks, judge_landing
from cdp.elements.done import Done, Status
from cdp.elements.errors import (
    SEEN_LIMIT,
    Covered,
    ElementDisabled,
    ElementError,
    LineBreaks,
    Mismatch,
    NoMatch,
    NoOption,
    NotEditable,
    NotFit,
    NotStable,
    NotVisible,
    RefChanged,
    RefStale,
    SeveralMatch,
)
from cdp.elements.filling import done_of, judge_fill
from cdp.elements.finding import Element, Matches
from cdp.elements.looks import STATES, has_state, is_like
from cdp.elements.readiness import refuse
from cdp.elements.targets import Numbered
from cdp.elements.travelling import done_of as done_of_navigation
from cdp.page import Navigation, NavigationOutcome, Page
from cdp.page_errors import DialogHeld
from cdp.pointer import Point
from cdp.target import open_target
from tests.fakes.attendants import holding
from tests.fakes.cdp_peer import CdpPeer, Sent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TREE = {"frameTree": {"frame": {"id": "T", "loaderId": "L", "url": "about:blank"}}}
FACTS = {
    "role": "button",
    "name": "Save",
    "tag": "button",
    "origin": "x",
    "kind": "",
    "x": 5,
    "y": 6,
}
HEARD = {"heard": 1, "on": True, "pressed": True, "where": "", "successor": False}
BESIDE = {**HEARD, "on": False, "pressed": False}


class PageOfOne:
    """A page with one button, as far as our scripts ask; ``calls`` is what they asked for."""

    def __init__(self) -> None:
        self.verdict: dict[str, Any] = FACTS
        self.report: dict[str, Any] = HEARD
        self.asked: list[str] = []

    def answer(self, sent: Sent) -> dict[str, Any]:
        function = sent.params["functionDeclaration"].rpartition("(order)")[0].rpartition(".")[2]
        self.asked.append(function)
        answers = {"ready": self.verdict, "awaitLanding": self.report, "awaitSettled": None}
        value = answers[function]
        return {"result": {"value": value}}


@asynccontextmanager
async def page_of(one: PageOfOne) -> AsyncIterator[tuple[CdpPeer, Page]]:
    always: dict[str, Any] = {
        "Emulation.setFocusEmulationEnabled": {}, "Page.enable": {}, "Inspector.enable": {},
        "Page.setLifecycleEventsEnabled": {}, "Page.getFrameTree": TREE,
        "Page.createIsolatedWorld": {"executionContextId": 7},
        "Runtime.evaluate": {"result": {}}, "Runtime.callFunctionOn": one.answer,
        "Input.dispatchMouseEvent": {},
    }  # fmt: skip
    peer = CdpPeer(always=always)
    async with (
        open_connection(peer) as browser,
        open_target(browser, browser.session("S"), "T", attendant=holding()) as target,
    ):
        yield peer, Page(target, None)


def save_button(page: Page) -> Numbered:
    return Numbered(page.target.world, "k7", 14, "button", "Save")


def inputs(peer: CdpPeer) -> list[str]:
    return [sent.params["type"] for sent in peer.sent if sent.method.startswith("Input.")]


async def test_a_click_is_one_question_then_its_two_reports_and_three_messages() -> None:
    one = PageOfOne()
    async with page_of(one) as (peer, page):
        act = Acts(page).click(save_button(page))
        prepared = await act.prepare()
        assert (prepared.x, prepared.y, prepared.under.name) == (5, 6, "Save")
        assert (one.asked, inputs(peer), page.target.sent_count) == (["ready"], [], 0)
        assert await act.perform() == Done(Status.ok, settled=True)
        assert one.asked == ["ready", "awaitLanding", "awaitSettled"]
        assert inputs(peer) == ["mouseMoved", "mousePressed", "mouseReleased"]
        assert page.target.sent_count == 1
        order = json.loads(json.dumps(peer.sent[-6].params["arguments"][0]["value"]))
        assert order["was"] == ["button", "Save"]
        assert order["arm"] == {"kinds": ["click"], "count": 1}


async def test_nothing_is_sent_when_another_document_came_or_a_dialog_is_open() -> None:
    for event, params, error in (
        ("Page.frameNavigated", {"frame": {"id": "T", "loaderId": "M", "url": "b"}}, RefStale),
        ("Page.javascriptDialogOpening", {"type": "confirm"}, DialogHeld),
    ):
        async with page_of(PageOfOne()) as (peer, page):
            act = Acts(page).click(save_button(page))
            await act.prepare()
            with page.target.session.events(event) as events:
                peer.emit(event, params, "S")
                await events.next(timeout_s=1)
            with pytest.raises(error):
                await act.perform()
            assert (inputs(peer), page.target.sent_count) == ([], 0)


@pytest.mark.parametrize(
    ("verdict", "condition", "code"),
    [
        ({"error": "ref_stale"}, RefStale, "ref_stale"),
        ({"error": "ref_changed", "now": ["link", "Save"]}, RefChanged, "ref_changed"),
        ({"error": "not_visible"}, NotVisible, "not_visible"),
        ({"error": "not_stable"}, NotStable, "not_stable"),
        ({"error": "disabled"}, ElementDisabled, "disabled"),
        ({"error": "option_disabled"}, ElementDisabled, "disabled"),
        ({"error": "not_editable"}, NotEditable, "not_editable"),
        ({"error": "field_disabled"}, NotEditable, "not_editable"),
        ({"error": "line_breaks"}, LineBreaks, "not_editable"),
        ({"error": "covered", "seen": ['dialog "D"']}, Covered, "covered"),
        ({"error": "unfit_element"}, NotFit, "unfit_element"),
        ({"error": "single"}, NotFit, "unfit_element"),
        ({"error": "no_option", "seen": ["a"] * 99}, NoOption, "no_option"),
        ({"error": "mismatch", "wanted": "typed", "actual": "b"}, Mismatch, "mismatch"),
    ],
)
async def test_every_condition_has_its_error_and_no_page_text_in_its_words(
    verdict: dict[str, Any], condition: type[ElementError], code: str
) -> None:
    async with page_of(PageOfOne()) as (_, page):
        with pytest.raises(condition) as raised:
            refuse(verdict, Element(page.target.world, "k7", 1, ("button", "Save")))
    error = raised.value
    assert error.code == code
    assert len(error.seen) <= SEEN_LIMIT
    assert not any(text in str(error) for text in ("Save", "typed", "dialog", "link"))


@pytest.mark.parametrize(
    ("report", "count", "kind", "status", "code"),
    [
        (HEARD, 1, "", Status.ok, ""),
        ({**HEARD, "heard": 2}, 2, "", Status.ok, ""),
        (HEARD, 2, "", Status.injected, ""),
        ({**BESIDE, "where": "w"}, 1, "", Status.failed, "landed_elsewhere"),
        ({**BESIDE, "where": "w", "kept": True}, 1, "", Status.failed, "landed_elsewhere"),
        ({**HEARD, "on": False, "where": "w"}, 1, "", Status.injected, ""),
        ({**HEARD, "on": False, "successor": True}, 1, "", Status.injected, ""),
        ({**HEARD, "heard": 0, "on": False}, 1, "", Status.injected, ""),
        ({**HEARD, "heard": 0, "on": False, "pressed": False}, 1, "", Status.injected, ""),
        ({**HEARD, "heard": 0, "on": False, "pressed": False}, 1, "frame", Status.injected, ""),
        (None, 1, "", Status.injected, ""),
    ],
)
def test_only_a_click_that_was_heard_on_its_target_is_ok(
    report: dict[str, Any] | None, count: int, kind: str, status: Status, code: str
) -> None:
    done = judge_landing(report, count, {"kind": kind})
    assert (done.status, done.code) == (status, code)
    assert (done.detail == "") is (status is Status.ok)


def test_modifiers_are_down_around_the_clicks() -> None:
    calls = Clicks(count=2, modifiers=("ctrl", "shift")).calls(Point(1, 2))
    assert [(params["type"], params["modifiers"]) for _, params in calls] == [
        ("rawKeyDown", 2), ("rawKeyDown", 10), ("mouseMoved", 10), ("mousePressed", 10),
        ("mouseReleased", 10), ("mousePressed", 10), ("mouseReleased", 10), ("keyUp", 2),
        ("keyUp", 0),
    ]  # fmt: skip


def test_a_fill_is_judged_by_what_the_field_holds() -> None:
    assert judge_fill({"holds": True}) == Done(Status.ok)
    assert judge_fill(None).status is Status.injected
    wrong = judge_fill({"holds": False, "wanted": "a", "actual": "b"})
    assert (wrong.code, wrong.seen) == ("mismatch", {"wanted": "a", "actual": "b"})
    secret = judge_fill({"holds": False, "wanted": 6, "actual": 5, "secret": True})
    assert secret.seen == {"wanted": 6, "actual": 5, "secret": True}


@pytest.mark.parametrize(
    ("status", "sent", "code"),
    [
        (TypingStatus.ok, True, ""), (TypingStatus.injected, True, ""),
        (TypingStatus.failed, True, "mismatch"), (TypingStatus.failed, False, "not_editable"),
    ],
)  # fmt: skip
def test_typing_that_failed_says_whether_it_was_sent(
    status: TypingStatus, sent: bool, code: str
) -> None:
    done = done_of(Typing(status, "why", sent))
    assert (done.status.value, done.code, done.detail) == (status.value, code, "why")
    told = {"detail": "why"} if status is TypingStatus.injected else {}
    assert done.seen == told
    if code == "":
        assert done_of(Typing(status, "why", sent, secret=True)).seen == told | {"secret": True}


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (NavigationOutcome.loaded, Status.ok, ""), (NavigationOutcome.same_document, Status.ok, ""),
        (NavigationOutcome.refused, Status.failed, "origin"),
        (NavigationOutcome.download, Status.injected, ""),
        (NavigationOutcome.download_denied, Status.failed, "navigation_failed"),
        (NavigationOutcome.failed, Status.failed, "navigation_failed"),
        (NavigationOutcome.timed_out, Status.failed, "navigation_failed"),
    ],
)  # fmt: skip
def test_a_navigation_is_ok_only_when_its_document_is_there(
    outcome: NavigationOutcome, status: Status, code: str
) -> None:
    done = done_of_navigation(Navigation(outcome, "http://a/", "L", 404, "net::ERR_X"))
    assert (done.status, done.code) == (status, code)
    assert done.seen == {"url": "http://a/", "status": 404}


async def test_one_match_only_is_a_match() -> None:
    async with page_of(PageOfOne()) as (_, page):
        one = Element(page.target.world, "", 1)
        assert Matches(1, [one], ["x"]).only is one
        with pytest.raises(NoMatch) as none:
            _ = Matches(near=["near"]).only
        assert none.value.seen == ("near",)
        with pytest.raises(SeveralMatch) as several:
            _ = Matches(50, [one] * 10, ["x"] * 10).only
        assert (several.value.count, len(several.value.seen)) == (50, SEEN_LIMIT)


def test_a_url_pattern_is_the_whole_url() -> None:
    url = "https://a.example/x?y=1#z"
    for pattern in (url, "*", "https://*", "*?y=1#z", "*x*y*z"):
        assert is_like(pattern, url), pattern
    for pattern in ("", "https://a.example/x", "x", "*.example", "https://a?example/x?y=1#z"):
        assert not is_like(pattern, url), pattern


def test_every_state_is_told_from_its_opposite() -> None:
    holds = {"visible": True, "enabled": True, "editable": True, "focused": True,
             "checked": True, "selected": True, "expanded": True}  # fmt: skip
    lacks = dict.fromkeys(holds, False)
    for state in STATES:
        if state not in ("gone", "editable"):
            assert has_state(holds, state) is not has_state(lacks, state), state
    assert has_state(holds, "editable")
    assert not has_state({**holds, "checked": "mixed"}, "checked")
    assert not has_state({"visible": True}, "unchecked")  # it is no box at all
    assert not has_state(holds, "gone")
