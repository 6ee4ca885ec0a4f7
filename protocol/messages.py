"""Requests of an evidence session, from raw text or parameters to typed values.

Source: receipt-v2.md, "Requests". Only form is judged here, names of fields and their
types; what a value must be in a phase is judged by protocol.evidence, after sequence
and phase. Failures carry the codes ``external-proof-`` input-size, json, command and,
for what a begin may not bind, binding.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.canonical import JsonRefused, JsonTooLarge, parse_json
from protocol.errors import Failure, proof_failure
from protocol.names import is_attempt_id, is_digest, is_generation, is_workspace_id
from protocol.viewports import DEFAULT_VIEWPORT, Viewport, parse_viewport

MAX_REQUEST_BYTES: Final = 96 * 1024
MAX_URL_BYTES: Final = 8192


class Op(StrEnum):
    """What can be asked of an evidence session."""

    BEGIN = "begin"
    ACTIONS = "actions"
    FREEZE = "freeze"
    OBSERVE = "observe"
    FINISH = "finish"
    CLOSE = "close"
    ABORT = "abort"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class Begin:
    """``begin`` of a session on a display and a workspace that exist already."""

    attempt_id: str
    workspace_id: str
    display_id: int
    display_target: str
    capture_generation: str
    job_sha256: str


@dataclass(frozen=True, slots=True)
class ShortBegin:
    """``begin`` of a session that makes its own display and workspace.

    ``url`` and ``allowed_origins`` are the caller's words; protocol.origins judges them.
    """

    attempt_id: str
    job_sha256: str
    url: str | None = None
    allowed_origins: tuple[str, ...] = ()
    viewport: Viewport = DEFAULT_VIEWPORT


@dataclass(frozen=True, slots=True)
class Actions:
    """``actions``: run a batch, given as JSON text."""

    proof_id: str
    sequence: int
    actions_json: str


@dataclass(frozen=True, slots=True)
class Freeze:
    """``freeze``: no more actions, for good."""

    proof_id: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Observe:
    """``observe``: one fresh frame, bound to a digest of what the caller saw before."""

    proof_id: str
    sequence: int
    pre_observation_sha256: str


@dataclass(frozen=True, slots=True)
class Finish:
    """``finish``: claims about exactly the issued observation, for a receipt."""

    proof_id: str
    sequence: int
    observation_sha256: str
    claims_json: str


@dataclass(frozen=True, slots=True)
class Close:
    """``close``: release everything and acknowledge the receipt."""

    proof_id: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Abort:
    """``abort``: end without a receipt."""

    proof_id: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Status:
    """``status``: what the session is now; changes nothing."""

    proof_id: str


Call = Actions | Freeze | Observe | Finish | Close | Abort | Status
"""A request to a session that exists."""
Request = Begin | ShortBegin | Call

OPS: Final[Mapping[type[Call], Op]] = {
    Actions: Op.ACTIONS,
    Freeze: Op.FREEZE,
    Observe: Op.OBSERVE,
    Finish: Op.FINISH,
    Close: Op.CLOSE,
    Abort: Op.ABORT,
    Status: Op.STATUS,
}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_integer(value: object) -> bool:
    return type(value) is int


def _is_sequence(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(member, str) for member in value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_viewport(value: object) -> bool:
    return isinstance(value, str | dict)


_MANUAL: Final = "see the operations and their fields in understudy-protocol(7)."
_Fields = Mapping[str, Callable[[object], bool]]

_FULL_ONLY: Final[_Fields] = {
    "workspace_id": _is_text,
    "display_id": _is_integer,
    "display_target": _is_text,
    "capture_generation": _is_text,
}
_SHORT_ONLY: Final[_Fields] = {
    "profile": _is_text,
    "url": _is_text,
    "allowed_origins": _is_texts,
    "viewport": _is_viewport,
    "headed": _is_flag,
}
_EVERY_BEGIN: Final[_Fields] = {"attempt_id": _is_text, "job_sha256": _is_text}
_SESSION: Final[_Fields] = {"proof_id": _is_text, "sequence": _is_sequence}
_CALLS: Final[Mapping[Op, tuple[type[Call], _Fields]]] = {
    Op.ACTIONS: (Actions, {**_SESSION, "actions_json": _is_text}),
    Op.FREEZE: (Freeze, _SESSION),
    Op.OBSERVE: (Observe, {**_SESSION, "pre_observation_sha256": _is_text}),
    Op.FINISH: (
        Finish,
        {**_SESSION, "observation_sha256": _is_text, "claims_json": _is_text},
    ),
    Op.CLOSE: (Close, _SESSION),
    Op.ABORT: (Abort, _SESSION),
    Op.STATUS: (Status, {"proof_id": _is_text}),
}


def parse_request(raw: bytes) -> Request:
    """Return the request in ``raw``: one JSON object of at most 96 KiB with its ``op``."""
    try:
        value = parse_json(raw, limit_bytes=MAX_REQUEST_BYTES)
    except JsonTooLarge as error:
        raise proof_failure("input-size", error.message, "Send a smaller request.") from None
    except JsonRefused as error:
        raise proof_failure("json", error.message, error.hint) from None
    if not isinstance(value, dict):
        raise _no_command("The request is not a JSON object")
    op = value.pop("op", None)
    if not isinstance(op, str):
        raise _no_command("The request has no op", f"The ops: {', '.join(Op)}; {_MANUAL}")
    return request_from_params(op, value)


def request_from_params(op: str, params: Mapping[str, object]) -> Request:
    """Return the request ``op`` with these fields, ``op`` itself not among them.

    For callers whose JSON has been read already, strictly and within its limits.
    """
    if op == Op.BEGIN:
        return _begin(params)
    if op not in {known.value for known in _CALLS}:
        raise _no_command("The op is unknown", f"The ops: {', '.join(Op)}; {_MANUAL}")
    build, required = _CALLS[Op(op)]
    _verify_fields(params, required, {})
    return build(**params)  # type: ignore[arg-type]  # the table has just judged the types


def _begin(params: Mapping[str, object]) -> Begin | ShortBegin:
    if params.keys() & _FULL_ONLY.keys():
        _verify_fields(params, {**_EVERY_BEGIN, **_FULL_ONLY}, {})
        begin = Begin(**params)  # type: ignore[arg-type]  # judged by the table
        _verify_binding(begin)
        return begin
    _verify_fields(params, _EVERY_BEGIN, _SHORT_ONLY)
    return _short_begin(params)


def _verify_fields(params: Mapping[str, object], required: _Fields, optional: _Fields) -> None:
    known = {**required, **optional}
    fields = f"Its fields: {', '.join(known)}; {_MANUAL}"
    if params.keys() - known.keys():
        raise _no_command("The request has a field that its op does not have", fields)
    for name, check in known.items():
        if name in required and name not in params:
            raise _no_command(f"The request lacks the field {name}", fields)
        if name in params and not check(params[name]):
            raise _no_command(f"The field {name} has the wrong type")


def _verify_binding(begin: Begin) -> None:
    _verify_attempt(begin.attempt_id, begin.job_sha256)
    if not is_workspace_id(begin.workspace_id):
        raise _not_bound("workspace_id is not bw- and 32 hex digits")
    if begin.display_id < 1 or begin.display_target != f"display_{begin.display_id}":
        raise _not_bound("display_id is not above 0, or display_target is not display_<id>")
    if not is_generation(begin.capture_generation):
        raise _not_bound("capture_generation is not vdcg- and 32 hex digits")


def _verify_attempt(attempt_id: str, job_sha256: str) -> None:
    if not is_attempt_id(attempt_id):
        raise _not_bound("attempt_id is not 1 to 128 characters without control characters")
    if not is_digest(job_sha256):
        raise _not_bound("job_sha256 is not 64 lower-case hex digits")


def _short_begin(params: Mapping[str, object]) -> ShortBegin:
    attempt_id, job_sha256 = str(params["attempt_id"]), str(params["job_sha256"])
    _verify_attempt(attempt_id, job_sha256)
    if "profile" in params:
        raise _not_bound("profile is given, and there are no enrolled profiles yet")
    if params.get("headed"):
        raise _not_bound("headed is given, and there are no headed displays yet")
    url, origins = params.get("url"), params.get("allowed_origins", [])
    return ShortBegin(
        attempt_id,
        job_sha256,
        None if url is None else _url(str(url)),
        tuple(map(str, origins if isinstance(origins, list) else ())),
        _viewport(params["viewport"]) if "viewport" in params else DEFAULT_VIEWPORT,
    )


def _url(url: str) -> str:
    if not 1 <= len(url.encode()) <= MAX_URL_BYTES:
        raise _not_bound(f"url is not 1 to {MAX_URL_BYTES} bytes long")
    return url


def _viewport(value: object) -> Viewport:
    try:
        return parse_viewport(value)
    except Failure as failure:
        raise proof_failure("binding", failure.message, failure.hint) from None


def _no_command(condition: str, hint: str = _MANUAL.capitalize()) -> Failure:
    return proof_failure("command", condition, hint)


def _not_bound(condition: str) -> Failure:
    return proof_failure(
        "binding", f"The session cannot be bound: {condition}", "Correct the begin and send it."
    )
