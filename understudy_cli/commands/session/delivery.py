"""Where the parts of a session's reply go: frame and receipt to files, the rest to stdout."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.render import Output, encode_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host

PRIVATE = 0o600
"""Permissions of whatever a session leaves: frames and claims are the caller's own."""


@dataclass(frozen=True)
class Delivery:
    """The files that a reply's parts are written to, and how the rest is answered."""

    output: Output
    frame: str | None = None
    receipt: str | None = None

    async def prepare(self, host: Host) -> None:
        """Make sure, before anything is done, that the files can be written."""
        for path in (self.frame, self.receipt):
            if path is not None:
                await host.prepare(path)

    async def deliver(self, host: Host, reply: Mapping[str, object]) -> dict[str, object]:
        """Write the parts that have files; return the reply without the frame's base64."""
        rest = dict(reply)
        try:
            if self.receipt is not None:
                await host.write(self.receipt, encode_receipt(reply.get("receipt")), PRIVATE)
            if self.frame is not None:
                rest["frame"] = await _write_frame(host, self.frame, reply.get("frame"))
        except Failure as failure:
            raise _done_all_the_same(failure, reply) from failure
        return rest


def encode_receipt(receipt: object) -> bytes:
    """Return a receipt as a file: JSON with two blanks of indentation."""
    return encode_text(json.dumps(receipt, ensure_ascii=False, indent=2) + "\n")


def decode_picture(frame: object) -> bytes:
    """Return a frame's PNG; an internal failure when the reply holds none."""
    encoded = frame.get("pngBase64") if isinstance(frame, dict) else None
    if not isinstance(encoded, str):
        raise Failure("internal", "the daemon's answer holds no frame", "look into the log")
    return base64.b64decode(encoded, validate=True)


async def _write_frame(host: Host, path: str, frame: object) -> dict[str, object]:
    await host.write(path, decode_picture(frame), PRIVATE)
    assert isinstance(frame, dict)  # noqa: S101 - decode_picture refuses anything else
    return {name: value for name, value in frame.items() if name != "pngBase64"}


def _done_all_the_same(failure: Failure, reply: Mapping[str, object]) -> Failure:
    sequence = reply.get("sequence")
    return Failure(
        failure.code,
        f"{failure.message}; the operation itself was done, the sequence is now {sequence}",
        f"{failure.hint}; do not repeat the operation",
    )
