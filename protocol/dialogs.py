"""The dialogs of one session: which answer each gets, and which are kept to be told.

A pure machine: events in, an outbox and effects out. A dialog stays in the outbox until
the caller has been told of it. The outbox has limits and evicts nothing: a dialog that
does not fit is answered like any other and not kept, and the outbox says ever after that
something is missing. Sources: behaviour.md §1.0.6, DESIGN §6.

A dialog is told apart by its number in the session, counted from 1 in order of opening:
one that is not newer than the newest was noted before.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from protocol.canonical import encode_canonical

MAX_RECORDS: Final = 256
MAX_BYTES: Final = 262_144
"""Of all records in the outbox, as they are serialised."""
VISIBLE: Final = 50
"""The newest dialogs that a list shows, told before or not."""

ENDED_BYTES: Final = 64
"""Room kept in a record for what became of its dialog."""

MESSAGE_BYTES: Final = 4096
PROMPT_BYTES: Final = 1024
URL_BYTES: Final = 8192
"""UTF-8 bytes of a record's texts."""

HELD_S: Final = 30.0
"""How long a dialog waits to be answered under ``ask``; then it gets its default answer."""
STORE_S: Final = 0.25
"""How long an answer waits for its record to be stored."""


class OnDialog(StrEnum):
    """What a session does with a dialog."""

    ASK = "ask"
    ACCEPT = "accept"
    DISMISS = "dismiss"
    DEFAULT = "default"


class Disposition(StrEnum):
    """What became of a dialog."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    ELSEWHERE = "elsewhere"
    """It was closed, and not by us: by a person, or because its page went away."""
    INTERRUPTED = "interrupted"
    """The browser was gone before it was answered."""


class Health(StrEnum):
    """Whether all dialogs were kept; it only ever gets worse."""

    OK = "ok"
    INTERRUPTED = "interrupted"
    OVERFLOW = "overflow"


_SEVERITY: Final = tuple(Health)


@dataclass(frozen=True, slots=True)
class Met:
    """One dialog. ``message``, ``default_prompt`` and ``url`` are page text.

    ``type`` is the browser's word: alert, confirm, prompt, beforeunload, or a later one.
    ``cut`` says that a text was longer. Times are milliseconds UTC.
    """

    number: int
    dialog_id: str
    occurred_ms: int
    type: str
    message: str
    default_prompt: str
    url: str
    cut: bool = False
    disposition: Disposition = Disposition.OPEN
    answered_ms: int | None = None

    def wire(self) -> dict[str, object]:
        """Return the dialog as replies tell it."""
        told: dict[str, object] = {
            "number": self.number,
            "dialogId": self.dialog_id,
            "occurredAt": self.occurred_ms,
            "type": self.type,
            "message": self.message,
            "url": self.url,
            "cut": self.cut,
            "disposition": self.disposition.value,
        }
        if self.default_prompt:
            told["defaultPrompt"] = self.default_prompt
        if self.answered_ms is not None:
            told["answeredAt"] = self.answered_ms
        return told


@dataclass(frozen=True, slots=True)
class Outbox:
    """The dialogs of one session. ``pending`` are those nobody was told of, oldest first."""

    pending: tuple[Met, ...] = ()
    visible: tuple[Met, ...] = ()
    open: Met | None = None
    newest: int = 0
    forgotten: int = 0
    """The last number that is in no list any more, nor in the store."""
    size_bytes: int = 0
    """How much of MAX_BYTES the pending ones use."""
    health: Health = Health.OK


# --- events -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A dialog opened."""

    met: Met


@dataclass(frozen=True, slots=True)
class Ended:
    """The dialog with this number is closed."""

    number: int
    disposition: Disposition
    at_ms: int


@dataclass(frozen=True, slots=True)
class Unstored:
    """The store did not take a record in time, or at all."""

    number: int


