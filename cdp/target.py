"""Attaching to a page: its session, its documents, its dialogs, and what ends it."""

from __future__ import annotations

from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from cdp.background import running
from cdp.dialog import ByDefault, Dialogs
from cdp.errors import CallRefused, CdpError, ConnectionClosed, SessionDetached, TargetCrashed
from cdp.frame import MainFrame, Owner, World
from cdp.guarded import GuardedSession, Interrupts
from cdp.page_errors import DialogHeld, PageSealed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from cdp.connection import Call, CdpSession, Connection, Outcome
    from cdp.dialog import Attendant, Dialog
    from cdp.messages import Event

SETUP: tuple[Call, ...] = (
    # first, so that input is not lost in a tab that was never painted
    ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
    ("Page.enable", {}),
    ("Inspector.enable", {}),
    ("Page.setLifecycleEventsEnabled", {"enabled": True}),
    ("Page.getFrameTree", {}),
)


class PageTarget:
    """The one page of ours in a browser."""

    def __init__(
        self,
        connection: Connection,
        session: CdpSession,
        target_id: str,
        attendant: Attendant,
    ) -> None:
        self._connection = connection
        self._frames: dict[str, World] = {}
        self.session = session
        self.target_id = target_id
        self.interrupts = Interrupts()
        self.guarded = GuardedSession(session, self.interrupts)
        self.main = MainFrame(session, target_id)
        self.world = World(self.guarded, target_id)
        self.dialogs = Dialogs(session, attendant, self._dialog_held)
        self.sealed = False
        self.sent_count = 0  # acts whose first byte has left, or was about to

    def seal(self) -> None:
        """Take no input and answer no dialog any more, by any door."""
        self.sealed = True
        self.dialogs.seal()

    def verify_open(self) -> None:
        """Raise PageSealed if the page takes no input any more."""
        if self.sealed:
            raise PageSealed

    def begin_sending(self) -> None:
        """Count an act right before its first byte leaves.

        Raises PageSealed, or what the page is held or lost by; then nothing is to be sent.
        """
        self.verify_open()
        self.interrupts.verify_answering()
        self.sent_count += 1

    async def send_input(
        self, calls: Sequence[Call], *, timeout_s: float, along: Call | None = None
    ) -> Outcome | None:
        """Send input in order and wait until the page has taken it all; PageSealed after `seal`.

        ``along`` is a question that is sent right before it; its outcome is returned.
        """
        self.begin_sending()
        if along is None:
            await self.guarded.pipeline(calls, timeout_s=timeout_s)
            return None
        answer, *outcomes = await self.guarded.pipeline_outcomes(
            [along, *calls], timeout_s=timeout_s
        )
        for outcome in outcomes:
            if isinstance(outcome, CdpError):
                raise outcome
        return answer

    async def frame_of(self, world: World, function: str) -> World | None:
        """Return our world in the frame whose element a function in ``world`` gives.

        None when that element or its frame is gone.
        """
        try:
            object_id = await world.hold(function)
            reply = await world.session.call("DOM.describeNode", objectId=object_id)
            frame = await self._frame(str(reply["node"].get("frameId")))
        except CallRefused:
            return None
        frame.owner = Owner(world, object_id)
        return frame

    def forget_worlds(self) -> None:
        """Make all worlds anew when they are next used: one of them has ended."""
        self.world.forget()
        self._frames.clear()

    async def _frame(self, frame_id: str) -> World:
        world = self._frames.get(frame_id)
        if world is None:
            session = await self._connection.attach(frame_id)
            world = World(GuardedSession(session, self.interrupts), frame_id)
            self._frames[frame_id] = world
        return world

    async def set_up(self) -> None:
        """Switch on what the handlers of `watching` need, in one round trip."""
        *_, tree = await self.guarded.pipeline(SETUP)
        self.main.adopt(tree["frameTree"]["frame"], loaded=True)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follow the page's events for the length of the block."""
        with ExitStack() as stack:
            stack.enter_context(self.main.watching())
            stack.enter_context(self.dialogs.watching())
            for method, handle in (
                ("Inspector.targetCrashed", self._crashed),
                ("Page.frameNavigated", self._navigated),
                ("Page.javascriptDialogClosed", self._dialog_closed),
            ):
                stack.enter_context(self.session.handler(method, handle))
            detached = self._connection.handler("Target.detachedFromTarget", self._detached)
            stack.enter_context(detached)
            yield

    async def watch_connection(self) -> None:
        """End all waits when the connection ends."""
        await self._connection.closed.wait()
        reason = self._connection.closed_reason or "it ended"
        self.interrupts.lose(ConnectionClosed(reason))

    def _navigated(self, event: Event) -> None:
        frame = event.params.get("frame") or {}
        if frame.get("id") == self.target_id:
            self.forget_worlds()

    def _crashed(self, event: Event) -> None:
        self.interrupts.lose(TargetCrashed(event.session_id))

    def _detached(self, event: Event) -> None:
        if event.params.get("sessionId") == self.session.session_id:
            self.interrupts.lose(SessionDetached(self.session.session_id))

    def _dialog_held(self, dialog: Dialog) -> None:
        self.interrupts.hold(DialogHeld(dialog))

    def _dialog_closed(self, event: Event) -> None:
        del event
        self.interrupts.resume()


@asynccontextmanager
async def open_target(
    connection: Connection,
    session: CdpSession,
    target_id: str,
    *,
    attendant: Attendant | None = None,
) -> AsyncIterator[PageTarget]:
    """Look after an attached page, otherwise untouched so far, for the length of the block."""
    target = PageTarget(connection, session, target_id, attendant or ByDefault())
    async with running(target.watch_connection):
        with target.watching():
            await target.set_up()
            yield target
