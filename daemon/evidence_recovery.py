"""What a start makes of evidence sessions that ended before it: tombstones, and whole records.

The journal says which sessions ended and, of one that a dead daemon left, which action was
running; its own record says the rest. A record without an end gets one here. For an hour
after its end a session answers its actor as it did before the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

import trio

from daemon.evidence_store import close_record, read_record
from daemon.logs import LOGGER
from protocol.evidence import Called, Refuse, decide_step, open_session
from protocol.evidence_session import (
    TOMBSTONE_S,
    ActionOutcome,
    BatchProgress,
    End,
    Moment,
    Phase,
    Session,
)
from protocol.receipts import format_time
from protocol.viewports import DEFAULT_VIEWPORT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from daemon.clock import Clock
    from daemon.evidence_store import Event
    from daemon.store.proofs import EndedProof, Proofs
    from protocol.messages import Call

MOST_RECOVERED: Final = 1024
KILLED: Final = "the daemon was killed"
_PHASE_AFTER: Final = {
    "begun": Phase.STAGE,
    "action": Phase.STAGE,
    "frozen": Phase.FROZEN,
    "observed": Phase.OBSERVED,
    "finished": Phase.FINISHED,
}


@dataclass(frozen=True)
class Tombstone:
    """A session of an earlier daemon; it answers as every ended session does."""

    proof_id: str
    state: Session
    summary: Mapping[str, object]
    """Its element of ``session.list``."""

    def answer(self, principal: str, request: Call, now: Moment) -> NoReturn:
        """Raise the Failure that a call is answered with."""
        _, effects = decide_step(self.state, Called(principal, request), now)
        for effect in effects:
            if isinstance(effect, Refuse):
                raise effect.failure
        raise AssertionError("a session that has ended refuses every call")


async def recover_proofs(proofs: Proofs, root: Path, clock: Clock) -> list[Tombstone]:
    """Close the records that a dead daemon left open; return who answers still, oldest first.

    Raises Failure when the journal cannot be read.
    """
    since_ms = clock.utc_ms() - int(TOMBSTONE_S * 1000)
    ended = await proofs.ended_since(since_ms, limit=MOST_RECOVERED)
    return [await _recover(one, root / one.proof_id, clock) for one in reversed(ended)]


async def _recover(ended: EndedProof, home: Path, clock: Clock) -> Tombstone:
    events = await trio.to_thread.run_sync(read_record, home)
    if events and _is_end(events[-1]):
        summary = events[-1]
    else:
        summary = {"event": "ended", **interrupted(ended, events)}
        try:
            await trio.to_thread.run_sync(close_record, home, summary)
        except OSError as error:
            LOGGER.warning("the record of %s stays open: %s", ended.proof_id, error.strerror)
    told = {name: value for name, value in summary.items() if name != "event"}
    state = _state_of(ended, told, clock)
    return Tombstone(ended.proof_id, state, {**told, "cleanup": "done"})


def _is_end(event: Event) -> bool:
    """Whether it is the summary of a session that has ended, as we write it."""
    return event.get("event") == "ended" and {"endedDuring", "actionIndex"} <= event.keys()


def interrupted(ended: EndedProof, events: Sequence[Event]) -> dict[str, object]:
    """Return the summary of a session that a dead daemon left, from its record so far."""
    kinds = [event.get("event") for event in events]
    during = next((_PHASE_AFTER[k] for k in reversed(kinds) if k in _PHASE_AFTER), Phase.SETUP)
    begun: Any = next((event for event in events if event.get("event") == "begun"), {})
    receipts = [event.get("receiptId") for event in events if event.get("event") == "finished"]
    running = ended.running
    return {
        "proofId": ended.proof_id,
        "attemptId": begun.get("binding", {}).get("attemptId"),
        "phase": Phase.FAILED.value,
        "sequence": None,
        "running": None,
        "startedAt": format_time(ended.began_ms),
        "deadlineAt": None,
        "endedAt": format_time(ended.ended_ms),
        "endedDuring": during.value,
        "reason": KILLED if running is None else _tell_running(running),
        "actionIndex": running,
        "actionOutcome": None if running is None else ActionOutcome.UNKNOWN.value,
        "receiptId": receipts[-1] if receipts else None,
        "cleanup": "done",
    }


def _tell_running(place: int) -> str:
    return BatchProgress(place, running=True).tell(KILLED)


def _state_of(ended: EndedProof, told: Mapping[str, Any], clock: Clock) -> Session:
    ended_s = ended.ended_ms / 1000
    boot_s = clock.boot_s() - (clock.utc_ms() / 1000 - ended_s)
    outcome = told.get("actionOutcome")
    end = End(
        Phase(told["phase"]),
        Phase(told["endedDuring"]),
        str(told["reason"]),
        told["actionIndex"],
        Moment(boot_s, ended_s),
        None if outcome is None else ActionOutcome(outcome),
        told.get("receiptId"),
    )
    opened = open_session(ended.principal, DEFAULT_VIEWPORT, (), end.at)
    return replace(opened, phase=end.phase, running=None, end=end)
