"""What a verifier checks of a receipt, in receipt-v2's order; pure and offline.

Each check is a function of the receipt that returns the first bad place or None, and
each has a class of its own. The first check that finds something is the answer, so a
later one may rely on all before it: after `fields` every name and JSON type is right.
What passes is consistent, no more: anyone could have written it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from protocol.actions import MAX_SESSION_ACTIONS
from protocol.canonical import MAX_DEPTH, JsonRefused, digest, digest_bytes, parse_json
from protocol.errors import Failure
from protocol.names import is_digest
from protocol.pictures import parse_png
from protocol.receipt_fields import check_fields
from protocol.receipts import (
    EXECUTION,
    PROFILE,
    SCHEMA_VERSION,
    STAGE_DOMAIN,
    TRANSCRIPT_DOMAIN,
    Kind,
    receipt_id,
    stage_of,
)

MAX_RECEIPT_BYTES: Final = 64 * 1024 * 1024
MAX_PARTS: Final = 200_000
"""Commas and opening brackets of a file, so that a stranger's file costs no minute."""

_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")

Receipt = Mapping[str, Any]
"""A receipt as parsed JSON; only `fields` makes its members' types certain."""


class Defect(StrEnum):
    """The classes of what can be wrong with a receipt, in the order of the checks."""

    JSON = "json"
    VERSION = "version"
    FIELDS = "fields"
    RECEIPT_ID = "receipt-id"
    TRANSCRIPT_DIGEST = "transcript-digest"
    STAGE_DIGEST = "stage-digest"
    CLAIMS_DIGEST = "claims-digest"
    EVENT_SEQUENCE = "event-sequence"
    EVENT_ORDER = "event-order"
    COUNTERS = "counters"
    FRAME_BINDING = "frame-binding"
    TIME_ORDER = "time-order"
    EXECUTION_FLAGS = "execution-flags"
    FRAME = "frame"


@dataclass(frozen=True, slots=True)
class Finding:
    """The first thing wrong: its class, its place (``transcript[3].detail.status``), a sentence.

    ``where`` may hold names from the file; they are escaped.
    """

    defect: Defect
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Examination:
    """A receipt file, examined: the receipt if it is JSON of one, and the first finding."""

    receipt: Receipt | None
    finding: Finding | None

    @property
    def consistent(self) -> bool:
        """Whether every check passed. Frames are checked one by one by `check_frame`."""
        return self.finding is None


def examine_receipt(raw: bytes) -> Examination:
    """Return what the bytes of a file are as a receipt. Never raises for what they hold."""
    try:
        receipt = _parse_receipt(raw)
    except JsonRefused as refused:
        return Examination(None, Finding(Defect.JSON, "", refused.message))
    return Examination(receipt, _first_finding(receipt))


def _parse_receipt(raw: bytes) -> Receipt:
    if len(raw) > MAX_RECEIPT_BYTES or sum(map(raw.count, (b",", b"[", b"{"))) > MAX_PARTS:
        raise JsonRefused("This is no receipt: no receipt is so large")
    value = parse_json(raw, limit_bytes=MAX_RECEIPT_BYTES, max_depth=MAX_DEPTH)
    if not isinstance(value, dict):
        raise JsonRefused("This is no receipt: it is not a JSON object")
    return value


def check_receipt(raw: bytes) -> Finding | None:
    """Return the first thing wrong with a receipt's bytes, or None: it is consistent."""
    return examine_receipt(raw).finding


def frames_of(receipt: Receipt) -> tuple[str, ...]:
    """Return the digests of a consistent receipt's frames, each once, in their order.

    They are what the file says: `check_frame_names` tells whether each is a digest at all.
    """
    digests = [event["detail"]["frameSha256"] for event in receipt["transcript"]]
    return tuple(dict.fromkeys(digests))


