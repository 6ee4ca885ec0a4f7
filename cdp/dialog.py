"""JavaScript dialogs: each is recorded and answered at once, or held.

While a dialog is open the page does nothing: evaluation, captures and the release
of the button that opened it get no reply. So a dialog is answered from the handler
of its event, before any later message is looked at; one that is held (the policy
gives no answer, or the page is sealed) is told to ``on_held`` at once.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from cdp.errors import CdpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cdp.connection import CdpSession, Outcome
    from cdp.messages import Event

RECORD_LIMIT = 256
"""The newest dialogs of one page that are remembered; `Dialogs.count` counts all."""

TEXT_LIMIT = 1024
"""Code points kept of a dialog's message, default and address."""


class Disposition(StrEnum):
    """What became of a dialog."""

    accepted = "accepted"
    dismissed = "dismissed"
    held = "held"


@dataclass(frozen=True, slots=True)
class Dialog:
    """One dialog. ``message``, ``url`` and ``default_prompt`` are page text, cut if ``cut``.

    ``kind`` is CDP's: alert, confirm, prompt, beforeunload, or a later one.
    """

    kind: str
    message: str
    url: str
    default_prompt: str
    cut: bool
    disposition: Disposition = Disposition.held


def decide_by_default(dialog: Dialog) -> bool | None:
    """Accept alert and beforeunload, dismiss all else."""
    return dialog.kind in ("alert", "beforeunload")


class Dialogs:
    """The dialogs of one page, in the order in which they opened."""

    def __init__(
        self,
        session: CdpSession,
        decide: Callable[[Dialog], bool | None],
        on_held: Callable[[Dialog], None],
    ) -> None:
        self._session = session
        self._decide = decide
        self._on_held = on_held
        self._sealed = False
        self.records: list[Dialog] = []
        self.count = 0
        self.open: Dialog | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Answer dialogs for the length of the block; ``Page.enable`` is the caller's."""
        with (
            self._session.handler("Page.javascriptDialogOpening", self._opening),
            self._session.handler("Page.javascriptDialogClosed", self._closed),
        ):
            yield

    def seal(self) -> None:
        """Answer nothing from now on."""
        self._sealed = True

    def _opening(self, event: Event) -> None:
        dialog = parse_dialog(event.params)
        answer = None if self._sealed else self._decide(dialog)
        if answer is not None:
            disposition = Disposition.accepted if answer else Disposition.dismissed
            dialog = replace(dialog, disposition=disposition)
        self.count += 1
        self.records.append(dialog)
        del self.records[:-RECORD_LIMIT]
        self.open = dialog
        if answer is None:
            self._on_held(dialog)
        else:
            self._answer(dialog, accept=answer)

    def _closed(self, event: Event) -> None:
        del event
        self.open = None

    def _answer(self, dialog: Dialog, *, accept: bool) -> None:
        def settle(outcome: Outcome) -> None:
            if isinstance(outcome, CdpError) and self.open is dialog:
                self._unanswered(dialog)

        try:
            self._session.post("Page.handleJavaScriptDialog", {"accept": accept}, settle)
        except CdpError:
            self._unanswered(dialog)

    def _unanswered(self, dialog: Dialog) -> None:
        """Note that Chromium did not take the answer and did not close the dialog: it is held."""
        # it is the newest: no other opens while it is open
        self.open = self.records[-1] = replace(dialog, disposition=Disposition.held)
        self._on_held(self.open)


def parse_dialog(parameters: dict[str, object]) -> Dialog:
    """Return the dialog of one ``Page.javascriptDialogOpening`` event; absent texts are ""."""
    texts = [str(parameters.get(name) or "") for name in ("message", "url", "defaultPrompt")]
    message, url, default = (text[:TEXT_LIMIT] for text in texts)
    cut = any(len(text) > TEXT_LIMIT for text in texts)
    return Dialog(str(parameters.get("type") or "unknown"), message, url, default, cut)
