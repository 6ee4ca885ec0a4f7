"""Attendants of dialogs, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.dialog import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from cdp.dialog import Dialog


class Attending:
    """Does with each dialog what a function says, and notes those that ended."""

    def __init__(self, decide: Callable[[Dialog], Answer]) -> None:
        self._decide = decide
        self.ended: list[Dialog] = []

    def opened(self, dialog: Dialog) -> Answer:
        return self._decide(dialog)

    def closed(self, dialog: Dialog) -> None:
        self.ended.append(dialog)


def holding() -> Attending:
    """Holds every dialog."""
    return Attending(lambda _: Answer.hold)
