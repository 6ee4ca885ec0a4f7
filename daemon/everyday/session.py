"""One everyday session: feeds the machine of `protocol.leases` and performs its effects.

A session is a task of the daemon's nursery. It ends by a call, by its clocks, by the end
of its tab, or with the daemon; whichever it is, what runs is brought to its record, who
waits is answered, and the tab is given back. It never goes on in another tab: only a
session of a profile is given a fresh blank one, and its writes stay blocked then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from daemon.clock import STEP_S
from daemon.everyday.commands import Commands, Rules
from daemon.logs import LOGGER
from daemon.signals import first_of
from protocol.errors import Failure
from protocol.evidence_session import Moment
from protocol.leases import (
    LIVE,
    TAB_GONE,
    CommandAdmitted,
    Interrupt,
    Recorded,
    Release,
    SessionGone,
    Signal,
    Signalled,
    Ticked,
    decide_step,
    gone_code,
    open_lease,
)
from protocol.receipts import format_time
from protocol.writes import SessionEnded

if TYPE_CHECKING:
    from daemon.clock import Clock
    from daemon.dispatch import Reply
    from daemon.everyday.commands import Ticket
    from daemon.everyday.performer import NextGeneration, Performer
    from daemon.everyday.surroundings import Around
    from daemon.everyday.tabs import TabSource
    from daemon.outbox import Shelf
    from daemon.store.sessions import SessionRow, Sessions
    from daemon.tab import Tab
    from protocol.leases import Lease, Occurrence
    from protocol.viewports import Viewport

CLOSE_S = 20.0
"""How long a close waits for everything to be free."""
UNWIND_S = 5.0
"""How long the tab is kept for a command that is being ended."""
REOPEN_S = 1.0
"""Pause before a tab that could not be had is asked for again."""


@dataclass(frozen=True)
class Means:
    """What every session works with."""

    rules: Rules
    sessions: Sessions
    clock: Clock
    next_generation: NextGeneration
    dialogs: Shelf


class EverydaySession:
    """One session of one actor. `live` must be running until it returns."""

    def __init__(
        self,
        row: SessionRow,
        viewport: Viewport,
        source: TabSource,
        means: Means,
        around: Around,
    ) -> None:
        self.session_id = row.session_id
        self.principal = row.principal
        self.row = row
        self.viewport = viewport
        self.writes_blocked = False
        self.tab: Tab | None = None
        self.performer: Performer | None = None
        self.settled = trio.Event()
        """Set once it has its first tab, or has ended without one."""
        self.opened = trio.Event()
        """Set by its owner once it has loaded the url that it was begun with."""
        self.released = trio.Event()
        """Set by its owner once it has ended, given back what it could, and is forgotten."""
        self.failure: Failure | None = None
        """Why its tab could not be had."""
        self.around = around
        self._source = source
        self._means = means
        self._over = trio.Event()
        self._opening = trio.CancelScope()
        self._changed = trio.Event()
        self._commands: Commands | None = None
        self.lease: Lease = open_lease(self._now())

    @property
    def commands(self) -> Commands:
        """Its queue. Raises SessionGone when it has ended."""
        self.verify_live()
        if self._commands is None:
            raise AssertionError("the session does not live")
        return self._commands

    def verify_live(self) -> None:
        """Raise SessionGone when it has ended, or is ending."""
        self._step(Ticked())
        if self.lease.state not in LIVE:
            raise SessionGone(self.session_id, self.lease.state, self.lease.reason)

    def ticket(self, command_id: str) -> Ticket | None:
        """Return the command with this id that is waiting or running in it."""
        return None if self._commands is None else self._commands.find(command_id)

    def recall(self, command_id: str) -> Reply | None:
        """Return the whole reply of a command that completed in it lately."""
        return None if self._commands is None else self._commands.recall(command_id)

    def note_command(self) -> None:
        """Hear that a command was admitted: the session is not idle."""
        self._step(CommandAdmitted())

    async def close(self, reason: str = "") -> None:
        """End it and wait, for a time, until all is free."""
        self._step(Signalled(Signal.CLOSE_ASKED, reason))
        with trio.move_on_after(CLOSE_S):
            await self.released.wait()

    def wire(self) -> dict[str, object]:
        """Return the ``session`` member of a reply. ``url`` is page text."""
        lease, open_dialog = self.lease, self.around.outbox.open
        return {
            "sessionId": self.session_id,
            "kind": self.row.kind.value,
            "state": lease.state.value,
            "reason": lease.reason or None,
            "origins": list(self.row.origins),
            "viewport": self.viewport.wire(),
            "createdAt": format_time(self.row.created_ms),
            "hardDeadlineAt": _format(lease.hard_deadline),
            "idleDeadlineAt": _format(lease.idle_deadline),
            **self._wire_load(),
            "writesBlocked": self.writes_blocked,
            "epochChanged": lease.epoch_changed,
            "running": None if self._commands is None else self._commands.running,
            "waiting": 0 if self._commands is None else self._commands.waiting,
            "dialog": None if open_dialog is None else open_dialog.wire(),
            **self.around.status(),
            "cleanupComplete": lease.released if lease.ended else None,
        }

    def _wire_load(self) -> dict[str, object]:
        """Return which page is shown, and ``loading`` while not all of it has come."""
        if self.tab is None:
            return {"url": None}
        load = self.tab.load
        loading = not load.loaded and not load.error
        return {"url": load.url, **({"loading": True} if loading else {})}

    # --- its life -------------------------------------------------------------------

    async def live(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hold the session until it has ended and its tab is given back."""
        async with trio.open_nursery() as watchers:
            watchers.start_soon(self._watch_daemon)
            watchers.start_soon(self._watch_clock)
            watchers.start_soon(self._keep_record)
            with trio.CancelScope(shield=True):
                async with self.around.outbox.running(), trio.open_nursery() as nursery:
                    self._commands = Commands(self, self._means.rules, nursery)
                    nursery.start_soon(self._hold_tab)
                    task_status.started()
                    await self._over.wait()
                await self._wind_up()
            watchers.cancel_scope.cancel()

    async def _watch_daemon(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._step(Signalled(Signal.CLOSE_ASKED, "the daemon stops"))

    async def _watch_clock(self) -> None:
        """Let time act on the session, whether or not anybody calls."""
        while (deadline := self.lease.next_deadline) is not None:
            now = self._now()
            left_s = max(now.remaining_s(deadline), 0.0)
            # in steps, because the wall clock may be set meanwhile
            await self._means.clock.sleep_until(now.boot_s + min(left_s, STEP_S))
            self._step(Ticked())

    async def _keep_record(self) -> None:
        while True:
            await self._changed.wait()
            self._changed = trio.Event()
            await self._record()

    async def _hold_tab(self) -> None:
        """Have a tab for as long as the session lives."""
        with self._opening:
            while not self._over.is_set():
                await self._hold_one()

    async def _hold_one(self) -> None:
        try:
            async with self._source.open() as tab, tab.surround(self.around):
                await self._use(tab)
        except Failure as failure:
            self.failure = failure
            self._step(Signalled(Signal.PROVISION_FAILED, failure.message))
            await self._means.clock.sleep_until(self._now().boot_s + REOPEN_S)

    async def _use(self, tab: Tab) -> None:
        """Let commands reach the tab until it is gone or the session is over."""
        self.tab, self.performer = tab, tab.performer(self._means.next_generation)
        self._step(Signalled(Signal.PROVISIONED))
        self.settled.set()
        await first_of(self._over, tab.lost)
        self.performer = None
        if tab.lost.is_set():
            self._note_loss(tab)
        if self._over.is_set() and self._commands is not None:
            with trio.move_on_after(UNWIND_S):
                await self._commands.idle()
        self.tab = None

    def _note_loss(self, tab: Tab) -> None:
        signal = Signal.UNREACHABLE if self._source.recovers else Signal.TAB_GONE
        reason = f"{TAB_GONE}: {tab.lost_reason}" if tab.lost_reason else TAB_GONE
        self._step(Signalled(signal, reason))

    async def _wind_up(self) -> None:
        """Record the end; nothing of the session runs any more."""
        if self._source.released:
            self._step(Signalled(Signal.RELEASED))
        await self._record()
        self.settled.set()

    async def _record(self) -> None:
        try:
            await self._means.sessions.update(self.session_id, self.lease)
        except Failure as failure:
            LOGGER.warning("session %s: %s", self.session_id, failure.message)

    # --- the machine ------------------------------------------------------------------

    def _now(self) -> Moment:
        clock = self._means.clock
        return Moment(clock.boot_s(), clock.utc_ms() / 1000)

    def _step(self, occurrence: Occurrence) -> None:
        """Let the machine decide, and do what it says."""
        self.lease, effects = decide_step(self.lease, occurrence, self._now())
        for effect in effects:
            match effect:
                case Release():
                    self._end()
                case Interrupt():
                    self.writes_blocked = True
                    self._stop_commands(SessionEnded("lost"), last=False)
                case Recorded():
                    self._changed.set()

    def _end(self) -> None:
        self._over.set()
        code = gone_code(self.lease.state, self.lease.reason)
        self._stop_commands(SessionEnded(code), last=True)
        if self.performer is None:
            self._opening.cancel()

    def _stop_commands(self, ended: SessionEnded, *, last: bool) -> None:
        if self._commands is not None:
            self._commands.stop(ended, last=last)


def _format(moment: Moment) -> str:
    return format_time(int(moment.wall_s * 1000))
