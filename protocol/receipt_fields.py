"""The fields of a receipt: names and JSON types, in the form that `fields` judges.

Source: receipt-v2.md, "Transcript" and "Receipt". Values are judged elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocol.untrusted import escape_line

MAX_SHOWN_NAME: Final = 64
"""Characters of an unknown field's name that a finding shows."""


@dataclass(frozen=True, slots=True)
class _Type:
    """One JSON type: its name and the Python types of its values, exactly."""

    name: str
    types: tuple[type, ...]


_TEXT: Final = _Type("text", (str,))
_INTEGER: Final = _Type("an integer", (int,))
_FLAG: Final = _Type("true or false", (bool,))
_TEXT_OR_NULL: Final = _Type("text or null", (str, type(None)))
_LIST: Final = _Type("a list", (list,))
_OBJECT: Final = _Type("an object", (dict,))

_Shape = Mapping[str, Any]
"""Field name to _Type, or to the shape of an object."""

_RECEIPT: Final[_Shape] = {
    "schemaVersion": _INTEGER,
    "profile": _TEXT,
    "proofId": _TEXT,
    "binding": {
        "attemptId": _TEXT,
        "workspaceId": _TEXT,
        "displayId": _INTEGER,
        "displayTarget": _TEXT,
        "captureGeneration": _TEXT,
        "jobSha256": _TEXT,
    },
    "actor": {"kind": _TEXT, "principalId": _TEXT, "sessionId": _TEXT_OR_NULL},
    "execution": {
        "kind": _TEXT,
        "internalModelCalls": _INTEGER,
        "claimsAuthority": _TEXT,
        "grantsSubmissionAuthority": _FLAG,
    },
    "startedAt": _TEXT,
    "frozenAt": _TEXT,
    "observedAt": _TEXT,
    "completedAt": _TEXT,
    "elapsedMs": _INTEGER,
    "actionCount": _INTEGER,
    "inputEventCount": _INTEGER,
    "postObservationInputEventCount": _INTEGER,
    "stageTranscriptSha256": _TEXT,
    "preObservationSha256": _TEXT,
    "observation": {
        "sha256": _TEXT,
        "byteLength": _INTEGER,
        "width": _INTEGER,
        "height": _INTEGER,
    },
    "transcript": _LIST,
    "transcriptSha256": _TEXT,
    "claimsJson": _TEXT,
    "claimsSha256": _TEXT,
    "receiptId": _TEXT,
}
_EVENT: Final[_Shape] = {"sequence": _INTEGER, "kind": _TEXT, "detail": _OBJECT}
_DETAILS: Final[Mapping[str, _Shape]] = {
    "initial_frame": {"frameSha256": _TEXT},
    "action": {
        "kind": _TEXT,
        "projectionSha256": _TEXT,
        "status": _TEXT,
        "input": _FLAG,
        "frameSha256": _TEXT,
    },
    "freeze": {"frameSha256": _TEXT},
    "observation": {"frameSha256": _TEXT, "preObservationSha256": _TEXT},
    "external_claims": {"claimsSha256": _TEXT, "frameSha256": _TEXT},
}

_Place = tuple[str, str] | None


def check_fields(receipt: Mapping[str, Any]) -> _Place:
    """Return the first field that is missing, unknown or of another type, with a sentence.

    An event of an unknown kind is no matter of fields: its order is what is wrong.
    """
    place = _check_object(receipt, _RECEIPT, "")
    if place is not None:
        return place
    for index, event in enumerate(receipt["transcript"]):
        place = _check_event(event, f"transcript[{index}]")
        if place is not None:
            return place
    return None


def _check_event(event: object, path: str) -> _Place:
    place = _check_object(event, _EVENT, path)
    if place is not None or not isinstance(event, dict) or event["kind"] not in _DETAILS:
        return place
    return _check_object(event["detail"], _DETAILS[event["kind"]], f"{path}.detail")


def _check_object(value: object, shape: _Shape, path: str) -> _Place:
    if not isinstance(value, dict):
        return path, "It is not an object"
    for name in value:
        if name not in shape:
            return _join(path, escape_line(name[:MAX_SHOWN_NAME])), "No receipt has this field"
    for name, wanted in shape.items():
        place = _check_member(value, name, wanted, _join(path, name))
        if place is not None:
            return place
    return None


def _check_member(value: Mapping[str, Any], name: str, wanted: Any, path: str) -> _Place:  # noqa: ANN401  # a _Type or a shape
    if name not in value:
        return path, "It is missing"
    if isinstance(wanted, _Type):
        # exact types: True is an integer to isinstance, and not to JSON
        return None if type(value[name]) in wanted.types else (path, f"It is not {wanted.name}")
    return _check_object(value[name], wanted, path)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
