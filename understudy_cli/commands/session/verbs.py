"""The verbs of a session that has begun, on the command line: flags in, Options out."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.errors import Failure
from understudy_cli.commands import parameters as flags
from understudy_cli.commands.calls import CallOptions
from understudy_cli.commands.parameters import examples, make_output
from understudy_cli.commands.session.delivery import Delivery
from understudy_cli.commands.session.lasting import EitherOptions
from understudy_cli.commands.session.listing import format_sessions
from understudy_cli.commands.session.naming import parse_session, require_sequence
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
def actions(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
    batch: Annotated[
        str | None,
        typer.Option(
            "--actions", metavar="JSON|@FILE|-", help="An array of 1 to 16 actions, in order."
        ),
    ] = None,
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> OperationOptions | RawOptions:
    """Do a batch of actions, in order.

    The whole batch is checked before the first one runs. A failed action ends the session
    without a receipt. Never repeat a batch whose answer was lost: ask for the status. What an
    action may be is told in understudy-protocol(7).
    """
    delivery = Delivery(make_output(as_json, field), frame)
    if request is not None:
        return _raw("actions", request, delivery, proof, session, sequence, {"--actions": batch})
    document = parse_document("--actions", _require("--actions", batch, "the batch to be done"))
    return OperationOptions(
        "actions",
        parse_session(proof, session),
        delivery,
        {"sequence": require_sequence(sequence)},
        {"actions_json": document},
    )


@commands.command(
    epilog=examples(
        "understudy session status $id",
        "understudy session status $id --get sequence",
        "understudy session status $id --frame now.png",
    )
)
def status(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> EitherOptions | RawOptions:
    """Tell how a session stands; changes nothing.

    Of an evidence session: its phase, sequence and newest frame. Of any other: its state,
    origins, page and deadlines. For one that has ended it fails (exit 7), and says how it ended.
    """
    delivery = Delivery(make_output(as_json, field), frame)
    if request is not None:
        return _raw("status", request, delivery, proof, session, None, {})
    name = parse_session(proof, session)
    evidence = OperationOptions("status", name, delivery)
    return EitherOptions("status", name, delivery.output, evidence)


@commands.command(epilog=examples("understudy session freeze $id --sequence 1"))
def freeze(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> OperationOptions | RawOptions:
    """End the input for good; the session then has 45 seconds until it is closed.

    The page's own scripts go on. There is no way back.
    """
    delivery = Delivery(make_output(as_json, field), frame)
    return _plain("freeze", proof, session, sequence, request, delivery)


@commands.command(
    epilog=examples(
        "understudy session observe $id --sequence 2 --state state.json --frame seen.png",
        "understudy session observe $id --sequence 2 --pre-observation $digest --get frame.sha256",
    )
)
def observe(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
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
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> ObserveOptions | RawOptions:
    """Capture the one observation of a frozen session.

    Before it the page's state (url, title, loader id, viewport) is recorded, and its digest
    goes into the receipt, unless --pre-observation gives a digest of your own.
    """
    delivery = Delivery(make_output(as_json, field), frame)
    if request is not None:
        others = {"--pre-observation": pre_observation, "--state": state}
        return _raw("observe", request, delivery, proof, session, sequence, others)
    if pre_observation is not None and state is not None:
        raise Failure(
            "usage",
            "--state writes the document that --pre-observation replaces",
            "give one of the two",
        )
    named = parse_session(proof, session)
    return ObserveOptions(named, require_sequence(sequence), delivery, pre_observation, state)


@commands.command(
    epilog=examples(
        "understudy session finish $id --sequence 3 --observation $digest \\",
        "    --claims @claims.json --receipt receipt.json",
    )
)
def finish(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
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
    request: flags.Request = None,
    frame: flags.Frame = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> OperationOptions | RawOptions:
    """Make the receipt of an observed session.

    The claims are your words, not ours: the receipt says so.
    """
    delivery = Delivery(make_output(as_json, field), frame, receipt)
    if request is not None:
        others = {"--observation": observation, "--claims": None if claims == "{}" else claims}
        return _raw("finish", request, delivery, proof, session, sequence, others)
    digest = _require("--observation", observation, "the digest that observe answered")
    return OperationOptions(
        "finish",
        parse_session(proof, session),
        delivery,
        {"sequence": require_sequence(sequence), "observation_sha256": digest},
        {"claims_json": parse_document("--claims", claims)},
    )


@commands.command(
    epilog=examples("understudy session close", "understudy session close $id --sequence 4")
)
def close(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
    request: flags.Request = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> EitherOptions | OperationOptions | RawOptions:
    """Close a session and release its browser.

    An evidence session must be finished, and --sequence given. Any other may be closed at any
    time, and more than once.
    """
    delivery = Delivery(make_output(as_json, field))
    name = parse_session(proof, session)
    if request is None and sequence is None and not name.is_evidence:
        return EitherOptions("close", name, delivery.output, None, "--sequence")
    return _plain("close", proof, session, sequence, request, delivery)


@commands.command(epilog=examples("understudy session abort $id --sequence 1"))
def abort(
    proof: flags.SessionArgument = None,
    session: flags.Session = None,
    sequence: flags.Sequence = None,
    request: flags.Request = None,
    as_json: flags.Json = False,
    field: flags.Get = None,
) -> OperationOptions | RawOptions:
    """End a session without a receipt, in any phase, even while an operation runs.

    While one runs, the sequence from before or after it is accepted.
    """
    delivery = Delivery(make_output(as_json, field))
    return _plain("abort", proof, session, sequence, request, delivery)


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


def _plain(
    verb: str,
    proof: str | None,
    session: str | None,
    sequence: str | None,
    request: str | None,
    delivery: Delivery,
) -> OperationOptions | RawOptions:
    if request is not None:
        return _raw(verb, request, delivery, proof, session, sequence, {})
    named = parse_session(proof, session)
    return OperationOptions(verb, named, delivery, {"sequence": require_sequence(sequence)})


def _raw(
    verb: str,
    request: str,
    delivery: Delivery,
    proof: str | None,
    session: str | None,
    sequence: str | None,
    others: dict[str, str | None],
) -> RawOptions:
    named = {"SESSION_ID": proof, "--session": session, "--sequence": sequence, **others}
    return make_raw(verb, request, named, delivery)


def _require(flag: str, value: str | None, meaning: str) -> str:
    if value is None:
        raise Failure("usage", f"{flag} is missing", f"it gives {meaning}")
    return value