def check_frame_names(receipt: Receipt) -> Finding | None:
    """Return the first frame of a consistent receipt that is named by no digest.

    No picture is of such a name, and it must never become part of a path.
    """
    for sha256 in frames_of(receipt):
        if not is_digest(sha256):
            message = "It is not 64 lower-case hex digits, so no picture is of this name"
            return Finding(Defect.FRAME, _frame_place(receipt, sha256), message)
    return None


def check_frame(receipt: Receipt, sha256: str, png: bytes) -> Finding | None:
    """Return what is wrong with a picture that stands for ``sha256`` in a consistent receipt.

    Its digest is checked; of the observation also length, width and height.
    """
    if digest_bytes(png) != sha256:
        return Finding(Defect.FRAME, _frame_place(receipt, sha256), "The picture is another one")
    observation = receipt["observation"]
    if sha256 != observation["sha256"]:
        return None
    return _check_observation(observation, png)


def _frame_place(receipt: Receipt, sha256: str) -> str:
    for index, event in enumerate(receipt["transcript"]):
        if event["detail"]["frameSha256"] == sha256:
            return f"transcript[{index}].detail.frameSha256"
    return ""


def _check_observation(observation: Receipt, png: bytes) -> Finding | None:
    try:
        width, height = parse_png(png)
    except Failure as failure:
        return Finding(Defect.FRAME, "observation.sha256", failure.message)
    actual = {"byteLength": len(png), "width": width, "height": height}
    for name, value in actual.items():
        if observation[name] != value:
            return Finding(Defect.FRAME, f"observation.{name}", f"The picture's {name} is {value}")
    return None


_Place = tuple[str, str] | None
"""Where something is wrong and a sentence about it; None when nothing is."""


def _check_version(receipt: Receipt) -> _Place:
    version = receipt.get("schemaVersion")
    if type(version) is not int or version != SCHEMA_VERSION:
        return "schemaVersion", f"This reader knows version {SCHEMA_VERSION} only"
    if receipt.get("profile") != PROFILE:
        return "profile", f"This reader knows the profile {PROFILE} only"
    return None


def _check_receipt_id(receipt: Receipt) -> _Place:
    if receipt["receiptId"] != receipt_id(receipt):
        return "receiptId", "It is not the digest of this receipt"
    return None


def _check_transcript_digest(receipt: Receipt) -> _Place:
    if receipt["transcriptSha256"] != digest(TRANSCRIPT_DOMAIN, receipt["transcript"]):
        return "transcriptSha256", "It is not the digest of the transcript"
    return None


def _check_stage_digest(receipt: Receipt) -> _Place:
    if receipt["stageTranscriptSha256"] != digest(STAGE_DOMAIN, stage_of(receipt["transcript"])):
        return "stageTranscriptSha256", "It is not the digest of the events up to freeze"
    return None


def _check_claims_digest(receipt: Receipt) -> _Place:
    actual = digest_bytes(receipt["claimsJson"].encode())
    if receipt["claimsSha256"] != actual:
        return "claimsSha256", "It is not the digest of claimsJson"
    for index, event in enumerate(receipt["transcript"]):
        if event["kind"] == Kind.EXTERNAL_CLAIMS and event["detail"]["claimsSha256"] != actual:
            return f"transcript[{index}].detail.claimsSha256", "It is not the digest of claimsJson"
    return None


def _check_event_sequence(receipt: Receipt) -> _Place:
    for index, event in enumerate(receipt["transcript"]):
        if event["sequence"] != index:
            return f"transcript[{index}].sequence", f"It should be {index}"
    return None


def _check_event_order(receipt: Receipt) -> _Place:
    """Match the kinds against: initial_frame action* freeze observation external_claims."""
    transcript = receipt["transcript"]
    kinds = [event["kind"] for event in transcript]
    if kinds[:1] != [Kind.INITIAL_FRAME]:
        return "transcript[0].kind", "It should be initial_frame"
    freeze = next((at for at, kind in enumerate(kinds[1:], 1) if kind != Kind.ACTION), len(kinds))
    for at, kind in enumerate(_AFTER_ACTIONS, freeze):
        if at >= len(kinds):
            return "transcript", f"The event {kind.value} is missing at its end"
        if kinds[at] != kind:
            return f"transcript[{at}].kind", f"It should be {kind.value}"
    end = freeze + len(_AFTER_ACTIONS)
    return (f"transcript[{end}]", "Nothing comes after the claims") if kinds[end:] else None


