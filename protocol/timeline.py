"""A receipt as rows that a person can read, whether or not it is consistent.

The file may be a stranger's: every text is escaped, and what is missing is left empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from protocol.receipts import Kind
from protocol.untrusted import escape_line

SHORT_DIGEST: Final = 12
MAX_SHOWN_CHARACTERS: Final = 200

_TIME_OF: Final = {
    Kind.FREEZE.value: "frozenAt",
    Kind.OBSERVATION.value: "observedAt",
    Kind.EXTERNAL_CLAIMS.value: "completedAt",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One event. Texts are escaped, and empty where the receipt does not say."""

    at: str
    """Seconds since the start, as in ``+3.125s``, for freeze and what comes after it."""
    sequence: str
    kind: str
    """The event's kind; of an action, that of the action."""
    status: str
    frame: str
    """The first 12 digits of the frame's digest."""


def timeline(receipt: Mapping[str, Any]) -> tuple[Row, ...]:
    """Return a row for each event of a receipt's transcript, in its order."""
    transcript = receipt.get("transcript")
    events = transcript if isinstance(transcript, list) else []
    return tuple(_row(receipt, event) for event in events if isinstance(event, dict))


def shown(value: object) -> str:
    """Return any member of a receipt as one short, harmless line."""
    if value is None or isinstance(value, dict | list):
        return ""
    text = str(value)
    more = "…" if len(text) > MAX_SHOWN_CHARACTERS else ""
    return escape_line(text[:MAX_SHOWN_CHARACTERS]) + more


def _row(receipt: Mapping[str, Any], event: Mapping[str, Any]) -> Row:
    kind, detail = event.get("kind"), event.get("detail")
    members = detail if isinstance(detail, dict) else {}
    return Row(
        at=_relative(receipt, kind),
        sequence=shown(event.get("sequence")),
        kind=shown(members.get("kind") if kind == Kind.ACTION else kind),
        status=shown(members.get("status")),
        frame=shown(members.get("frameSha256"))[:SHORT_DIGEST],
    )


def _relative(receipt: Mapping[str, Any], kind: object) -> str:
    name = _TIME_OF.get(kind) if isinstance(kind, str) else None
    if name is None:
        return ""
    try:
        started = datetime.fromisoformat(str(receipt.get("startedAt")))
        elapsed = datetime.fromisoformat(str(receipt.get(name))) - started
    except (ValueError, TypeError):  # no times, or one with and one without a zone
        return ""
    return f"{elapsed.total_seconds():+.3f}s"
