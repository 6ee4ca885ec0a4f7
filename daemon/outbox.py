"""The dialogs of one session: recorded, then answered as the session wants it.

The rules are `protocol.dialogs`; this does what they ask. A dialog is recorded before it
is answered, but no answer waits long for the store: what is not stored in time is missing
from the record, and the outbox says so. Under ``ask`` a dialog is held for its answer and
gets the default one when none comes.
"""

from __future__ import annotations

import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from cdp import background
from cdp import dialog as cdp_dialog
from cdp.dialog import Answer
from cdp.errors import CdpError
from cdp.page_errors import DialogStays, NoDialogOpen
from daemon.logs import LOGGER
from daemon.tab import TabGone
from protocol.dialogs import (
    HELD_S,
    MESSAGE_BYTES,
    PROMPT_BYTES,
    STORE_S,
    URL_BYTES,
    Amend,
    Disposition,
    Effect,
    Ended,
    Forget,
    Interrupted,
    Met,
    OnDialog,
    Opened,
    Outbox,
    Store,
    Told,
    Unstored,
    cut_text,
    decide_answer,
    decide_step,
    default_answer,
)
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from daemon.clock import Clock
    from protocol.dialogs import Event

FLUSH_S = 2.0
"""How long the end of a session waits for its last records to be stored."""
BACKLOG = 1024
"""Records that wait to be stored; what comes when so many wait is not stored."""

_DISPOSITIONS = {
    cdp_dialog.Disposition.accepted: Disposition.ACCEPTED,
    cdp_dialog.Disposition.dismissed: Disposition.DISMISSED,
    cdp_dialog.Disposition.elsewhere: Disposition.ELSEWHERE,
}


class Shelf(Protocol):
    """Where records are stored: `daemon.store.dialogs.StoredDialogs`. Calls raise Failure."""

    async def put(self, session_id: str, met: Met) -> None:
        """Record a dialog."""

    async def amend(
        self, session_id: str, number: int, disposition: Disposition, at_ms: int
    ) -> None:
        """Record what became of one."""

    async def forget(self, session_id: str, through: int) -> None:
        """Drop those up to a number."""


class Door(Protocol):
    """Where a dialog is answered: `cdp.dialog.Dialogs`."""

    async def answer(self, *, accept: bool, text: str | None = None) -> cdp_dialog.Dialog:
        """Answer the open dialog, and return it once it is closed. Raises CdpError."""


@dataclass
class _Attended:
    """One dialog on its way: stored, answered, ended. ``of_page`` is its number there."""

    met: Met
    of_page: int
    stored: trio.Event = field(default_factory=trio.Event)
    ended: trio.Event = field(default_factory=trio.Event)