_AFTER_ACTIONS: Final = (Kind.FREEZE, Kind.OBSERVATION, Kind.EXTERNAL_CLAIMS)


def _check_counters(receipt: Receipt) -> _Place:
    actions = [event["detail"] for event in receipt["transcript"] if event["kind"] == Kind.ACTION]
    inputs = sum(detail["input"] for detail in actions)
    if receipt["actionCount"] != len(actions):
        return "actionCount", f"The transcript has {len(actions)} actions"
    if len(actions) > MAX_SESSION_ACTIONS:
        return "actionCount", f"No session has more than {MAX_SESSION_ACTIONS} actions"
    if receipt["inputEventCount"] != inputs:
        return "inputEventCount", f"The transcript has {inputs} input actions"
    if receipt["postObservationInputEventCount"] != 0:
        return "postObservationInputEventCount", "It is not 0"
    return None


def _check_frame_binding(receipt: Receipt) -> _Place:
    transcript = receipt["transcript"]
    last, freeze, observation, claims = (event["detail"] for event in transcript[-4:])
    place = len(transcript) - 3
    if freeze["frameSha256"] != last["frameSha256"]:
        return f"transcript[{place}].detail.frameSha256", "It is not the last frame before freeze"
    if observation["frameSha256"] != receipt["observation"]["sha256"]:
        return f"transcript[{place + 1}].detail.frameSha256", "It is not the observation's frame"
    if observation["preObservationSha256"] != receipt["preObservationSha256"]:
        return (
            f"transcript[{place + 1}].detail.preObservationSha256",
            "It is not the receipt's preObservationSha256",
        )
    if claims["frameSha256"] != receipt["observation"]["sha256"]:
        return f"transcript[{place + 2}].detail.frameSha256", "It is not the observation's frame"
    return None


def _check_time_order(receipt: Receipt) -> _Place:
    earliest = datetime.min.replace(tzinfo=UTC)
    for name in ("startedAt", "frozenAt", "observedAt", "completedAt"):
        at = _time(receipt[name])
        if at is None:
            return name, "It is not a time in UTC with milliseconds"
        if at < earliest:
            return name, "It lies before the time that should come before it"
        earliest = at
    if receipt["elapsedMs"] < 0:
        return "elapsedMs", "It is below 0"
    return None


def _time(text: str) -> datetime | None:
    if not _TIME.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _check_execution_flags(receipt: Receipt) -> _Place:
    for name, value in EXECUTION.items():
        if receipt["execution"][name] != value:
            return f"execution.{name}", "It is not what every receipt of this profile says"
    return None


_CHECKS: Final[tuple[tuple[Defect, Callable[[Receipt], _Place]], ...]] = (
    (Defect.VERSION, _check_version),
    (Defect.FIELDS, check_fields),
    (Defect.RECEIPT_ID, _check_receipt_id),
    (Defect.TRANSCRIPT_DIGEST, _check_transcript_digest),
    (Defect.STAGE_DIGEST, _check_stage_digest),
    (Defect.CLAIMS_DIGEST, _check_claims_digest),
    (Defect.EVENT_SEQUENCE, _check_event_sequence),
    (Defect.EVENT_ORDER, _check_event_order),
    (Defect.COUNTERS, _check_counters),
    (Defect.FRAME_BINDING, _check_frame_binding),
    (Defect.TIME_ORDER, _check_time_order),
    (Defect.EXECUTION_FLAGS, _check_execution_flags),
)


def _first_finding(receipt: Receipt) -> Finding | None:
    for defect, check in _CHECKS:
        place = check(receipt)
        if place is not None:
            return Finding(defect, *place)
    return None
