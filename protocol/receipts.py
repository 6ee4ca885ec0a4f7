"""Receipts of evidence sessions, version 2: what a session records, and the end of it.

Source: receipt-v2.md. Times are milliseconds since 1970 in UTC. Nothing a person
typed comes in: of an action only kind, projection digest and status are kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from protocol.actions import Action
from protocol.canonical import digest, digest_bytes
from protocol.errors import Failure, proof_failure
from protocol.pictures import Frame

SCHEMA_VERSION: Final = 2
PROFILE: Final = "intendant-external-cu-proof-v1"
STAGE_DOMAIN: Final = "intendant-external-cu-stage-v1"
TRANSCRIPT_DOMAIN: Final = "intendant-external-cu-transcript-v1"
RECEIPT_DOMAIN: Final = "intendant-external-cu-receipt-v1"
RECEIPT_ID_PREFIX: Final = "ecup-receipt:"

EXECUTION: Final[Mapping[str, object]] = {
    "kind": "external-actions",
    "internalModelCalls": 0,
    "claimsAuthority": "external-caller",
    "grantsSubmissionAuthority": False,
}
"""What every receipt says of itself: no model ran, the claims are the caller's words."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Kind(StrEnum):
    """Kinds of transcript events."""

    INITIAL_FRAME = "initial_frame"
    ACTION = "action"
    FREEZE = "freeze"
    OBSERVATION = "observation"
    EXTERNAL_CLAIMS = "external_claims"


class ActionStatus(StrEnum):
    """What is known of an action: effect seen, input sent, or neither."""

    OK = "ok"
    INJECTED = "injected"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Binding:
    """What a session is bound to; none of it changes while it lives."""

    attempt_id: str
    workspace_id: str
    display_id: int
    capture_generation: str
    job_sha256: str

    def wire(self) -> dict[str, object]:
        """Return the binding as replies and receipts have it."""
        return {
            "attemptId": self.attempt_id,
            "workspaceId": self.workspace_id,
            "displayId": self.display_id,
            "displayTarget": f"display_{self.display_id}",
            "captureGeneration": self.capture_generation,
            "jobSha256": self.job_sha256,
        }


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a transcript."""

    kind: Kind
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Record:
    """What a session has done so far; each step returns the next record.

    Make one with `open_record`. The steps are legal in the order of the phases, which
    protocol.evidence keeps; a step whose time lies before the one before it raises
    Failure ``external-proof-clock``.
    """

    proof_id: str
    binding: Binding
    actor: Mapping[str, object]
    frame: Frame
    """The newest frame."""
    events: tuple[Event, ...]
    times_ms: tuple[int, ...]
    """Start, freeze and observation, as far as they have come."""

    def acted(self, action: Action, status: ActionStatus, frame: Frame) -> "Record":
        """Add an action that ran and the frame taken after it."""
        detail = {
            "kind": action.type,
            "projectionSha256": action.projection_sha256,
            "status": status.value,
            "input": action.is_input,
            "frameSha256": frame.sha256,
        }
        return self._then(Kind.ACTION, detail, frame)

    def frozen(self, at_ms: int) -> "Record":
        """Add the freeze, on the last frame before it."""
        return self._then(Kind.FREEZE, {"frameSha256": self.frame.sha256}, self.frame, at_ms)

    def observed(self, at_ms: int, frame: Frame, pre_observation_sha256: str) -> "Record":
        """Add the observation: a new capture, and the digest of what was read before it."""
        detail = {"frameSha256": frame.sha256, "preObservationSha256": pre_observation_sha256}
        return self._then(Kind.OBSERVATION, detail, frame, at_ms)

    def finished(self, at_ms: int, elapsed_ms: int, claims_json: str) -> dict[str, object]:
        """Return the receipt; ``claims_json`` stays as the caller wrote it."""
        claims = {"claimsSha256": digest_bytes(claims_json.encode())}
        detail = {**claims, "frameSha256": self.frame.sha256}
        record = self._then(Kind.EXTERNAL_CLAIMS, detail, self.frame, at_ms)
        body = _body(record, elapsed_ms) | {"claimsJson": claims_json} | claims
        return body | {"receiptId": receipt_id(body)}

    def transcript(self) -> list[dict[str, object]]:
        """Return the events as a receipt has them, numbered from 0."""
        return [
            {"sequence": sequence, "kind": event.kind.value, "detail": dict(event.detail)}
            for sequence, event in enumerate(self.events)
        ]

    def _then(
        self, kind: Kind, detail: Mapping[str, object], frame: Frame, at_ms: int | None = None
    ) -> "Record":
        if at_ms is not None and at_ms < self.times_ms[-1]:
            raise _clock_moved_back()
        times_ms = self.times_ms if at_ms is None else (*self.times_ms, at_ms)
        events = (*self.events, Event(kind, detail))
        return replace(self, events=events, frame=frame, times_ms=times_ms)


def _body(record: Record, elapsed_ms: int) -> dict[str, object]:
    """Everything of a receipt up to its claims; the last event but one is the observation."""
    transcript = record.transcript()
    started, frozen, observed, completed = map(format_time, record.times_ms)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "profile": PROFILE,
        "proofId": record.proof_id,
        "binding": record.binding.wire(),
        "actor": dict(record.actor),
        "execution": dict(EXECUTION),
        "startedAt": started,
        "frozenAt": frozen,
        "observedAt": observed,
        "completedAt": completed,
        "elapsedMs": elapsed_ms,
        **_counters(record),
        "stageTranscriptSha256": digest(STAGE_DOMAIN, stage_of(transcript)),
        "preObservationSha256": record.events[-2].detail["preObservationSha256"],
        "observation": record.frame.wire(),
        "transcript": transcript,
        "transcriptSha256": digest(TRANSCRIPT_DOMAIN, transcript),
    }


def _counters(record: Record) -> dict[str, int]:
    actions = [event.detail for event in record.events if event.kind is Kind.ACTION]
    return {
        "actionCount": len(actions),
        "inputEventCount": sum(detail["input"] is True for detail in actions),
        "postObservationInputEventCount": 0,
    }


def open_record(
    proof_id: str,
    binding: Binding,
    actor: Mapping[str, object],
    started_ms: int,
    frame: Frame,
) -> Record:
    """Return the record of a session that has its first frame."""
    first = Event(Kind.INITIAL_FRAME, {"frameSha256": frame.sha256})
    return Record(proof_id, binding, actor, frame, (first,), (started_ms,))


def receipt_id(receipt: Mapping[str, object]) -> str:
    """Return the id that seals a receipt: a digest of all of it but the id itself."""
    body = {name: value for name, value in receipt.items() if name != "receiptId"}
    return RECEIPT_ID_PREFIX + digest(RECEIPT_DOMAIN, body)


def stage_of(transcript: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the events up to and including the first freeze; all of them without one."""
    for index, event in enumerate(transcript):
        if event["kind"] == Kind.FREEZE:
            return transcript[: index + 1]
    return transcript


def format_time(at_ms: int) -> str:
    """Return a time as RFC 3339 in UTC with milliseconds, as in 2026-01-02T03:04:05.678Z."""
    moment = _EPOCH + timedelta(milliseconds=at_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def _clock_moved_back() -> Failure:
    return proof_failure(
        "clock",
        "The system clock moved back during the session, so its times prove nothing",
        "Begin a new attempt once the clock is steady.",
    )
