"""``receipt show``: a receipt as a timeline that a person can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.timeline import Row, shown, timeline
from protocol.untrusted import escape_line
from protocol.verify import Defect
from understudy_cli.commands.receipt.verify import read_receipt
from understudy_cli.render import format_facts, format_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from protocol.verify import Examination
    from understudy_cli.render import Output

FACTS = ("receiptId", "proofId", "startedAt", "frozenAt", "observedAt", "completedAt", "elapsedMs")
HEADING = ("TIME", "SEQ", "KIND", "STATUS", "FRAME")


@dataclass(frozen=True)
class ShowOptions:
    """The file, and how to answer."""

    file: str
    output: Output

    @property
    def writes(self) -> bool:
        """Showing writes nothing."""
        return False

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy receipt show"

    async def run(self, host: Host) -> int:
        """Show it, whether it verifies or not, and say which; only what is no receipt fails."""
        examination = await read_receipt(host, self.file)
        receipt, finding = examination.receipt, examination.finding
        foreign = finding is not None and finding.defect is Defect.VERSION
        if receipt is None or foreign:
            message = finding.message if finding else "This is no receipt"
            raise Failure("receipt_invalid", f"{self.file}: {message}", "name a receipt's file")
        reply = {
            "ok": True,
            "consistent": examination.consistent,
            "finding": finding
            and {"class": finding.defect, "where": finding.where, "message": finding.message},
            "receipt": receipt,
        }
        return await self.output.report(host, reply, format_receipt(receipt, examination))


def format_receipt(receipt: Mapping[str, object], examination: Examination) -> str:
    """Return what the receipt says: its facts, the timeline, the claims, and what that is worth."""
    binding, actor = _member(receipt, "binding"), _member(receipt, "actor")
    facts = [(name, shown(receipt.get(name)) or None) for name in FACTS]
    facts += [
        ("attemptId", shown(binding.get("attemptId")) or None),
        ("jobSha256", shown(binding.get("jobSha256")) or None),
        ("actor", shown(actor.get("principalId")) or None),
        ("claims", shown(receipt.get("claimsJson")) or None),
        ("verified", _format_worth(examination)),
    ]
    rows = [_cells(row) for row in timeline(receipt)]
    return format_facts(facts) + "\n" + format_table([HEADING, *rows])


def _format_worth(examination: Examination) -> str:
    if examination.finding is None:
        return "consistent; signature, frames and log not checked"
    finding = examination.finding
    return f"NO: {finding.defect} at {escape_line(finding.where)}: {escape_line(finding.message)}"


def _cells(row: Row) -> tuple[str, ...]:
    return (row.at, row.sequence, row.kind, row.status, row.frame)


def _member(receipt: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = receipt.get(name)
    return value if isinstance(value, dict) else {}
