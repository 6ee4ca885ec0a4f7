"""JavaScript dialogs: each is recorded, and answered at once, soon, or by somebody later.

While a dialog is open the page does nothing: evaluation, captures and the release
of the button that opened it get no reply. So an attendant says what is to become of a
dialog from the handler of its event, before any later message is looked at. One that is
held (the attendant wants that, or the page is sealed) is told to ``on_held`` at once.

A dialog may be closed by somebody else: a person at the window, another connection, the
page that goes away. What is reported as ours was answered by us and taken by Chromium.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import trio

from cdp.errors import CallTimedOut, CdpError
from cdp.page_errors import DialogStays, NoDialogOpen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cdp.connection import CdpSession, Outcome
    from cdp.messages import Event

RECORD_LIMIT = 256
"""The newest dialogs of one page that are remembered; `Dialogs.count` counts all."""

TEXT_LIMIT = 1024
"""Code points kept of a dialog's message, default and address."""

ANSWER_TIMEOUT_S = 5.0
_METHOD = "Page.handleJavaScriptDialog"


class Answer(StrEnum):
    """What an attendant wants done with a dialog that opens."""

    accept = "accept"
    dismiss = "dismiss"
    hold = "hold"  # whoever waits for the page is told
    later = "later"  # it is answered in a moment: nobody is told


class Disposition(StrEnum):
    """What became of a dialog."""

    accepted = "accepted"
    dismissed = "dismissed"
    held = "held"
    elsewhere = "elsewhere"  # closed, and not by us


@dataclass(frozen=True, slots=True)
class Dialog:
    """One dialog. ``message``, ``url`` and ``default_prompt`` are page text, cut if ``cut``.

    ``kind`` is CDP's: alert, confirm, prompt, beforeunload, or a later one. ``number``
    counts the dialogs of one page from 1.
    """

    kind: str
    message: str
    url: str
    default_prompt: str
    cut: bool
    disposition: Disposition = Disposition.held
    number: int = field(default=0, compare=False)


class Attendant(Protocol):
    """Decides about dialogs, and is told of their ends. Must not block or raise."""

    def opened(self, dialog: Dialog) -> Answer:
        """Return what to do with a dialog that has just opened."""

    def closed(self, dialog: Dialog) -> None:
        """Hear what became of a dialog; its disposition is final."""


class ByDefault:
    """Accepts alert and beforeunload, dismisses all else."""

    def opened(self, dialog: Dialog) -> Answer:
        """See `Attendant`."""
        return default_answer(dialog)

    def closed(self, dialog: Dialog) -> None:
        """See `Attendant`."""


def default_answer(dialog: Dialog) -> Answer:
    """Return the answer that loses least: alert and beforeunload accepted, else dismissed."""
    return Answer.accept if dialog.kind in ("alert", "beforeunload") else Answer.dismiss


@dataclass(slots=True)
class _Open:
    """The dialog that is open, or was closed while our answer was on its way."""

    dialog: Dialog
    default_prompt: str  # whole, for an answer
    answering: bool = False  # from our answer on, unless it is refused
    taken: bool = False  # Chromium took our answer
    closed: bool = False
    turn: trio.Event = field(default_factory=trio.Event)  # our answer was taken, or it was not