class DialogOutbox:
    """The dialogs of one session; also the `cdp.dialog.Attendant` of its page.

    ``door`` is set once the page is there. Numbers go on after ``newest``, so that a
    session whose page is replaced never gives one twice.
    """

    def __init__(
        self, session_id: str, policy: OnDialog, shelf: Shelf, clock: Clock, *, newest: int = 0
    ) -> None:
        self.policy = policy
        self.door: Door | None = None
        self._session_id = session_id
        self._shelf = shelf
        self._clock = clock
        self._outbox = Outbox(newest=newest, forgotten=newest)
        self._current: _Attended | None = None
        self._store, self._to_store = trio.open_memory_channel[tuple[Effect, trio.Event]](BACKLOG)
        self._attend, self._to_attend = trio.open_memory_channel[_Attended](BACKLOG)

    # --- what the page tells ------------------------------------------------------

    def opened(self, dialog: cdp_dialog.Dialog) -> Answer:
        """See `cdp.dialog.Attendant`."""
        if self._outbox.open is not None:  # one dialog at a time: that one was closed
            self._end(Disposition.ELSEWHERE)
        met = self._record(dialog)
        current = self._current = _Attended(met, dialog.number)
        self._step(Opened(met), current.stored)
        try:
            self._attend.send_nowait(current)
        except trio.WouldBlock:
            return cdp_dialog.default_answer(dialog)
        return Answer.hold if decide_answer(self.policy, met.type) is None else Answer.later

    def closed(self, dialog: cdp_dialog.Dialog) -> None:
        """See `cdp.dialog.Attendant`."""
        current = self._current
        if current is not None and current.of_page == dialog.number:
            self._end(_DISPOSITIONS[dialog.disposition])

    def interrupt(self) -> None:
        """Note that the browser is gone: no dialog is open any more."""
        self._step(Interrupted(self._clock.utc_ms()))
        if self._current is not None:
            self._current.ended.set()

    # --- what callers ask ---------------------------------------------------------

    @property
    def open(self) -> Met | None:
        """The dialog that is open now."""
        return self._outbox.open

    @property
    def newest(self) -> int:
        """The number of the newest dialog, 0 when there was none."""
        return self._outbox.newest

    def untold(self) -> list[Met]:
        """Return the dialogs of which the caller was not told, or not of their end."""
        return list(self._outbox.pending)

    def tell(self, through: int) -> None:
        """Note that the caller hears of every dialog up to this number."""
        self._step(Told(through))

    def wire(self) -> dict[str, object]:
        """Return the members of ``dialog.list``."""
        outbox = self._outbox
        return {
            "dialogs": [met.wire() for met in outbox.visible],
            "open": None if outbox.open is None else outbox.open.wire(),
            "health": outbox.health.value,
            "onDialog": self.policy.value,
        }

    async def answer(self, *, accept: bool, text: str | None = None) -> Met:
        """Answer the open dialog for the caller, and return it once it is closed.

        Raises Failure ``not_found`` when none is open, ``conflict`` when somebody else
        closed it first, ``action_failed``. Raises TabGone: then nobody knows.
        """
        met = self.verify_open()
        ended = await self._answer(accept=accept, text=text)
        if ended.disposition is cdp_dialog.Disposition.elsewhere:
            raise Failure(
                "conflict",
                "The dialog was closed by somebody else before the answer came",
                "Look at the page: understudy snapshot.",
            )
        return next((one for one in self._outbox.visible if one.number == met.number), met)

    def verify_open(self) -> Met:
        """Return the open dialog. Raises Failure ``not_found``."""
        if self._outbox.open is None:
            raise _not_open("No dialog is open")
        return self._outbox.open

    # --- tasks --------------------------------------------------------------------

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Store and answer for the length of the block, then store what is left."""
        async with background.running(self.keep, self.attend):
            try:
                yield
            finally:
                with trio.move_on_after(FLUSH_S, shield=True):
                    await self._flush()

    async def keep(self) -> None:
        """Store what is to be stored, in order; runs until cancelled."""
        async for effect, done in self._to_store:
            try:
                await self._put(effect)
            except Failure as failure:
                LOGGER.warning("a dialog of %s: %s", self._session_id, failure.message)
                if isinstance(effect, Store):
                    self._step(Unstored(effect.met.number))
            done.set()

    async def attend(self) -> None:
        """Answer dialogs one after the other; runs until cancelled."""
        async for current in self._to_attend:
            with trio.move_on_after(STORE_S):
                await current.stored.wait()
            if not current.stored.is_set():
                self._step(Unstored(current.met.number))
            await self._decide(current)

    async def _decide(self, current: _Attended) -> None:
        accept = decide_answer(self.policy, current.met.type)
        if accept is None:
            with trio.move_on_after(HELD_S):
                await current.ended.wait()
            accept = default_answer(current.met.type)
        if current.ended.is_set():
            return
        try:
            await self._answer(accept=accept, text=None)
        except (Failure, TabGone) as failure:
            LOGGER.warning("a dialog of %s was not answered: %s", self._session_id, failure)

    async def _answer(self, *, accept: bool, text: str | None) -> cdp_dialog.Dialog:
        if self.door is None:
            raise AssertionError("a dialog opened before its page was there")
        try:
            return await self.door.answer(accept=accept, text=text)
        except NoDialogOpen as error:
            raise _not_open("The dialog is closed, or being answered") from error
        except DialogStays as error:
            raise Failure(
                "action_failed", "The browser did not take the answer", "Try the other answer."
            ) from error
        except CdpError as error:
            raise TabGone(str(error)) from error

    def _end(self, disposition: Disposition) -> None:
        if self._current is not None:
            self._step(Ended(self._current.met.number, disposition, self._clock.utc_ms()))
            self._current.ended.set()

    async def _put(self, effect: Effect) -> None:
        match effect:
            case Store(met):
                await self._shelf.put(self._session_id, met)
            case Amend(number, disposition, at_ms):
                await self._shelf.amend(self._session_id, number, disposition, at_ms)
            case Forget(through):
                await self._shelf.forget(self._session_id, through)

    async def _flush(self) -> None:
        """Return once all that was to be stored is stored, or was refused."""
        done = trio.Event()
        await self._store.send((Forget(0), done))
        await done.wait()

    def _step(self, event: Event, done: trio.Event | None = None) -> None:
        self._outbox, effects = decide_step(self._outbox, event)
        done = trio.Event() if done is None else done
        for effect in effects:
            try:
                self._store.send_nowait((effect, done))
            except trio.WouldBlock:
                self._outbox, _ = decide_step(self._outbox, Unstored(self._outbox.newest))
                done.set()
        if not effects:
            done.set()

    def _record(self, dialog: cdp_dialog.Dialog) -> Met:
        message, long_message = cut_text(dialog.message, MESSAGE_BYTES)
        prompt, long_prompt = cut_text(dialog.default_prompt, PROMPT_BYTES)
        url, long_url = cut_text(dialog.url, URL_BYTES)
        return Met(
            self._outbox.newest + 1,
            str(uuid.uuid4()),
            self._clock.utc_ms(),
            dialog.kind,
            message,
            prompt,
            url,
            cut=dialog.cut or long_message or long_prompt or long_url,
        )


def _not_open(message: str) -> Failure:
    return Failure("not_found", message, "See those that were: understudy dialog list.")
