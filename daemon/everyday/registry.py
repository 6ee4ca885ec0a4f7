"""The everyday sessions of this daemon: begun, found, listed, and asked about later."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import trio

from daemon.displays import Mint, mint_id
from daemon.everyday.performer import DialogMet, PageFailed
from daemon.everyday.session import EverydaySession, Means
from daemon.everyday.surroundings import Around
from daemon.everyday.work import failure_of_done
from daemon.logs import LOGGER
from daemon.outbox import DialogOutbox
from daemon.signals import first_of
from daemon.store.sessions import SessionRow
from daemon.tab import TabGone
from protocol.beginnings import begin_fingerprint, find_begun
from protocol.command_failures import CommandFailed, failure_of, with_details
from protocol.commands import Navigate
from protocol.dialogs import OnDialog
from protocol.errors import Failure
from protocol.leases import LIVE, NEVER_OPENED, LeaseState, SessionGone, SessionKind
from protocol.receipts import format_time
from protocol.writes import State, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from daemon.everyday.quotas import Quotas
    from daemon.everyday.tabs import TabSource
    from daemon.fence import OriginFence
    from daemon.store.journal import Journal
    from daemon.store.rows import Resolution, Row
    from protocol.viewports import Viewport

    OpenSource = Callable[[str, "Order"], TabSource]
    """Returns where a session's tab comes from, by the session's id and its order."""


@dataclass(frozen=True)
class Order:
    """What a caller asked for. The fence is the session's own; its first load may widen it.

    ``browser`` is as in `daemon.browsers.BrowserOrder`.
    """

    principal: str
    fence: OriginFence
    viewport: Viewport
    url: str | None = None
    key: str | None = None
    on_dialog: OnDialog = OnDialog.ASK
    downloads: bool = False
    browser: str = ""


@dataclass
class _Beginning:
    """What whoever asked for a session waits for."""

    done: trio.Event = field(default_factory=trio.Event)
    session: EverydaySession | None = None
    failure: Failure | None = None

    async def outcome(self) -> EverydaySession:
        await self.done.wait()
        if self.session is not None:
            return self.session
        raise self.failure or Failure("internal", "an unexpected error", "see the daemon's log")


class EverydaySessions:
    """All of them, by id. Ended ones are asked of the store."""

    def __init__(
        self, nursery: trio.Nursery, source: OpenSource, means: Means, mint: Mint = mint_id
    ) -> None:
        self._nursery = nursery
        self._source = source
        self._means = means
        self._mint = mint
        self._sessions: dict[str, EverydaySession] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def journal(self) -> Journal:
        """Where every command is on record."""
        return self._means.rules.journal

    @property
    def quotas(self) -> Quotas:
        """How much callers may ask for."""
        return self._means.rules.quotas

    async def begin(self, order: Order) -> EverydaySession:
        """Begin a session and load its url; under a known key return the one it began.

        A failure leaves nothing behind; a cancelled caller leaves it beginning. Raises
        Failure, SessionGone for a known key whose session has ended.
        """
        if order.key is None:
            return await self._begin(order, None)
        begun = (order.key, self._fingerprint(order))
        session = await self._known(order.principal, *begun)
        if session is not None:
            return session
        try:
            return await self._begin(order, begun)
        except Failure as failure:
            # somebody else was faster with the same key: it is their session that is meant
            session = None
            if failure.code == "conflict":
                session = await self._known(order.principal, *begun)
            if session is None:
                raise
            return session

    async def find(self, principal: str, session_id: str) -> EverydaySession:
        """Return a live session of an actor.

        Raises SessionGone for one that has ended, Failure ``not_found`` for any other.
        """
        session = self._sessions.get(session_id)
        if session is not None and session.principal == principal:
            return session
        row = await self.find_row(principal, session_id)
        state = row.state if row.state not in LIVE else LeaseState.LOST
        raise SessionGone(session_id, state, row.reason)

    async def find_row(self, principal: str, session_id: str) -> SessionRow:
        """Return what is on record of an actor's session. Raises Failure ``not_found``."""
        row = await self._means.sessions.find(session_id)
        if row is None or row.principal != principal:
            raise Failure("not_found", "There is no such session", "See understudy session list.")
        return row

    async def list(self, principal: str) -> list[dict[str, object]]:
        """Return an actor's sessions, newest first, live and ended."""
        rows = await self._means.sessions.list_of(principal)
        return [self.summary(row) for row in rows]

    async def close(self, principal: str, session_id: str) -> dict[str, object]:
        """End a session, or hear that it has ended; return what it is now."""
        row = await self.find_row(principal, session_id)
        session = self._sessions.get(session_id)
        if session is None:
            return row_wire(row)
        await session.close()
        return session.wire()

    async def find_command(
        self, principal: str, command_id: str, session_id: str | None
    ) -> tuple[EverydaySession | None, Row | None]:
        """Return a command's live session, and its row if it is on record.

        Without a session the newest command with that id in any of the actor's.
        """
        if session_id is None:
            row = await self.journal.find_of(principal, command_id)
            return self._holder(principal, command_id, row), row
        await self.find_row(principal, session_id)
        return self._sessions.get(session_id), await self.journal.find(session_id, command_id)

    async def resolve(
        self, principal: str, session_id: str, command_id: str, resolution: Resolution
    ) -> bool:
        """Record the caller's judgement on an unknown write; return whether writes go on.

        Raises Failure ``not_found`` when there is no such write, ``conflict`` when it was
        judged otherwise before.
        """
        await self.find_row(principal, session_id)
        if not await self.journal.resolve(session_id, command_id, resolution):
            row = await self.journal.find(session_id, command_id)
            _verify_resolved(row, resolution)
        session = self._sessions.get(session_id)
        if session is None:
            return False
        unresolved = await self.journal.unresolved(session_id)
        session.writes_blocked = unresolved is not None or session.lease.epoch_changed
        return not session.writes_blocked

    # --- begin ----------------------------------------------------------------------

    async def _begin(self, order: Order, begun: tuple[str, str] | None) -> EverydaySession:
        self._means.rules.quotas.charge_session(order.principal)
        beginning = _Beginning()
        self._nursery.start_soon(self._carry, order, begun, beginning)
        return await beginning.outcome()

    def _fingerprint(self, order: Order) -> str:
        key = self._means.rules.key
        return begin_fingerprint(key, SessionKind.UNATTENDED, order.fence.origins)

    async def _known(self, principal: str, key: str, fingerprint: str) -> EverydaySession | None:
        """Return the session that this key began, once it has loaded its url; None for none."""
        found = await self._means.sessions.find_begun(principal, key)
        known = find_begun(found, fingerprint)
        if known is None:
            return None
        session = await self.find(principal, known)
        await first_of(session.opened, session.released)
        session.verify_live()
        return session

    async def _carry(
        self, order: Order, begun: tuple[str, str] | None, beginning: _Beginning
    ) -> None:
        """Begin a session in a task of the daemon, whoever stops waiting for it."""
        try:
            session = await self._make(order, begun)
            if order.url is not None:
                await self._load(session, order.url, order.fence)
            session.opened.set()
            beginning.session = session
        except Failure as failure:
            beginning.failure = failure
        except Exception:
            LOGGER.exception("a session could not be begun")
        finally:
            beginning.done.set()

    async def _make(self, order: Order, begun: tuple[str, str] | None) -> EverydaySession:
        row = SessionRow(
            self._mint("us-"),
            SessionKind.UNATTENDED,
            order.principal,
            order.fence.origins,
            self._means.clock.utc_ms(),
        )
        source = self._source(row.session_id, order)
        outbox = DialogOutbox(
            row.session_id, order.on_dialog, self._means.dialogs, self._means.clock
        )
        around = Around(outbox, downloads=order.downloads)
        session = EverydaySession(row, order.viewport, source, self._means, around)
        self._sessions[row.session_id] = session  # first, so that whoever sees the row finds it
        try:
            await self._means.sessions.begin(row, begun)
        except BaseException:
            self._forget(session)
            raise
        await self._nursery.start(self._live, session)
        await session.settled.wait()
        if session.performer is None:
            await session.released.wait()
            raise session.failure or _not_begun(session)
        return session

    async def _live(self, session: EverydaySession, *, task_status: trio.TaskStatus[None]) -> None:
        try:
            await session.live(task_status=task_status)
        finally:
            self._forget(session)

    def _forget(self, session: EverydaySession) -> None:
        del self._sessions[session.session_id]
        session.released.set()

    async def _load(self, session: EverydaySession, url: str, fence: OriginFence) -> None:
        """Go to the first address; a session that cannot is ended, and its failure names it."""
        try:
            with fence.first_load(url):
                await _go(session, url)
            if fence.origins != session.row.origins:
                await self._means.sessions.widen(session.session_id, fence.origins)
                session.row = replace(session.row, origins=fence.origins)
        except Failure as failure:
            await session.close(f"{NEVER_OPENED}: {failure.message}")
            if not session.lease.reason.startswith(NEVER_OPENED):
                raise  # its tab went first
            raise with_details(failure, sessionId=session.session_id) from failure

    # --- what is told -----------------------------------------------------------------

    def _holder(self, principal: str, command_id: str, row: Row | None) -> EverydaySession | None:
        for session in self._sessions.values():
            if session.principal == principal and session.ticket(command_id) is not None:
                return session
        return None if row is None else self._sessions.get(row.session_id)

    def summary(self, row: SessionRow) -> dict[str, object]:
        """Return what there is to tell of a session, live or only on record."""
        session = self._sessions.get(row.session_id)
        return row_wire(row) if session is None else session.wire()


