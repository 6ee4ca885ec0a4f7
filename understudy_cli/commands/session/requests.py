"""Operations as programs give them: one JSON object, raw until the daemon checked it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.session.delivery import Delivery
from understudy_cli.documents import Document, parse_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from understudy_cli.render import Output


@dataclass(frozen=True)
class RawOptions:
    """One operation as ``--request`` gave it; it is answered in JSON."""

    verb: str
    request: Document
    delivery: Delivery

    @property
    def output(self) -> Output:
        """JSON, or one field of it."""
        return replace(self.delivery.output, as_json=True)

    @property
    def writes(self) -> bool:
        """Every operation but status changes the session."""
        return self.verb != "status"

    @property
    def ask(self) -> str:
        """See Invocation; which session it is stands in a text that is not ours to read."""
        return "understudy session list"

    async def run(self, host: Host) -> int:
        """Pass the request on untouched; its op must be the command's."""
        raw = await self.request.read(host)
        verify_operation(raw, self.verb)
        await self.delivery.prepare(host)
        reply = await host.request(raw)
        if reply.get("ok") is not True:
            return await self.output.report_error(host, failure_of(reply), reply)
        return await self.output.report(host, await self.delivery.deliver(host, reply), "")


def make_raw(
    verb: str, request: str, others: Mapping[str, object], delivery: Delivery
) -> RawOptions:
    """Return the options for ``--request``, which stands alone; usage failure otherwise."""
    given = [name for name, value in others.items() if value not in (None, False, [], ())]
    if given:
        raise Failure(
            "usage",
            f"--request stands alone, without {', '.join(given)}",
            "put everything into the JSON object",
        )
    return RawOptions(verb, parse_document("--request", request), delivery)


def verify_operation(raw: bytes, verb: str) -> None:
    """Raise ``invalid_request`` when the request names another operation than the command.

    What is no JSON object passes: the daemon refuses it with its proper code.
    """
    operation = _peek_operation(raw)
    if operation is not None and operation != verb:
        raise Failure(
            "invalid_request",
            f'the request\'s op is not "{verb}"',
            f'use the command of that name, or "session pipe"; op must be "{verb}" here',
        )


def failure_of(reply: Mapping[str, object]) -> Failure:
    """Return the failure that a failed reply tells of."""
    error = reply.get("error")
    told = error if isinstance(error, dict) else {}
    return Failure(
        str(told.get("code", "internal")),
        str(told.get("message", "the daemon's answer holds no error")),
        str(told.get("hint", "")),
        safe_to_retry=told.get("safeToRetry") is True,
    )


def _peek_operation(raw: bytes) -> str | None:
    try:
        request = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    operation = request.get("op") if isinstance(request, dict) else None
    return operation if isinstance(operation, str) else None
