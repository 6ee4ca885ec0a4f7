"""The last replies of a session, kept whole for whoever asks again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from daemon.dispatch import Reply

MOST: Final = 16
MOST_BYTES: Final = 256 * 1024
"""As JSON, all together: a page of many megabytes may be read again and again."""


class Recent:
    """Replies by their command's id, the newest that there is room for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Reply, int]] = OrderedDict()
        self._bytes = 0

    def keep(self, command_id: str, reply: Reply) -> None:
        """Keep a reply; older ones make room, and one that is larger than all room is not kept."""
        size = len(msgspec.json.encode(reply))
        if size > MOST_BYTES:
            return
        self._kept[command_id] = reply, size
        self._bytes += size
        while len(self._kept) > MOST or self._bytes > MOST_BYTES:
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= gone

    def find(self, command_id: str) -> Reply | None:
        """Return the whole reply of a command, if it is kept."""
        kept = self._kept.get(command_id)
        return None if kept is None else kept[0]