def row_wire(row: SessionRow) -> dict[str, object]:
    """Return the ``session`` member for one that is only on record."""
    return {
        "sessionId": row.session_id,
        "kind": row.kind.value,
        "state": row.state.value,
        "reason": row.reason or None,
        "origins": list(row.origins),
        "createdAt": format_time(row.created_ms),
        "endedAt": None if row.ended_ms is None else format_time(row.ended_ms),
        "url": None,
        "cleanupComplete": row.released,
    }


async def _go(session: EverydaySession, url: str) -> None:
    performer = session.performer
    if performer is None:
        raise _not_begun(session)
    try:
        act = performer.act(Navigate("navigate", url))
        await act.prepare()
        done = await act.perform()
    except DialogMet:
        return  # it is there, and the reply tells of the dialog
    except TabGone as gone:
        raise failure_of(State.COMPLETED, "tab_gone") from gone
    except PageFailed as failed:
        raise failure_of(State.COMPLETED, "action_failed") from failed
    if done.status is Status.FAILED:
        raise failure_of_done(done)


def _not_begun(session: EverydaySession) -> Failure:
    lease = session.lease
    return CommandFailed("browser_unavailable", f"The session is {lease.state}: {lease.reason}")


def _verify_resolved(row: Row | None, resolution: Resolution) -> None:
    if row is None or (row.state is not State.UNKNOWN and row.resolution is None):
        raise Failure(
            "not_found",
            "The session has no write of unknown outcome with this id",
            "See understudy session log.",
        )
    if row.resolution is not resolution:
        raise Failure("conflict", "It was judged otherwise before", "The first judgement stands.")
