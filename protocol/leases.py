"""The life of a session: its states, its clocks, and what ends it.

A pure machine, as protocol.evidence is one: time is judged before anything else that
happens. Evidence sessions keep their own phases; their lease here is only what holds
their place. Sources: behaviour.md §1.0.9, DESIGN §1 and §4.

Two rows of the table are read as follows. What could not be recovered in time is ``lost``,
not ``closing``: nobody asked for its end; its resources are freed all the same. And a tab
that goes while the session is closing is no loss: closing is what makes it go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from protocol.errors import Failure, FailureBody
from protocol.evidence_session import Moment

HARD_S: Final = 86_400.0
"""Longest life of a session, whatever it does."""
IDLE_S: Final = 7_200.0
"""Longest life after the last admitted command."""
PROVISIONING_S: Final = 30.0
RECOVERY_S: Final = 90.0


class SessionKind(StrEnum):
    """Who sits before the tab: a person, nobody, or a caller bound to a job."""

    ATTENDED = "attended"
    UNATTENDED = "unattended"
    EVIDENCE = "evidence"


class LeaseState(StrEnum):
    """Where a session stands; the last three are ends."""

    PROVISIONING = "provisioning"
    CONNECTED = "connected"
    RECOVERING = "recovering"
    CLOSING = "closing"
    CLOSED = "closed"
    EXPIRED = "expired"
    LOST = "lost"


LIVE: Final = frozenset({LeaseState.PROVISIONING, LeaseState.CONNECTED, LeaseState.RECOVERING})
ENDED: Final = frozenset({LeaseState.CLOSED, LeaseState.EXPIRED, LeaseState.LOST})


class Signal(StrEnum):
    """What can happen to a lease, besides time and commands."""

    PROVISIONED = "provisioned"
    """The tab is there, for the first time or again."""
    PROVISION_FAILED = "provision_failed"
    TAB_GONE = "tab_gone"
    """The tab is gone, or its browser is and cannot come back."""
    UNREACHABLE = "unreachable"
    """The browser of a profile is gone and may come back."""
    CLOSE_ASKED = "close_asked"
    RELEASED = "released"
    """Tab, browser and profile are known to be freed."""


Table = Mapping[LeaseState, Mapping[Signal, LeaseState]]

_LIVE_ROW: Final = {Signal.TAB_GONE: LeaseState.LOST, Signal.CLOSE_ASKED: LeaseState.CLOSING}

TABLE: Final[Table] = {
    LeaseState.PROVISIONING: {
        **_LIVE_ROW,
        Signal.PROVISIONED: LeaseState.CONNECTED,
        Signal.PROVISION_FAILED: LeaseState.CLOSING,
        Signal.UNREACHABLE: LeaseState.CLOSING,
    },
    LeaseState.CONNECTED: {**_LIVE_ROW, Signal.UNREACHABLE: LeaseState.RECOVERING},
    LeaseState.RECOVERING: {**_LIVE_ROW, Signal.PROVISIONED: LeaseState.CONNECTED},
    LeaseState.CLOSING: {Signal.RELEASED: LeaseState.CLOSED},
    LeaseState.CLOSED: {},
    LeaseState.EXPIRED: {Signal.RELEASED: LeaseState.EXPIRED},
    LeaseState.LOST: {Signal.RELEASED: LeaseState.LOST},
}
"""State and signal to the next state. A signal that is not in the row changes nothing."""


@dataclass(frozen=True, slots=True)
class Lease:
    """All that decides what a session may do. `open_lease` makes the first one.

    ``until`` bounds the state itself: provisioning and recovery. ``active`` is the last
    admitted command, or the beginning. ``released``: it holds nothing any more.
    ``epoch_changed``: its browser is another one now, so writes stay blocked until the end.
    """

    began: Moment
    active: Moment
    state: LeaseState = LeaseState.PROVISIONING
    until: Moment | None = None
    reason: str = ""
    ended: Moment | None = None
    released: bool = False
    epoch_changed: bool = False

    @property
    def hard_deadline(self) -> Moment:
        """When it ends whatever happens."""
        return self.began.after(HARD_S)

    @property
    def idle_deadline(self) -> Moment:
        """When it ends unless another command is admitted; never after the hard one."""
        idle = self.active.after(IDLE_S)
        hard = self.hard_deadline
        return Moment(min(idle.boot_s, hard.boot_s), min(idle.wall_s, hard.wall_s))

    @property
    def next_deadline(self) -> Moment | None:
        """When time will next change it by itself; None when it will not."""
        if self.state not in LIVE:
            return None
        idle = self.idle_deadline
        if self.until is None:
            return idle
        return Moment(min(idle.boot_s, self.until.boot_s), min(idle.wall_s, self.until.wall_s))


@dataclass(frozen=True, slots=True)
class Signalled:
    """Something happened to the session; the reason is for people, in our own words."""

    signal: Signal
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CommandAdmitted:
    """A valid command was admitted: the session is not idle."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time has passed and nothing else happened."""


