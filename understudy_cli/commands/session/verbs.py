"""The verbs of a session that has begun, on the command line: flags in, Options out."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions
from understudy_cli.commands.grouping import flagged
from understudy_cli.commands.parameters import examples, make_output
from understudy_cli.commands.session.delivery import Delivery
from understudy_cli.commands.session.groups import Asking, Framing, Stepping
from understudy_cli.commands.session.lasting import EitherOptions
from understudy_cli.commands.session.listing import format_sessions
from understudy_cli.commands.session.observe import ObserveOptions
from understudy_cli.commands.session.operations import OperationOptions
from understudy_cli.commands.session.pipe import PipeOptions
from understudy_cli.commands.session.requests import RawOptions, make_raw
from understudy_cli.commands.session.tree import Claims, commands
from understudy_cli.documents import parse_document


@commands.command(
    epilog=examples(
        "understudy session actions $id --sequence 0 --actions @actions.json --frame after.png",
        "understudy session actions $id --sequence 0 \\",
        """    --actions '[{"type":"click","x":10,"y":20}]'""",
    )
)
@flagged
def actions(
    step: Stepping,
    framing: Framing,
    batch: Annotated[
        str | None,
        typer.Option(
            "--actions", metavar="JSON|@FILE|-", help="An array of 1 to 16 actions, in order."
        ),
    ] = None,
) -> OperationOptions | RawOptions:
    """Do a batch of actions, in order.

    The whole batch is checked before the first one runs. A failed action ends the session
    without a receipt. Never repeat a batch whose answer was lost: ask for the status. What an
    action may be is told in understudy-protocol(7).
    """
    delivery = framing.deliver(step.output)
    if step.request is not None:
        return make_raw("actions", step.request, {**step.named, "--actions": batch}, delivery)
    sequence = step.count("actions")
    document = parse_document("--actions", _require("--actions", batch, "the batch to be done"))
    return OperationOptions(
        "actions",
        step.name,
        delivery,
        {"sequence": sequence},
        {"actions_json": document},
    )


@commands.command(
    epilog=examples(
        "understudy session status $id",
        "understudy session status $id --get sequence",
        "understudy session status $id --frame now.png",
    )
)
@flagged
def status(
    asking: Asking,
    framing: Framing,
) -> EitherOptions | RawOptions:
    """Tell how a session stands; changes nothing.

    Of an evidence session: its phase, sequence and newest frame. Of any other: its state,
    origins, page and deadlines. For one that has ended it fails (exit 7), and says how it ended.
    """
    delivery = framing.deliver(asking.output)
    if asking.request is not None:
        return make_raw("status", asking.request, asking.named, delivery)
    evidence = OperationOptions("status", asking.name, delivery)
    return EitherOptions("status", asking.name, delivery.output, evidence)


@commands.command(epilog=examples("understudy session freeze $id --sequence 1"))
@flagged
def freeze(
    step: Stepping,
    framing: Framing,
) -> OperationOptions | RawOptions:
    """End the input for good; the session then has 45 seconds until it is closed.

    The page's own scripts go on. There is no way back. The answer has the session's facts; the
    actions in it are those of the newest batch.
    """
    return _plain("freeze", step, framing.deliver(step.output))


@commands.command(
    epilog=examples(
        "understudy session observe $id --sequence 2 --state state.json --frame seen.png",
        "understudy session observe $id --sequence 2 --pre-observation $digest --get frame.sha256",
    )
)
@flagged
def observe(
    step: Stepping,
    framing: Framing,
    pre_observation: Annotated[
        str | None,
        typer.Option(
            "--pre-observation",
            metavar="SHA256",
            help="The digest of what you looked at yourself, in place of our state document.",
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="FILE", help="Write the state document to FILE."),
    ] = None,
) -> ObserveOptions | RawOptions:
    """Capture the one observation of a frozen session.

    Before it the page's state (url, title, loader id, viewport) is recorded, and its digest
    goes into the receipt, unless --pre-observation gives a digest of your own.
    """
    delivery = framing.deliver(step.output)
    if step.request is not None:
        others = {"--pre-observation": pre_observation, "--state": state}
        return make_raw("observe", step.request, step.named | others, delivery)
    if pre_observation is not None and state is not None:
        raise Failure(
            "usage",
            "--state writes the document that --pre-observation replaces",
            "give one of the two",
        )
    sequence = step.count("observe")
    return ObserveOptions(step.name, sequence, delivery, pre_observation, state)


@commands.command(
    epilog=examples(
        "understudy session finish $id --sequence 3 --observation $digest \\",
        "    --claims @claims.json --receipt receipt.json",
    )
)
@flagged
def finish(
    step: Stepping,
    framing: Framing,
    observation: Annotated[
        str | None,
        typer.Option(
            "--observation",
            metavar="SHA256",
            help="The observation's digest (frame.sha256 of observe's answer).",
        ),
    ] = None,
    claims: Claims = "{}",
    receipt: Annotated[
        str | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt to FILE.")
    ] = None,
) -> OperationOptions | RawOptions:
    """Make the receipt of an observed session.

    The claims are your words, not ours: the receipt says so.
    """
    delivery = framing.deliver(step.output, receipt)
    if step.request is not None:
        others = {"--observation": observation, "--claims": None if claims == "{}" else claims}
        return make_raw("finish", step.request, step.named | others, delivery)
    sequence = step.count("finish")
    digest = _require("--observation", observation, "the digest that observe answered")
    return OperationOptions(
        "finish",
        step.name,
        delivery,
        {"sequence": sequence, "observation_sha256": digest},
        {"claims_json": parse_document("--claims", claims)},
    )


@commands.command(
    epilog=examples("understudy session close", "understudy session close $id --sequence 4")
)
@flagged
def close(
    step: Stepping,
) -> EitherOptions | OperationOptions | RawOptions:
    """Close a session and release its browser.

    An evidence session must be finished, and --sequence given. Any other may be closed at any
    time, and more than once.
    """
    if step.request is None and step.sequence is None and not step.name.is_evidence:
        return EitherOptions("close", step.name, step.output, None, "--sequence")
    return _plain("close", step, Delivery(step.output))


@commands.command(epilog=examples("understudy session abort $id --sequence 1"))
@flagged
def abort(
    step: Stepping,
) -> OperationOptions | RawOptions:
    """End a session without a receipt, in any phase, even while an operation runs.

    While one runs, the sequence from before or after it is accepted.
    """
    return _plain("abort", step, Delivery(step.output))


@commands.command(
    "list",
    epilog=examples("understudy session list", "understudy session list --json"),
)
def list_sessions(as_json: flags.Json = False, field: flags.Get = None) -> CallOptions:
    """List your sessions of both kinds, live and ended."""
    return CallOptions(
        "session.list", make_output(as_json, field), format_sessions, ask="understudy session list"
    )


@commands.command(epilog=examples("understudy session pipe < requests.jsonl > replies.jsonl"))
def pipe() -> PipeOptions:
    """Answer one request a line with one reply a line, in order.

    Each line of stdin is a JSON object as --request takes it; blank lines are skipped. A failed
    request does not stop the next. The exit code is that of the first failure.
    """
    return PipeOptions(make_output(as_json=True, field=None))


def _plain(verb: str, step: Stepping, delivery: Delivery) -> OperationOptions | RawOptions:
    if step.request is not None:
        return make_raw(verb, step.request, step.named, delivery)
    return OperationOptions(verb, step.name, delivery, {"sequence": step.count(verb)})


def _require(flag: str, value: str | None, meaning: str) -> str:
    if value is None:
        raise Failure("usage", f"{flag} is missing", f"it gives {meaning}")
    return value
