"""Dialogs answered from their event, or held, over a scripted peer."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from cdp.connection import open_connection
from cdp.dialog import (
    RECORD_LIMIT,
    TEXT_LIMIT,
    Answer,
    Attendant,
    ByDefault,
    Dialog,
    Dialogs,
    Disposition,
    parse_dialog,
)
from cdp.page_errors import DialogStays, NoDialogOpen
from tests.fakes.attendants import Attending, holding
from tests.fakes.cdp_peer import CdpPeer, Emit, Expect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OPENING, CLOSED = "Page.javascriptDialogOpening", "Page.javascriptDialogClosed"


class Watched:
    """Dialogs of one session, with the peer that opens them."""

    def __init__(self, peer: CdpPeer, dialogs: Dialogs, held: list[Dialog]) -> None:
        self.peer, self.dialogs, self.held = peer, dialogs, held

    async def open(self, kind: str, message: str = "m", *, close: bool = True) -> None:
        params = {"type": kind, "message": message, "url": "u", "defaultPrompt": "d"}
        self.peer.emit(OPENING, params, "S")
        if close:
            self.peer.emit(CLOSED, {"result": True}, "S")
        await trio.testing.wait_all_tasks_blocked()

    def close(self) -> None:
        self.peer.emit(CLOSED, {"result": True}, "S")

    @property
    def answers(self) -> list[bool]:
        return [sent.params["accept"] for sent in self.peer.sent]


@asynccontextmanager
async def watch(
    attendant: Attendant | None = None,
) -> AsyncIterator[Watched]:
    peer = CdpPeer(always={"Page.handleJavaScriptDialog": {}})
    held: list[Dialog] = []
    async with open_connection(peer) as browser:
        dialogs = Dialogs(browser.session("S"), attendant or ByDefault(), held.append)
        with dialogs.watching():
            yield Watched(peer, dialogs, held)


@pytest.mark.parametrize(
    ("kind", "accept"),
    [("alert", True), ("beforeunload", True), ("confirm", False), ("prompt", False), ("x", False)],
)
async def test_each_kind_is_answered_by_default(kind: str, accept: bool) -> None:
    async with watch() as watched:
        await watched.open(kind)
        assert watched.answers == [accept]
        wanted = Disposition.accepted if accept else Disposition.dismissed
        assert watched.dialogs.records == [Dialog(kind, "m", "u", "d", False, wanted)]
        assert watched.dialogs.open is None
        assert watched.held == []


async def test_without_an_answer_a_dialog_is_held_until_it_closes() -> None:
    async with watch(holding()) as watched:
        await watched.open("alert", close=False)
        assert watched.answers == []
        assert watched.held == watched.dialogs.records
        assert watched.dialogs.open is watched.held[0]
        watched.peer.emit(CLOSED, {}, "S")
        await trio.testing.wait_all_tasks_blocked()
        assert watched.dialogs.open is None


async def test_after_the_seal_nothing_is_answered() -> None:
    async with watch() as watched:
        await watched.open("alert")
        watched.dialogs.seal()
        await watched.open("alert", close=False)
        assert watched.answers == [True]
        assert [d.disposition.value for d in watched.dialogs.records] == ["accepted", "held"]
        assert len(watched.held) == 1


async def test_a_refused_answer_leaves_the_dialog_held() -> None:
    peer = CdpPeer(
        Emit(OPENING, {"type": "alert"}, "S"),
        Expect("Page.handleJavaScriptDialog", {"accept": True}, "S", refuse=(-32602, "no")),
    )
    held: list[Dialog] = []
    async with open_connection(peer) as browser:
        dialogs = Dialogs(browser.session("S"), ByDefault(), held.append)
        with dialogs.watching():
            await trio.testing.wait_all_tasks_blocked()
            assert [d.disposition for d in held] == [Disposition.held]
            assert dialogs.records == held
            assert dialogs.open is held[0]
    peer.verify_played()


async def test_the_newest_are_remembered_and_all_are_counted() -> None:
    async with watch() as watched:
        for number in range(RECORD_LIMIT + 5):
            await watched.open("alert", str(number))
        records = watched.dialogs.records
        assert (len(records), watched.dialogs.count) == (RECORD_LIMIT, RECORD_LIMIT + 5)
        assert (records[0].message, records[-1].message) == ("5", str(RECORD_LIMIT + 4))


def test_long_texts_are_cut_and_marked() -> None:
    dialog = parse_dialog({"type": "alert", "message": "é" * (TEXT_LIMIT + 1)})
    assert (dialog.message, dialog.cut) == ("é" * TEXT_LIMIT, True)
    assert parse_dialog({"message": "é" * TEXT_LIMIT}) == Dialog(
        "unknown", "é" * TEXT_LIMIT, "", "", cut=False
    )


async def test_an_answer_is_returned_once_the_dialog_has_closed() -> None:
    attending = holding()
    async with watch(attending) as watched, trio.open_nursery() as nursery:
        await watched.open("prompt", close=False)
        answered: list[Dialog] = []

        async def answer() -> None:
            answered.append(await watched.dialogs.answer(accept=True))

        nursery.start_soon(answer)
        await trio.testing.wait_all_tasks_blocked()
        assert answered == []
        with pytest.raises(NoDialogOpen):
            await watched.dialogs.answer(accept=False)
        watched.close()
        await trio.testing.wait_all_tasks_blocked()
        assert watched.peer.sent[-1].params == {"accept": True, "promptText": "d"}
        assert [one.disposition for one in answered] == [Disposition.accepted]
        assert attending.ended == answered == watched.dialogs.records
    assert len(watched.peer.sent) == 1


@pytest.mark.parametrize(
    ("kind", "accept", "text", "sent"),
    [
        ("prompt", True, "Zo\u00eb", {"accept": True, "promptText": "Zo\u00eb"}),
        ("prompt", True, "", {"accept": True, "promptText": ""}),
        ("prompt", False, None, {"accept": False}),
        ("confirm", True, "x", {"accept": True}),
    ],
)
async def test_only_an_accepted_prompt_is_sent_a_text(
    kind: str, accept: bool, text: str | None, sent: dict[str, object]
) -> None:
    async with watch(holding()) as watched, trio.open_nursery() as nursery:
        await watched.open(kind, close=False)
        nursery.start_soon(lambda: watched.dialogs.answer(accept=accept, text=text))
        await trio.testing.wait_all_tasks_blocked()
        watched.close()
        assert [one.params for one in watched.peer.sent] == [sent]


async def test_a_dialog_that_somebody_else_closed_is_not_ours() -> None:
    attending = holding()
    async with watch(attending) as watched:
        await watched.open("confirm")
        assert [one.disposition for one in attending.ended] == [Disposition.elsewhere]
        with pytest.raises(NoDialogOpen):
            await watched.dialogs.answer(accept=True)
        assert watched.answers == []


async def test_an_answer_that_came_too_late_is_not_reported_as_ours() -> None:
    peer = CdpPeer(
        Emit(OPENING, {"type": "confirm"}, "S"),
        Expect("Page.handleJavaScriptDialog", refuse=(-32602, "No dialog is showing")),
    )
    attending = Attending(lambda _: Answer.later)
    held: list[Dialog] = []
    async with open_connection(peer) as browser:
        dialogs = Dialogs(browser.session("S"), attending, held.append)
        with dialogs.watching():
            await trio.testing.wait_all_tasks_blocked()
            assert dialogs.open is not None
            peer.emit(CLOSED, {}, "S")
            answered = await dialogs.answer(accept=True)
            assert answered.disposition is Disposition.elsewhere
            assert attending.ended == dialogs.records == [answered]
            assert held == []


async def test_a_refused_answer_says_that_the_dialog_stays() -> None:
    peer = CdpPeer(
        Emit(OPENING, {"type": "confirm"}, "S"),
        Expect("Page.handleJavaScriptDialog", refuse=(-32602, "no")),
    )
    held: list[Dialog] = []
    async with open_connection(peer) as browser:
        dialogs = Dialogs(browser.session("S"), Attending(lambda _: Answer.later), held.append)
        with dialogs.watching():
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(DialogStays):
                await dialogs.answer(accept=True)
            assert held == dialogs.records
