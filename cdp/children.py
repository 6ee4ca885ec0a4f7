"""A page and its children: the frames and workers that live in other processes.

Each has a CDP session of its own. A child is paused before its first step until whoever
listens has switched on what they need, so nothing that it does is missed.
"""

from __future__ import annotations

from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

from cdp.errors import CdpError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from cdp.connection import Call, CdpSession, Connection
    from cdp.messages import Event

CHILD_LIMIT = 256
"""Children that are listened to at a time; more of them run unheard."""

_FOLLOW: Call = (
    "Target.setAutoAttach",
    {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True},
)
_GO: Call = ("Runtime.runIfWaitingForDebugger", {})


class Children:
    """Listens to a page's own session and to each of its children, and theirs.

    ``listen`` gives the block in which one session is listened to; ``calls`` is what is
    switched on in each.
    """

    def __init__(
        self,
        connection: Connection,
        session: CdpSession,
        listen: Callable[[CdpSession], AbstractContextManager[None]],
        calls: Sequence[Call],
    ) -> None:
        self._connection = connection
        self._session = session
        self._listen = listen
        self._calls = calls
        self._children: dict[str, ExitStack] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Listen for the length of the block."""
        with ExitStack() as stack:
            stack.enter_context(self._joined(self._session))
            try:
                yield
            finally:
                for child in self._children.values():
                    child.close()

    async def switch_on(self) -> None:
        """Switch on what is needed in the page itself, and follow its children."""
        await self._session.pipeline([*self._calls, _FOLLOW])

    @contextmanager
    def _joined(self, session: CdpSession) -> Iterator[None]:
        with (
            self._listen(session),
            session.handler("Target.attachedToTarget", self._attached),
            session.handler("Target.detachedFromTarget", self._detached),
        ):
            yield

    def _attached(self, event: Event) -> None:
        session_id = str(event.params.get("sessionId"))
        child = self._connection.session(session_id)
        calls = [_GO]
        if len(self._children) < CHILD_LIMIT and session_id not in self._children:
            stack = self._children[session_id] = ExitStack()
            stack.enter_context(self._joined(child))
            calls = [*self._calls, _FOLLOW, _GO]
        # a child that is gone already refuses them, and one without a network the first
        for method, parameters in calls:
            with suppress(CdpError):
                child.post(method, dict(parameters), lambda _: None)

    def _detached(self, event: Event) -> None:
        stack = self._children.pop(str(event.params.get("sessionId")), None)
        if stack is not None:
            stack.close()


@asynccontextmanager
async def open_children(
    connection: Connection,
    session: CdpSession,
    listen: Callable[[CdpSession], AbstractContextManager[None]],
    calls: Sequence[Call],
) -> AsyncIterator[Children]:
    """Listen to a page and its children for the length of the block; see `Children`."""
    children = Children(connection, session, listen, calls)
    with children.watching():
        await children.switch_on()
        yield children
