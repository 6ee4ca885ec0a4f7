"""``session begin``: bind resources that exist, or make some (the short form)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure
from understudy_cli.commands.parameters import parse_number
from understudy_cli.commands.session.naming import remember
from understudy_cli.commands.session.replies import format_reply
from understudy_cli.documents import digest_job
from understudy_cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.commandline import Host
    from understudy_cli.commands.session.delivery import Delivery
    from understudy_cli.render import Output

HIGHEST_DISPLAY = 2**31 - 1


@dataclass(frozen=True)
class Job:
    """What the session is for: a digest, or the file whose digest it is."""

    sha256: str | None = None
    path: str | None = None

    async def digest(self, host: Host) -> str:
        """Return the job's SHA-256."""
        if self.path is not None:
            return await digest_job(host, self.path)
        assert self.sha256 is not None  # noqa: S101 - parse_job leaves one of the two
        return self.sha256


@dataclass(frozen=True)
class BeginOptions:
    """A begin in either form; ``fields`` are the request's own."""

    job: Job
    delivery: Delivery
    attempt: str | None
    fields: Mapping[str, object]

    @property
    def output(self) -> Output:
        """How to answer."""
        return self.delivery.output

    @property
    def writes(self) -> bool:
        """A begin starts a session."""
        return True

    @property
    def ask(self) -> str:
        """See Invocation; the attempt id tells which session is this one."""
        return "understudy session list"

    async def run(self, host: Host) -> int:
        """Make sure of the files, begin, deliver."""
        await self.delivery.prepare(host)
        reply = await begin(host, self.job, self.attempt, self.fields)
        await remember(host, reply.get("proofId"))
        rest = await self.delivery.deliver(host, reply)
        return await self.output.report(host, rest, format_reply(rest))


async def begin(
    host: Host, job: Job, attempt: str | None, fields: Mapping[str, object]
) -> dict[str, object]:
    """Return the reply to a begin; an attempt without a name is named after the command."""
    params = {
        "attempt_id": attempt if attempt is not None else f"attempt-{host.command_id}",
        "job_sha256": await job.digest(host),
        **fields,
    }
    async with progress(host, "starting the browser"):
        return await host.call("session.begin", params)


def parse_job(sha256: str | None, path: str | None) -> Job:
    """Return the job; usage failure for two, or for none."""
    if sha256 is not None and path is not None:
        raise Failure(
            "usage", "--job and --job-file name the job twice", "give the digest or the file"
        )
    if sha256 is None and path is None:
        raise Failure(
            "usage",
            "an evidence session needs a job: --job SHA256 or --job-file FILE",
            'a session without a job, and without a receipt, is begun by "understudy open"',
        )
    return Job(sha256, path)


def parse_binding(
    workspace: str | None, display: str | None, generation: str | None, attempt: str | None
) -> dict[str, object]:
    """Return the fields that bind existing resources: all of them, or none."""
    named = {"--workspace": workspace, "--display": display, "--generation": generation}
    missing = [flag for flag, value in named.items() if value is None]
    if len(missing) == len(named):
        return {}
    if attempt is None:
        missing.append("--attempt")
    if missing:
        raise Failure(
            "usage",
            f"to bind a workspace that exists, {', '.join(missing)} must be given too",
            'take all of them from "understudy workspace list"; the attempt is its holder',
        )
    assert display is not None  # noqa: S101 - it would be among the missing
    number = parse_number("--display", display, 1, HIGHEST_DISPLAY)
    return {
        "workspace_id": workspace,
        "display_id": number,
        "display_target": f"display_{number}",
        "capture_generation": generation,
    }


def verify_kind(kind: str, named: Mapping[str, object]) -> None:
    """Raise a usage failure for a flag that this kind of session does not have."""
    wrong = [flag for flag, value in named.items() if value]
    if wrong:
        raise Failure(
            "usage",
            f"a session {kind} has no {', '.join(wrong)}",
            "leave it out; --job or --job-file begins an evidence session",
        )


def verify_one_form(binding: Mapping[str, object], short: Mapping[str, object]) -> None:
    """Raise a usage failure when both forms of begin are mixed."""
    if binding and short:
        raise Failure(
            "usage",
            f"{', '.join(short)} cannot be set for a workspace that exists",
            'set them when it is made: "understudy workspace create"',
        )
