"""Where a session's tab comes from, and how it is given back.

`TabSource` is the seam. `ThrowAway` makes a browser with a profile of its own, which ends
with the session. A source whose browser can come back says so; each time it is opened it
gives a fresh blank tab, of another browser epoch.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import trio

from daemon.workspaces import Cleanup

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from daemon.tab import Tab
    from daemon.workspaces import WorkspaceOrder, Workspaces


class TabSource(Protocol):
    """Gives one session its tab."""

    recovers: bool
    """Whether `open` may be called again after the browser was lost."""

    def open(self) -> AbstractAsyncContextManager[Tab]:
        """Open a blank tab; on exit it is closed, and only that. Entering raises Failure."""

    @property
    def released(self) -> bool:
        """Whether tab, browser and profile are known to be freed."""


class ThrowAway:
    """A workspace with a browser and a profile of its own."""

    recovers = False

    def __init__(self, workspaces: Workspaces, owner: str, order: WorkspaceOrder) -> None:
        self._workspaces = workspaces
        self._owner = owner
        self._order = order
        self._cleanup = Cleanup.DONE

    @property
    def released(self) -> bool:
        """See TabSource."""
        return self._cleanup is Cleanup.DONE

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Tab]:
        """See TabSource."""
        workspace = await self._workspaces.create(self._owner, self._order)
        self._cleanup = Cleanup.PENDING
        workspace.session = self._order.holder
        try:
            yield workspace.tab
        finally:
            with trio.CancelScope(shield=True):
                self._cleanup = await self._workspaces.end(workspace)