Occurrence = Signalled | CommandAdmitted | Ticked


@dataclass(frozen=True, slots=True)
class Release:
    """It has ended: end its commands, answer who waits, free tab, browser and profile."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Its browser is gone for now: end its commands, its refs and its dialogs."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The lease has changed in a way that the store keeps."""


Effect = Release | Interrupt | Recorded
Step = tuple[Lease, tuple[Effect, ...]]


def open_lease(now: Moment) -> Lease:
    """Return the lease of a session whose tab is being made now."""
    return Lease(began=now, active=now, until=now.after(PROVISIONING_S))


def decide_step(lease: Lease, occurrence: Occurrence, now: Moment, table: Table = TABLE) -> Step:
    """Return the lease after an occurrence, and what to do about it."""
    lease, effects = _after_time(lease, now)
    if isinstance(occurrence, CommandAdmitted):
        active = now if lease.state in LIVE else lease.active
        return replace(lease, active=active), effects
    if isinstance(occurrence, Signalled):
        lease, more = _signal(lease, occurrence, now, table)
        return lease, (*effects, *more)
    return lease, effects


def _after_time(lease: Lease, now: Moment) -> Step:
    if lease.state not in LIVE:
        return lease, ()
    if now.has_reached(lease.hard_deadline):
        return _end(lease, LeaseState.EXPIRED, f"its {HARD_S / 3600:.0f} h have run out", now)
    if now.has_reached(lease.idle_deadline):
        reason = f"no command came for {IDLE_S / 3600:.0f} h"
        return _end(lease, LeaseState.EXPIRED, reason, now)
    if lease.until is None or not now.has_reached(lease.until):
        return lease, ()
    if lease.state is LeaseState.PROVISIONING:
        reason = f"its tab was not there within {PROVISIONING_S:.0f} s"
        return _end(lease, LeaseState.CLOSING, reason, now)
    reason = f"its browser did not come back within {RECOVERY_S:.0f} s"
    return _end(lease, LeaseState.LOST, reason, now)


def _signal(lease: Lease, signalled: Signalled, now: Moment, table: Table) -> Step:
    state = table[lease.state].get(signalled.signal)
    if state is None:
        return lease, ()
    if signalled.signal is Signal.RELEASED:
        return replace(lease, state=state, released=True), (Recorded(),)
    if state is LeaseState.RECOVERING:
        until = now.after(RECOVERY_S)
        recovering = replace(lease, state=state, until=until, epoch_changed=True)
        return recovering, (Interrupt(), Recorded())
    if state is LeaseState.CONNECTED:
        return replace(lease, state=state, until=None), (Recorded(),)
    return _end(lease, state, signalled.reason, now)


def _end(lease: Lease, state: LeaseState, reason: str, now: Moment) -> Step:
    ended = lease.ended or now
    after = replace(lease, state=state, until=None, reason=lease.reason or reason, ended=ended)
    return after, (Release(), Recorded())


TAB_GONE: Final = "its tab is gone"
"""How the reason begins when nothing but the tab was lost; `SessionGone` then says so."""


NEVER_OPENED: Final = "its first page did not load"
"""How the reason begins when a session ended before its caller was told of it."""


def gone_code(state: LeaseState, reason: str) -> str:
    """Return the code by which an ended session answers."""
    if state is not LeaseState.LOST:
        return "gone"
    return "tab_gone" if reason.startswith(TAB_GONE) else "lost"


class GoneBody(FailureBody):
    """The ``error`` member of a call to a session that has ended."""

    sessionId: str  # noqa: N815  # a member on the wire
    state: str
    reason: str


class SessionGone(Failure):
    """The session has ended; it answers with what it was last.

    The code is ``gone``, or ``lost``, or ``tab_gone`` for a lost tab.
    """

    def __init__(self, session_id: str, state: LeaseState, reason: str) -> None:
        super().__init__(
            gone_code(state, reason),
            f"The session is {state.value}: {reason or 'the caller closed it'}",
            "Its log still answers: understudy session log. Another one: understudy open --new URL",
        )
        self.session_id = session_id
        self.state = state
        self.reason = reason

    @property
    def never_opened(self) -> bool:
        """Whether it ended because its first page did not load."""
        return self.reason.startswith(NEVER_OPENED)

    def body(self) -> GoneBody:
        """Return the ``error`` member of a reply, with the session's last status."""
        return {
            **super().body(),
            "sessionId": self.session_id,
            "state": self.state.value,
            "reason": self.reason,
        }