class Dialogs:
    """The dialogs of one page, in the order in which they opened."""

    def __init__(
        self,
        session: CdpSession,
        attendant: Attendant,
        on_held: Callable[[Dialog], None],
    ) -> None:
        self._session = session
        self._attendant = attendant
        self._on_held = on_held
        self._sealed = False
        self._open: _Open | None = None
        self.records: list[Dialog] = []
        self.count = 0

    @property
    def open(self) -> Dialog | None:
        """The dialog that is open now."""
        return None if self._open is None or self._open.closed else self._open.dialog

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Attend to dialogs for the length of the block; ``Page.enable`` is the caller's."""
        with (
            self._session.handler("Page.javascriptDialogOpening", self._opening),
            self._session.handler("Page.javascriptDialogClosed", self._closed),
        ):
            yield

    def attend(self, attendant: Attendant) -> None:
        """Let somebody else attend to dialogs that open from now on."""
        self._attendant = attendant

    def seal(self) -> None:
        """Answer nothing from now on."""
        self._sealed = True

    async def answer(
        self, *, accept: bool, text: str | None = None, timeout_s: float = ANSWER_TIMEOUT_S
    ) -> Dialog:
        """Answer the open dialog and return it once it is closed.

        ``text`` is what an accepted prompt returns, its own default text without one.
        The disposition returned is ``elsewhere`` when somebody else was faster. Raises
        NoDialogOpen (none is, or it is being answered, or the page is sealed; nothing
        was sent), DialogStays, CallTimedOut.
        """
        opened = self._open
        if opened is None or opened.answering or self._sealed:
            raise NoDialogOpen
        self._send(opened, accept=accept, text=text)
        with trio.move_on_after(timeout_s):
            await opened.turn.wait()
        if opened.dialog.disposition is Disposition.held:
            raise DialogStays
        if not opened.closed:
            raise CallTimedOut(_METHOD, timeout_s)
        return opened.dialog

    def _opening(self, event: Event) -> None:
        self.count += 1
        dialog = replace(parse_dialog(event.params), number=self.count)
        self.records.append(dialog)
        del self.records[:-RECORD_LIMIT]
        self._open = _Open(dialog, str(event.params.get("defaultPrompt") or ""))
        answer = self._attendant.opened(dialog)
        if self._sealed or answer is Answer.hold:
            self._on_held(dialog)
        elif answer is not Answer.later:
            self._send(self._open, accept=answer is Answer.accept, text=None)

    def _closed(self, event: Event) -> None:
        del event
        opened = self._open
        if opened is None or opened.closed:
            return
        opened.closed = True
        if opened.taken:
            self._end(opened, opened.dialog.disposition)
        elif not opened.answering:
            self._end(opened, Disposition.elsewhere)

    def _send(self, opened: _Open, *, accept: bool, text: str | None) -> None:
        """Send our answer; from now on it counts as ours, unless Chromium refuses it."""
        opened.answering, opened.turn = True, trio.Event()
        self._note(opened, Disposition.accepted if accept else Disposition.dismissed)
        parameters: dict[str, object] = {"accept": accept}
        if accept and opened.dialog.kind == "prompt":
            # without a text Chromium gives the page an empty one, not the prompt's own
            parameters["promptText"] = opened.default_prompt if text is None else text
        try:
            self._session.post(_METHOD, parameters, lambda outcome: self._settle(opened, outcome))
        except CdpError as error:
            self._settle(opened, error)

    def _settle(self, opened: _Open, outcome: Outcome) -> None:
        refused = isinstance(outcome, CdpError)
        opened.answering, opened.taken = not refused, not refused
        if opened.closed:
            self._end(opened, Disposition.elsewhere if refused else opened.dialog.disposition)
        elif refused:
            self._note(opened, Disposition.held)
            opened.turn.set()
            self._on_held(opened.dialog)

    def _end(self, opened: _Open, disposition: Disposition) -> None:
        self._note(opened, disposition)
        if self._open is opened:
            self._open = None
        opened.turn.set()
        self._attendant.closed(opened.dialog)

    def _note(self, opened: _Open, disposition: Disposition) -> None:
        opened.dialog = replace(opened.dialog, disposition=disposition)
        place = opened.dialog.number - self.count - 1
        if -len(self.records) <= place:
            self.records[place] = opened.dialog


def parse_dialog(parameters: dict[str, object]) -> Dialog:
    """Return the dialog of one ``Page.javascriptDialogOpening`` event; absent texts are ""."""
    texts = [str(parameters.get(name) or "") for name in ("message", "url", "defaultPrompt")]
    message, url, default = (text[:TEXT_LIMIT] for text in texts)
    cut = any(len(text) > TEXT_LIMIT for text in texts)
    return Dialog(str(parameters.get("type") or "unknown"), message, url, default, cut)
