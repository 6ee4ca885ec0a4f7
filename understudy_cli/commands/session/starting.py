"""``session begin`` and ``session run`` on the command line: flags in, Options out."""

from __future__ import annotations

from typing import Annotated

import typer

from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import given
from understudy_cli.commands.everyday import opening
from understudy_cli.commands.parameters import examples, make_output
from understudy_cli.commands.session.begin import (
    BeginOptions,
    parse_binding,
    parse_job,
    verify_kind,
    verify_one_form,
)
from understudy_cli.commands.session.delivery import Delivery
from understudy_cli.commands.session.requests import RawOptions, make_raw
from understudy_cli.commands.session.run import Page, RunOptions, parse_places
from understudy_cli.commands.session.tree import Claims, commands
from understudy_cli.documents import parse_document, verify_one_stdin

Attempt = Annotated[
    str | None,
    typer.Option(
        "--attempt", metavar="ID", help="The attempt's id, 1 to 128 characters (default: made up)."
    ),
]
JobDigest = Annotated[
    str | None,
    typer.Option("--job", metavar="SHA256", help="The job's digest; this or --job-file is needed."),
]
JobFile = Annotated[
    str | None,
    typer.Option(
        "--job-file", metavar="FILE", help="The job, any file; its SHA-256 becomes the digest."
    ),
]


@commands.command(
    epilog=examples(
        "understudy session begin --url https://example.com",
        "understudy session begin --job-file job.txt --url https://example.com",
        "understudy session begin --job-file job.txt --url http://app:3000 \\",
        "    --origin http://app:3000 --get proofId",
        """understudy session begin --request '{"op":"begin","attempt_id":"a","job_sha256":"…"}'""",
    )
)
def begin(
    attempt: Attempt = None,
    job: JobDigest = None,
    job_file: JobFile = None,
    url: flags.Url = None,
    origin: flags.Origins = None,
    viewport: flags.Viewport = None,
    headed: Annotated[
        bool, typer.Option("--headed", help="With a window (not offered yet: refused).")
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="In a profile (not offered yet: refused)."),
    ] = None,
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="ID", help="Bind this workspace.")
    ] = None,
    display: Annotated[
        str | None, typer.Option("--display", metavar="N", help="The workspace's display.")
    ] = None,
    generation: Annotated[
        str | None,
        typer.Option("--generation", metavar="ID", help="The display's capture generation."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", metavar="UUID", help="Without a job: the same key begins only one session."
        ),
    ] = None,
    on_dialog: opening.OnDialog = None,
    downloads: opening.Downloads = False,
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> BeginOptions | opening.BeginOptions | RawOptions:
    """Begin a session in a browser of its own; an evidence session, if there is a job.

    No document outside its origins is loaded in it. Without a job it takes the everyday
    commands (click, fill and so on), for up to 24 hours, 2 hours without a command.

    An evidence session is bound to its job's digest, and has 180 seconds until it is frozen.
    With --workspace, --display, --generation and --attempt it binds a workspace that exists;
    otherwise it makes one.
    """
    delivery = Delivery(make_output(as_json, field), frame)
    short = given(
        url=url,
        allowed_origins=origin,
        viewport=viewport,
        headed=headed or None,
        profile=profile,
    )
    if request is not None:
        named: dict[str, object] = {
            "--attempt": attempt,
            "--job": job,
            "--job-file": job_file,
            "--url": url,
        }
        named |= {"--origin": origin, "--viewport": viewport, "--headed": headed}
        named |= {"--profile": profile, "--workspace": workspace, "--display": display}
        named |= {"--generation": generation, "--key": key, "--on-dialog": on_dialog}
        named |= {"--downloads": downloads}
        return make_raw("begin", request, named, delivery)
    binding = parse_binding(workspace, display, generation, attempt)
    verify_one_form(binding, short)
    lasting = opening.opening_fields(url, origin, viewport, on_dialog, downloads, key)
    if job is None and job_file is None and not binding:
        evidence_only = {"--attempt": attempt, "--headed": headed, "--profile": profile}
        verify_kind("without a job", evidence_only | {"--frame": frame})
        return opening.BeginOptions(lasting, delivery.output)
    verify_kind("with a job", {"--key": key, "--on-dialog": on_dialog, "--downloads": downloads})
    return BeginOptions(parse_job(job, job_file), delivery, attempt, binding | short)


@commands.command(
    epilog=examples(
        "understudy session run --job-file job.txt --url https://example.com \\",
        "    --actions @actions.json --receipt receipt.json --out evidence",
    )
)
def run(
    batch: Annotated[
        str,
        typer.Option(
            "--actions", metavar="JSON|@FILE|-", help="An array of 1 to 64 actions, in order."
        ),
    ],
    attempt: Attempt = None,
    job: JobDigest = None,
    job_file: JobFile = None,
    url: flags.Url = None,
    origin: flags.Origins = None,
    viewport: flags.Viewport = None,
    claims: Claims = "{}",
    receipt: Annotated[
        str | None,
        typer.Option(
            "--receipt", metavar="FILE", help="Write the receipt to FILE (default: in --out)."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Leave the state and all frames in DIR; it is made."
        ),
    ] = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> RunOptions:
    """Do a whole evidence session: begin, act, freeze, observe, finish, close.

    Everything is checked before the browser starts: the actions, the claims, and that the files
    can be written. Actions go out sixteen at a time. When something fails, the session is aborted
    and there is no receipt.
    """
    documents = parse_document("--actions", batch), parse_document("--claims", claims)
    verify_one_stdin(*documents)
    return RunOptions(
        parse_job(job, job_file),
        Page(url, tuple(origin or ()), viewport),
        *documents,
        parse_places(receipt, out),
        make_output(as_json, field),
        attempt,
    )
