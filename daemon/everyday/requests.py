"""What a caller asks of a session's queue: one command, or a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from daemon.dispatch import verify_fields
from protocol.admission import parse_command_id
from protocol.command_fields import MAX_WAIT_MS, parse_batch, parse_command
from protocol.commands import Step, Upload, is_write
from protocol.errors import Failure
from protocol.writes import EXECUTION_S, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daemon.dispatch import Params
    from daemon.everyday.dialog_answer import DialogAnswer

BATCH = "batch"
_IDS = {"session_id": str, "command_id": str}
_TIMES = {"wait_s": int, "timeout_s": int}


@dataclass(frozen=True)
class Request:
    """One command or batch as it was sent. ``content`` is what its fingerprint is of."""

    command_id: str
    type: str
    steps: tuple[Step, ...]
    content: Mapping[str, object]
    dry_run: bool = False
    bail: bool = True
    answer: DialogAnswer | None = None
    """The answer to a dialog, if it is one: it has no steps, and does not wait for its turn."""
    wait_s: float | None = None
    """How long the caller wants to wait for the answer; None as long as it takes."""
    limit_s: float = EXECUTION_S
    """How long it may take, besides its own waits and holds."""

    @property
    def is_batch(self) -> bool:
        """Whether it was sent as a batch, be it of one command."""
        return self.type == BATCH

    @property
    def kind(self) -> Kind:
        """What it may do to the page."""
        if self.answer is not None:
            return Kind.WRITE
        if not is_write(self.steps):
            return Kind.READ
        return Kind.DRY_RUN if self.dry_run else Kind.WRITE


def parse_run(params: Params) -> Request:
    """Return what ``command.run`` asks for. Raises Failure ``invalid_request``."""
    verify_fields(params, {**_IDS, "command": dict}, {"dry_run": bool, **_TIMES})
    content = cast("Mapping[str, object]", params["command"])
    command = parse_command(content)
    return Request(
        parse_command_id(params["command_id"]),
        command.type,
        (Step(command),),
        content,
        dry_run=bool(params.get("dry_run")),
        wait_s=_parse_wait(params),
        limit_s=_parse_limit(params),
    )


def parse_batch_request(params: Params) -> Request:
    """Return what ``command.batch`` asks for. Raises Failure ``invalid_request``."""
    verify_fields(params, {**_IDS, "commands": list}, {"bail": bool, **_TIMES})
    bail = params.get("bail") is not False
    return Request(
        parse_command_id(params["command_id"]),
        BATCH,
        parse_batch(params["commands"]),
        {"commands": params["commands"], "bail": bail},
        bail=bail,
        wait_s=_parse_wait(params),
        limit_s=_parse_limit(params),
    )


def verify_uploads(steps: Sequence[Step], roots: Sequence[str]) -> None:
    """Raise Failure ``upload_root`` for a file outside of the installation's roots."""
    for step in steps:
        if isinstance(step.command, Upload) and roots:
            for file in step.command.files:
                if not any(is_within(file.path, root) for root in roots):
                    raise _not_within()


def is_within(path: str, root: str) -> bool:
    """Whether a real, absolute path lies below a directory; ``..`` in it never does."""
    parts, above = path.split("/"), root.rstrip("/").split("/")
    return ".." not in parts and len(parts) > len(above) and parts[: len(above)] == above


def _parse_wait(params: Params) -> float | None:
    wait_s = cast("int | None", params.get("wait_s"))
    if wait_s is None or 0 <= wait_s * 1000 <= MAX_WAIT_MS:
        return wait_s
    raise Failure(
        "invalid_request",
        f"wait_s is 0 to {MAX_WAIT_MS // 1000} seconds",
        "Leave it out to wait until the command has ended.",
    )


def _parse_limit(params: Params) -> float:
    limit_s = cast("int | None", params.get("timeout_s"))
    if limit_s is None:
        return EXECUTION_S
    if 1 <= limit_s <= EXECUTION_S:
        return limit_s
    raise Failure(
        "invalid_request",
        f"timeout_s is 1 to {EXECUTION_S:g} seconds",
        "A wait has a bound of its own, which is not counted here.",
    )


def _not_within() -> Failure:
    return Failure(
        "upload_root",
        "A file lies outside of the directories that this installation uploads from",
        "The key `upload_roots` in section [policy] of config.toml decides.",
    )
