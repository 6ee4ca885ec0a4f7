"""A session's dialogs: recorded first, answered in time, whatever the store does."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from cdp.connection import open_connection
from cdp.dialog import Dialogs
from daemon.outbox import DialogOutbox
from protocol.dialogs import HELD_S, STORE_S, Disposition, Met, OnDialog
from protocol.errors import Failure
from tests.fakes.cdp_peer import CdpPeer
from tests.fakes.clocks import TurnedClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cdp.dialog import Dialog

OPENING, CLOSED = "Page.javascriptDialogOpening", "Page.javascriptDialogClosed"
ANSWER = "Page.handleJavaScriptDialog"


class Shelf:
    """Behind `daemon.outbox.Shelf`; ``stalled`` keeps it from ever answering."""

    def __init__(self) -> None:
        self.rows: dict[int, Met] = {}
        self.amended: list[tuple[int, Disposition]] = []
        self.forgotten = 0
        self.stalled = trio.Event()
        self.stalled.set()
        self.broken = False

    async def put(self, session_id: str, met: Met) -> None:
        assert session_id == "us-1"
        await self.stalled.wait()
        if self.broken:
            raise Failure("store_full", "full", "free it")
        self.rows[met.number] = met

    async def amend(
        self, session_id: str, number: int, disposition: Disposition, at_ms: int
    ) -> None:
        del session_id, at_ms
        await trio.lowlevel.checkpoint()
        self.amended.append((number, disposition))

    async def forget(self, session_id: str, through: int) -> None:
        del session_id
        await trio.lowlevel.checkpoint()
        self.forgotten = through


class Page:
    """A scripted page whose dialogs the outbox attends to."""

    def __init__(self, peer: CdpPeer, outbox: DialogOutbox, shelf: Shelf) -> None:
        self.peer, self.outbox, self.shelf = peer, outbox, shelf
        self.held = 0

    async def opens(self, kind: str, message: str = "m") -> None:
        self.peer.emit(OPENING, {"type": kind, "message": message, "url": "http://x/"}, "S")
        await trio.testing.wait_all_tasks_blocked()

    async def closes(self) -> None:
        self.peer.emit(CLOSED, {}, "S")
        await trio.testing.wait_all_tasks_blocked()

    @property
    def answers(self) -> list[bool]:
        return [sent.params["accept"] for sent in self.peer.sent]


@asynccontextmanager
async def running_outbox(
    policy: OnDialog, shelf: Shelf, newest: int = 0
) -> AsyncIterator[DialogOutbox]:
    outbox = DialogOutbox("us-1", policy, shelf, TurnedClock(), newest=newest)
    async with outbox.running():
        yield outbox


@asynccontextmanager
async def page(policy: OnDialog = OnDialog.ASK) -> AsyncIterator[Page]:
    peer, shelf = CdpPeer(always={ANSWER: {}}), Shelf()
    async with (
        open_connection(peer) as browser,
        running_outbox(policy, shelf) as outbox,
    ):
        shown = Page(peer, outbox, shelf)

        def note_held(_: object) -> None:
            shown.held += 1

        dialogs = Dialogs(browser.session("S"), outbox, note_held)
        outbox.door = dialogs
        with dialogs.watching():
            yield shown


@pytest.mark.parametrize(
    ("policy", "kind", "accept"),
    [
        (OnDialog.ACCEPT, "confirm", True),
        (OnDialog.DISMISS, "alert", False),
        (OnDialog.DEFAULT, "beforeunload", True),
        (OnDialog.DEFAULT, "prompt", False),
    ],
)
async def test_a_policy_answers_at_once_and_nobody_waits(
    policy: OnDialog, kind: str, accept: bool
) -> None:
    async with page(policy) as shown:
        await shown.opens(kind)
        assert (shown.answers, shown.held) == ([accept], 0)
        assert shown.shelf.rows[1].disposition is Disposition.OPEN
        await shown.closes()
        assert shown.outbox.open is None
        ended = Disposition.ACCEPTED if accept else Disposition.DISMISSED
        assert shown.shelf.amended == [(1, ended)]


async def test_a_record_is_on_the_shelf_before_its_answer_leaves() -> None:
    async with page(OnDialog.ACCEPT) as shown:
        shown.shelf.stalled = trio.Event()
        await shown.opens("confirm")
        assert (shown.answers, shown.shelf.rows) == ([], {})
        shown.shelf.stalled.set()
        await trio.testing.wait_all_tasks_blocked()
        assert list(shown.shelf.rows) == [1]
        assert shown.answers == [True]
        assert shown.outbox.wire()["health"] == "ok"


async def test_a_stalled_store_delays_an_answer_by_a_quarter_second_at_most(
    autojump_clock: trio.testing.MockClock,
) -> None:
    del autojump_clock
    async with page(OnDialog.ACCEPT) as shown:
        shown.shelf.stalled = trio.Event()
        began = trio.current_time()
        shown.peer.emit(OPENING, {"type": "alert"}, "S")
        while not shown.answers:  # noqa: ASYNC110
            await trio.sleep(0.01)
        assert STORE_S <= trio.current_time() - began < STORE_S + 0.05
        assert shown.outbox.wire()["health"] == "overflow"


async def test_a_store_that_fails_is_said_and_the_dialog_answered() -> None:
    async with page(OnDialog.ACCEPT) as shown:
        shown.shelf.broken = True
        await shown.opens("alert")
        await shown.closes()
        assert shown.answers == [True]
        assert shown.outbox.wire() == {
            "dialogs": [],
            "open": None,
            "health": "overflow",
            "onDialog": "accept",
        }


@pytest.mark.parametrize("kind", ["alert", "confirm"])
async def test_asked_about_a_dialog_gets_its_default_answer_after_its_time(
    kind: str, autojump_clock: trio.testing.MockClock
) -> None:
    del autojump_clock
    async with page() as shown:
        shown.peer.emit(OPENING, {"type": kind}, "S")
        await trio.sleep(HELD_S - 1)
        assert (shown.answers, shown.held) == ([], 1)
        assert shown.outbox.open is not None
        await trio.sleep(2)
        assert shown.answers == [kind == "alert"]


async def test_the_callers_answer_is_the_only_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    del autojump_clock
    async with page() as shown, trio.open_nursery() as nursery:
        shown.peer.emit(OPENING, {"type": "prompt", "defaultPrompt": "d"}, "S")
        await trio.sleep(1)
        answered: list[Met] = []

        async def answer() -> None:
            answered.append(await shown.outbox.answer(accept=True, text="Zo\u00eb"))

        nursery.start_soon(answer)
        await trio.sleep(0.1)
        shown.peer.emit(CLOSED, {}, "S")
        await trio.sleep(HELD_S + 1)
        assert [sent.params for sent in shown.peer.sent] == [
            {"accept": True, "promptText": "Zo\u00eb"}
        ]
        assert [met.disposition for met in answered] == ["accepted"]
        assert answered[0].default_prompt == "d"
        assert shown.outbox.untold() == answered
        shown.outbox.tell(1)
        assert shown.outbox.untold() == []


async def test_a_dialog_that_a_person_closed_is_not_ours() -> None:
    async with page() as shown:
        await shown.opens("confirm")
        await shown.closes()
        assert [met.disposition for met in shown.outbox.untold()] == ["elsewhere"]
        assert shown.answers == []
        with pytest.raises(Failure) as refused:
            await shown.outbox.answer(accept=True)
        assert refused.value.code == "not_found"


async def test_a_person_who_is_faster_is_a_conflict() -> None:
    peer, shelf = CdpPeer(always={}), Shelf()
    async with (
        running_outbox(OnDialog.ASK, shelf) as outbox,
        open_connection(peer) as browser,
    ):
        dialogs = Dialogs(browser.session("S"), outbox, lambda _: None)
        outbox.door = Slower(dialogs, peer)
        with dialogs.watching():
            peer.emit(OPENING, {"type": "confirm"}, "S")
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(Failure) as refused:
                await outbox.answer(accept=True)
            assert refused.value.code == "conflict"
            assert [met.disposition for met in outbox.untold()] == ["elsewhere"]


class Slower:
    """A door to which somebody else came first."""

    def __init__(self, dialogs: Dialogs, peer: CdpPeer) -> None:
        self._dialogs, self._peer = dialogs, peer

    async def answer(self, *, accept: bool, text: str | None = None) -> Dialog:
        del accept, text
        self._peer.emit(CLOSED, {}, "S")
        await trio.testing.wait_all_tasks_blocked()
        return self._dialogs.records[-1]


async def test_a_lost_browser_leaves_no_dialog_open() -> None:
    async with page() as shown:
        await shown.opens("confirm")
        shown.outbox.interrupt()
        await trio.testing.wait_all_tasks_blocked()
        assert shown.outbox.open is None
        assert shown.shelf.amended == [(1, Disposition.INTERRUPTED)]
        assert shown.outbox.wire()["health"] == "interrupted"
        assert shown.answers == []


async def test_numbers_go_on_in_another_page_of_the_session() -> None:
    async with running_outbox(OnDialog.ASK, Shelf(), newest=7) as outbox:
        await trio.lowlevel.checkpoint()
        assert outbox.newest == 7
        assert outbox.policy is OnDialog.ASK


async def test_the_last_records_are_stored_before_the_outbox_ends() -> None:
    shelf = Shelf()
    async with page() as shown:
        shelf = shown.shelf
        shown.shelf.stalled = trio.Event()
        await shown.opens("confirm")
        shown.outbox.interrupt()
        shown.shelf.stalled.set()
    assert list(shelf.rows) == [1]
    assert shelf.amended == [(1, Disposition.INTERRUPTED)]