@dataclass(frozen=True, slots=True)
class Told:
    """The caller was told of every dialog up to this number."""

    through: int


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The browser is gone, or is another one now."""

    at_ms: int


Event = Opened | Ended | Unstored | Told | Interrupted

# --- effects ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Store:
    """Store this record; report Unstored if that fails."""

    met: Met


@dataclass(frozen=True, slots=True)
class Amend:
    """Store what became of a record."""

    number: int
    disposition: Disposition
    at_ms: int


@dataclass(frozen=True, slots=True)
class Forget:
    """Drop stored records up to this number."""

    through: int


Effect = Store | Amend | Forget
Step = tuple[Outbox, tuple[Effect, ...]]


def decide_answer(policy: OnDialog, kind: str) -> bool | None:
    """Return whether to accept a dialog at once; None: ask, then `default_answer`."""
    match policy:
        case OnDialog.ASK:
            return None
        case OnDialog.DEFAULT:
            return default_answer(kind)
        case _:
            return policy is OnDialog.ACCEPT


def default_answer(kind: str) -> bool:
    """Return whether a dialog that nobody answers is accepted."""
    return kind in ("alert", "beforeunload")


def decide_step(outbox: Outbox, event: Event) -> Step:
    """Return what an event makes of the outbox, and what is to be done, in order."""
    match event:
        case Opened(met):
            return _opened(outbox, met)
        case Ended(number, disposition, at_ms):
            return _ended(outbox, number, disposition, at_ms)
        case Unstored(number):
            return _worse(_without(outbox, number), Health.OVERFLOW), ()
        case Told(through):
            return _told(outbox, through)
        case Interrupted(at_ms):
            return _interrupted(outbox, at_ms)


def record_bytes(met: Met) -> int:
    """Return how large a record is, serialised."""
    return len(encode_canonical(met.wire()).encode())


def cut_text(text: str, limit_bytes: int) -> tuple[str, bool]:
    """Return as much of a text as its limit takes, whole characters, and whether it was cut."""
    data = text.encode()
    return data[:limit_bytes].decode(errors="ignore"), len(data) > limit_bytes


def _opened(outbox: Outbox, met: Met) -> Step:
    if met.number <= outbox.newest:
        return outbox, ()
    noted = replace(outbox, open=met, newest=met.number)
    if not _fits(outbox, met):
        return _worse(noted, Health.OVERFLOW), ()
    kept = replace(
        noted,
        pending=(*outbox.pending, met),
        visible=(*outbox.visible, met)[-VISIBLE:],
        size_bytes=outbox.size_bytes + record_bytes(met),
    )
    return kept, (Store(met),)


def _fits(outbox: Outbox, met: Met) -> bool:
    texts = (met.message, MESSAGE_BYTES), (met.default_prompt, PROMPT_BYTES), (met.url, URL_BYTES)
    if any(len(text.encode()) > limit for text, limit in texts):
        return False
    # its end will make it larger
    room = MAX_BYTES - outbox.size_bytes - ENDED_BYTES
    return len(outbox.pending) < MAX_RECORDS and record_bytes(met) <= room


def _ended(outbox: Outbox, number: int, disposition: Disposition, at_ms: int) -> Step:
    if outbox.open is None or outbox.open.number != number:
        return outbox, ()
    ended = replace(outbox.open, disposition=disposition, answered_ms=at_ms)
    kept = any(met.number == number for met in outbox.visible)
    grown = record_bytes(ended) - record_bytes(outbox.open)
    after = replace(
        outbox,
        open=None,
        pending=_amended(outbox.pending, ended),
        visible=_amended(outbox.visible, ended),
        size_bytes=outbox.size_bytes + (grown if outbox.open in outbox.pending else 0),
    )
    return after, (Amend(number, disposition, at_ms),) if kept else ()


def _amended(records: tuple[Met, ...], ended: Met) -> tuple[Met, ...]:
    return tuple(ended if met.number == ended.number else met for met in records)


def _without(outbox: Outbox, number: int) -> Outbox:
    visible = tuple(met for met in outbox.visible if met.number != number)
    pending = tuple(met for met in outbox.pending if met.number != number)
    return replace(_pending(outbox, pending), visible=visible)


def _pending(outbox: Outbox, pending: tuple[Met, ...]) -> Outbox:
    return replace(outbox, pending=pending, size_bytes=sum(map(record_bytes, pending)))


def _told(outbox: Outbox, through: int) -> Step:
    """Drop what was told; one that is open stays, because its end is to be told yet."""
    still = None if outbox.open is None else outbox.open.number
    pending = tuple(m for m in outbox.pending if m.number > through or m.number == still)
    kept = [met.number for met in (*pending, *outbox.visible)]
    gone = min(kept, default=outbox.newest + 1) - 1
    effects = (Forget(gone),) if gone > outbox.forgotten else ()
    forgotten = max(gone, outbox.forgotten)
    return replace(_pending(outbox, pending), forgotten=forgotten), effects


def _interrupted(outbox: Outbox, at_ms: int) -> Step:
    effects: tuple[Effect, ...] = ()
    if outbox.open is not None:
        number = outbox.open.number
        outbox, effects = _ended(outbox, number, Disposition.INTERRUPTED, at_ms)
    return _worse(outbox, Health.INTERRUPTED), effects


def _worse(outbox: Outbox, health: Health) -> Outbox:
    worst = max(outbox.health, health, key=_SEVERITY.index)
    return replace(outbox, health=worst)
