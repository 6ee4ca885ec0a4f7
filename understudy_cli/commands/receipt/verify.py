"""``receipt verify``: what can be said of receipt files, offline and without a daemon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.untrusted import escape_line
from protocol.verify import (
    MAX_RECEIPT_BYTES,
    Defect,
    Examination,
    Finding,
    check_frame,
    check_frame_names,
    examine_receipt,
    frames_of,
)
from understudy_cli.exits import DONE, exit_of
from understudy_cli.render import encode_failure, encode_text, format_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.commandline import Host
    from understudy_cli.render import Output

FRAME_LIMIT_BYTES = 16 << 20
"""More than any picture whose base64 fits into a reply."""


@dataclass(frozen=True)
class Verdict:
    """What was found about one file; None stands for what was not checked."""

    file: str
    consistent: bool
    receipt_id: str | None = None
    finding: Finding | None = None
    frames: int = 0
    """How many different frames the receipt names."""
    matched: int | None = None
    """How many of them were at hand and are right; None without a directory of frames."""
    unreadable: Failure | None = None

    def wire(self) -> dict[str, object]:
        """Return the verdict as JSON: true, false, or null for not checked."""
        finding, unreadable = self.finding, self.unreadable
        return {
            "file": self.file,
            "consistent": None if unreadable else self.consistent,
            "signed": None,
            "timestamped": None,
            "receiptId": self.receipt_id,
            "frames": {"named": self.frames, "matched": self.matched},
            "finding": finding
            and {"class": finding.defect, "where": finding.where, "message": finding.message},
            "error": unreadable and unreadable.body(),
        }


@dataclass(frozen=True)
class VerifyOptions:
    """The files, and which facts are asked for."""

    files: Sequence[str]
    output: Output
    frames: str | None = None
    allow_unsigned: bool = False

    @property
    def writes(self) -> bool:
        """Verification writes nothing."""
        return False

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy receipt verify"

    async def run(self, host: Host) -> int:
        """Examine each file and say what holds; 0 only when all that was asked for does."""
        if self.frames is not None:
            await verify_directory(host, self.frames)
        verdicts = [await self._examine(host, file) for file in self.files]
        failure = self.decide(verdicts)
        if self.output.field or self.output.wants_json(host):
            return await self._report_object(host, verdicts, failure)
        await host.out(encode_text("".join(map(format_verdict, verdicts))))
        if failure is None:
            return DONE
        await host.err(encode_failure(failure))
        return exit_of(failure.code)

    def decide(self, verdicts: Sequence[Verdict]) -> Failure | None:
        """Return why the verdicts are less than was asked for; None when they are not."""
        bad = [verdict for verdict in verdicts if not verdict.consistent]
        broken = [verdict for verdict in bad if verdict.unreadable is None]
        if broken:
            return _invalid(_count_broken(len(broken), len(verdicts)))
        for verdict in bad:
            return verdict.unreadable
        unseen = [verdict for verdict in verdicts if verdict.frames and verdict.matched == 0]
        if unseen:
            return Failure(
                "receipt_invalid",
                f"--frames {self.frames} holds none of the frames that"
                f" {unseen[0].file} names: no picture was checked",
                'name the directory with the frames as "<sha256>.png", or leave --frames out',
            )
        if self.allow_unsigned:
            return None
        return Failure(
            "receipt_invalid",
            "consistent, but not shown to be signed: anyone could have written this",
            "--allow-unsigned says that consistency is enough; check who gave you the file",
        )

    async def _report_object(
        self, host: Host, verdicts: Sequence[Verdict], failure: Failure | None
    ) -> int:
        files = [verdict.wire() for verdict in verdicts]
        if failure is None:
            return await self.output.report(host, {"ok": True, "files": files}, "")
        reply = {"ok": False, "files": files, "error": failure.body()}
        return await self.output.report_error(host, failure, reply)

    async def _examine(self, host: Host, file: str) -> Verdict:
        try:
            return await self._judge(host, file)
        except Failure as failure:
            return Verdict(file, consistent=False, unreadable=failure)

    async def _judge(self, host: Host, file: str) -> Verdict:
        examination = await read_receipt(host, file)
        receipt = examination.receipt
        if receipt is None or examination.finding is not None:
            return Verdict(file, consistent=False, finding=examination.finding)
        named = frames_of(receipt)
        matched, finding = await self._check_frames(host, receipt, named)
        return Verdict(file, finding is None, receipt["receiptId"], finding, len(named), matched)

    async def _check_frames(
        self, host: Host, receipt: Mapping[str, object], named: Sequence[str]
    ) -> tuple[int | None, Finding | None]:
        if self.frames is None:
            return None, None
        misnamed = check_frame_names(receipt)
        if misnamed is not None:
            return 0, misnamed
        matched = 0
        for sha256 in named:
            png = await _read_frame(host, f"{self.frames}/{sha256}.png")
            if png is None:
                continue
            finding = check_frame(receipt, sha256, png)
            if finding is not None:
                return matched, finding
            matched += 1
        return matched, None


async def _read_frame(host: Host, path: str) -> bytes | None:
    """Return a picture, None where there is none; what is too large for one is read as empty.

    Only a plain file is read: the directory may be a stranger's as the receipt is.
    """
    try:
        await host.resolve(path)
        return await host.read(path, FRAME_LIMIT_BYTES)
    except Failure as failure:
        if failure.code == "no_such_file":
            return None
        if failure.code == "input_too_large":
            return b""
        raise


async def read_receipt(host: Host, file: str) -> Examination:
    """Return what a file is as a receipt; a file that is too large is not read."""
    try:
        raw = await host.read(file, MAX_RECEIPT_BYTES)
    except Failure as failure:
        if failure.code != "input_too_large":
            raise
        message = f"This is no receipt: it has more than {MAX_RECEIPT_BYTES} bytes"
        return Examination(None, Finding(Defect.JSON, "", message))
    return examine_receipt(raw)


async def verify_directory(host: Host, path: str) -> None:
    """Raise unless ``path`` is a directory: a wrong one would leave every frame unchecked."""
    try:
        await host.read(f"{path}/.", 0)
    except Failure as failure:
        if failure.code == "is_directory":
            return
        raise Failure(
            failure.code,
            f"--frames {path} is not a directory that can be read",
            'name the directory that holds the frames as "<sha256>.png"',
        ) from failure


def format_verdict(verdict: Verdict) -> str:
    """Return the lines about one file; everything that was not checked is named."""
    name = escape_line(verdict.file)
    if verdict.unreadable is not None:
        reason = verdict.unreadable.message.removeprefix(f"{verdict.file} cannot be read: ")
        return f"{name}: not read: {escape_line(reason)}\n"
    if verdict.finding is not None:
        finding = verdict.finding
        place = f" at {escape_line(finding.where)}" if finding.where else ""
        return (
            f"{name}: does not verify: {finding.defect}{place}\n  {escape_line(finding.message)}\n"
        )
    facts = format_facts(
        [
            ("receiptId", verdict.receipt_id),
            ("consistent", "yes"),
            ("signed", "not checked"),
            ("timestamped", "not checked"),
            ("frames", _format_frames(verdict)),
            ("log", "not checked"),
        ]
    )
    indented = "".join(f"  {line}\n" for line in facts.splitlines())
    return f"{name}: consistent\n{indented}"


def _format_frames(verdict: Verdict) -> str:
    if verdict.matched is None:
        return f"not checked ({verdict.frames} named; --frames DIR checks them)"
    missing = verdict.frames - verdict.matched
    told = f"{verdict.matched} of {verdict.frames} match"
    return f"{told}, {missing} missing and not checked" if missing else told


def _count_broken(broken: int, files: int) -> str:
    if files == 1:
        return "the receipt does not verify"
    return f"{broken} of {files} receipts {'does' if broken == 1 else 'do'} not verify"


def _invalid(message: str) -> Failure:
    return Failure(
        "receipt_invalid",
        message,
        "do not rely on it; the class of failure and the first bad place are named",
    )
