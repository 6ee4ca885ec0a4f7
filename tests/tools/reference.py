"""The tables of the manual, from the tables that the code itself goes by.

A thing without an explanation here is a KeyError: whoever adds a field, an action,
a phase or a method says what it means.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from protocol import actions, command_fields, evidence_session, keys, messages, receipt_fields
from protocol.errors import PROOF_PREFIX
from protocol.verify import Defect
from understudy_cli.exits import EXITS, INTERNAL, MEANINGS
from understudy_cli.outline import Command, outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER = "the current sequence"
FIELDS = {
    "proof_id": "the session's proofId",
    "sequence": NUMBER,
    "actions_json": "the batch",
    "pre_observation_sha256": "what the caller looked at before",
    "observation_sha256": "exactly the observation's frame.sha256",
    "claims_json": "the caller's claims",
    "attempt_id": "the attempt, 1 to 128 characters",
    "workspace_id": "bw- and 32 hex digits",
    "display_id": "its number",
    "display_target": "display_ and its number",
    "capture_generation": "vdcg- and 32 hex digits",
    "job_sha256": "the job's digest, 64 lower-case hex digits",
}
ACTIONS = {
    "click": "Press and release a button. button: left (default), right, middle.",
    "double_click": "The same, twice.",
    "triple_click": "The same, three times.",
    "move_mouse": "Move the pointer.",
    "drag": "Press the left button at the start, move to the end, release it.",
    "scroll": "Turn the wheel. direction: up, down, left, right; amount: 1 to 100 notches (3).",
    "type": "Put exactly this text, 1 to 4096 code points, where the focus is.",
    "key": "Press a key or a chord.",
    "hold_key": "Hold a key or a chord for up to 10000 ms.",
    "wait": "Do nothing for up to 5000 ms. No input.",
    "screenshot": "Do nothing but take the frame that follows every action. No input.",
    "navigate": "Load a page of one of the session's origins, and wait for the load.",
}
COMMANDS = {
    "click": "button: left (default), right, middle; count: 1 to 3; modifiers: key names.",
    "hover": "Move the pointer there.",
    "focus": "Give it the focus.",
    "clear": "Empty a field.",
    "check": "Check a box, a switch or a radio button.",
    "uncheck": "Uncheck a box or a switch.",
    "type": "Type at the caret; without a target where the focus is.",
    "fill": "Make a text all that a field holds.",
    "select": "Choose exactly these options, by labels or by values.",
    "key": "Press a key or a chord.",
    "hold_key": "Hold a key or a chord for up to 10000 ms.",
    "scroll": "A target into view, by: [x, y] pixels of the wheel, or to: top or bottom.",
    "drag": "From a target to another.",
    "upload": 'Files as {"path": a real path, "content": base64}, at most 16 and 32 MiB in all.',
    "navigate": "Load a page of one of the session's origins.",
    "back": "Go back in history.",
    "forward": "Go forward in history.",
    "reload": "Load the page again.",
    "snapshot": "The page as a tree: generation, nodes, lines; with diff what changed.",
    "wait": (
        "for: load, idle, text, text_gone, url, state or ms; value: the text, the whole url (* is"
        " anything) or the state; timeout_ms: up to 600000 (25000)."
    ),
    "read": "what: text, value, attribute (its name), state, count, title or url.",
    "screenshot": "The viewport, the full page, or a target: pngBase64 and its digest.",
}
PHASES = {
    "setup": "the display, the browser and the page are being made",
    "stage": "actions are done",
    "frozen": "no input reaches the page any more",
    "observed": "the observation has been captured",
    "finished": "the receipt has been made",
}
CLOCKS = (
    ("set-up", evidence_session.SETUP_S, "at most, within the stage"),
    ("stage", evidence_session.STAGE_S, "from the start of begin, set-up included, until freeze"),
    ("frozen", evidence_session.FROZEN_S, "from freeze until close"),
)
METHODS = {
    "session.begin, .actions, .freeze, .observe, .finish, .close, .abort, .status": (
        "The evidence requests below, without **op**."
    ),
    "session.open {url?, origins?, viewport?, key?, on_dialog?, downloads?}": (
        "A session without a job, in a browser of its own: session. key is a UUID: the same one"
        " begins only one session. on_dialog is ask (default), accept, dismiss or default. A first"
        " page that does not load ends it, and the error carries its sessionId."
    ),
    "session.status {session_id}": (
        "How it stands: session; with loading while not all of its page has come."
    ),
    "session.close {session_id}": "End it, as often as you like: closed, session.",
    "session.list {}": "Your sessions of both kinds: sessions.",
    "session.log {session_id, limit?, before?, page?}": (
        "Its commands, the newest first: commands; or what its page reported: entries."
    ),
    "session.resolve {session_id, command_id, done}": (
        "Your judgement on a write of unknown outcome; writes are let through again."
    ),
    "session.current {terminal|cwd}": "The session last begun from there: sessionId, or null.",
    "session.remember {session_id, terminal|cwd}": "This one was begun from there.",
    "command.run {session_id, command_id, command, dry_run?, wait_s?}": (
        "Do one command, at most once under its id (1 to 128 characters), and answer when it has"
        " ended, or with pending after wait_s: outcome, status, replayed, result, dialog, popups,"
        " downloads, page."
    ),
    "command.batch {session_id, command_id, commands, bail?, wait_s?}": (
        "Do commands in order under one id: steps, each with index, id, outcome (done, failed,"
        " not_run, unknown), status, result and error. No two commands have the same id."
    ),
    "command.poll {command_id, session_id?}": (
        "What became of a command: state, status, code, safeToRetry, result while it is kept."
    ),
    "dialog.list {session_id}": "Its dialogs, the newest 50: dialogs.",
    "dialog.accept {session_id, text?, command_id?, wait_s?}": (
        "Accept the open one; a prompt with a text."
    ),
    "dialog.dismiss {session_id, command_id?, wait_s?}": "Dismiss the open one.",
    "popup.list {session_id}": (
        "New windows that were closed: popups, each with the method it asked by."
    ),
    "popup.open {session_id, number, command_id?, wait_s?}": (
        "Load one's address in the session's own tab; none that was to be sent a form."
    ),
    "download.list {session_id}": "Its downloads: downloads.",
    "download.save {session_id, number}": "A complete one, with contentBase64: download.",
    "session.state {proof_id}": (
        "The page's state document: state, stateSha256 and stateJson, its canonical text."
    ),
    "session.frame {proof_id, sha256}": "A kept frame, with pngBase64; also after the end.",
    "display.create {min_display_id?, max_display_id?}": (
        "A headless display, the lowest free number from 99 to 199 or within both bounds: display."
    ),
    "display.list {}": "Your displays: displays.",
    "display.destroy {display_id}": "Remove one that no workspace is on.",
    "workspace.create {display_id?, url?, origins?, viewport?, holder?, holder_kind?}": (
        "A browser with one fenced tab: workspace, with its browser's version, pid and argv."
    ),
    "workspace.acquire {workspace_id, holder, holder_kind?, force?}": (
        "Make somebody the holder. An evidence session needs the kind bounded_cu."
    ),
    "workspace.list {}": "Your workspaces: workspaces.",
    "workspace.state {workspace_id}": "As session.state.",
    "workspace.close {workspace_id}": "Close it and its browser.",
    "client.hello {token}": "Act as a client from now on; on rpc.sock only.",
    "client.add {name}": "Register a client: token, for the only time.",
    "client.list {}": "The clients: clients.",
    "client.remove {name}": "Forget a client; its token is good no longer.",
    "daemon.status {}": "The daemon's version, process, sockets and what it holds.",
    "daemon.stop {}": "Stop the daemon in an orderly way.",
}
RECEIPT = {
    "schemaVersion": "2",
    "profile": "intendant-external-cu-proof-v1",
    "proofId": "ecup- and 32 hex digits",
    "binding": "what the session was bound to",
    "actor": "who called: kind local-process, principalId uid:N or uid:N/client:NAME",
    "execution": (
        "external-actions, 0, external-caller, false: no model ran, and the receipt grants nothing"
    ),
    "startedAt": "when begin started; times are RFC 3339 in UTC with milliseconds",
    "frozenAt": "when the input ended",
    "observedAt": "when the observation was captured",
    "completedAt": "when the receipt was made",
    "elapsedMs": "from start to completion",
    "actionCount": "how many actions, at most 64",
    "inputEventCount": "how many of them were input",
    "postObservationInputEventCount": "always 0",
    "stageTranscriptSha256": "the digest of the transcript up to the freeze",
    "preObservationSha256": "the digest of what the caller looked at before the observation",
    "observation": "the frame of the observation",
    "transcript": "everything that happened, in order",
    "transcriptSha256": "the digest of the transcript",
    "claimsJson": "the caller's claims, to the letter",
    "claimsSha256": "their digest",
    "receiptId": "the seal over all the rest",
}
EVENTS = {
    "initial_frame": "First, once.",
    "action": "One action of the stage, with the frame after it.",
    "freeze": "Once; the frame is the last one before it.",
    "observation": "Once; the frame is a new capture.",
    "external_claims": "Last, once; the frame is the observation's.",
}
DEFECTS = {
    "json": "not JSON, a key twice, a float, a lone surrogate, nesting over 64, over 64 MiB",
    "version": "an unknown version or profile",
    "fields": "a field is missing, unknown or of another JSON type",
    "receipt-id": "receiptId is not the digest of the rest",
    "transcript-digest": "transcriptSha256 is not the digest of the transcript",
    "stage-digest": "stageTranscriptSha256 is not the digest of the stage",
    "claims-digest": "claimsSha256 is not the digest of claimsJson",
    "event-sequence": "a gap in the numbers of the events",
    "event-order": "an event where it must not be",
    "counters": "a counter does not agree with the events",
    "frame-binding": "frames or pre-observation digests do not agree with each other",
    "time-order": "times run backwards",
    "execution-flags": "the execution says something else than above",
    "frame": "a picture at hand is another one, or the observation's size differs",
}


def nouns() -> str:
    """Each noun with its page."""
    return _terms((f"understudy-{one.name}(1)", [one.summary]) for one in outline().commands)


def pages(besides: str = "") -> str:
    """All other pages, without that of the noun that is on this one."""
    names = [f"understudy-{noun.name}(1)" for noun in outline().commands if noun.name != besides]
    return ", ".join([*names, "understudy-protocol(7)", "understudy-receipt(5)"])


def exits() -> str:
    """Each exit code with its meaning."""
    return _terms((str(code), [meaning]) for code, meaning in MEANINGS.items())


def codes() -> str:
    """The error codes by exit code; what is in no table is internal."""
    told = {code: [name for name, found in EXITS.items() if found == code] for code in MEANINGS}
    internal = ("internal", *_proofs("frame", "frame-size", "clock"))
    told[INTERNAL] = [*internal, *_proofs("cleanup-pending", "cleanup-failed")]
    return _terms(
        (f"{code} ({MEANINGS[code]})", [", ".join(names)]) for code, names in told.items() if names
    )


def methods() -> str:
    """Each method with its parameters."""
    return _terms((method, [meaning]) for method, meaning in METHODS.items())


def operations() -> str:
    """Each evidence operation with its fields."""
    begin = [field.name for field in fields(messages.Begin)]
    told = {"begin": begin} | {
        op.value: [field.name for field in fields(call)] for call, op in messages.OPS.items()
    }
    return _terms(
        (op, [", ".join(f"**{name}** ({FIELDS[name]})" for name in names) + "."])
        for op, names in told.items()
    )


def clocks() -> str:
    """The deadlines."""
    return _terms((f"{name}: {limit_s:.0f} s", [meaning]) for name, limit_s, meaning in CLOCKS)


def phases() -> str:
    """Each live phase with what is allowed in it."""
    return _terms(
        (phase.value, [f"{PHASES[phase.value]}; allowed: {_allowed(calls)}"])
        for phase, calls in evidence_session.TABLE.items()
    )


def _allowed(calls: Iterable[messages.Op]) -> str:
    return ", ".join(op.value for op in calls if op is not messages.Op.BEGIN)


def action_types() -> str:
    """Each type of action with its fields."""
    return _terms(
        (" ".join([kind, *checks]), [ACTIONS[kind]])
        for kind, (_, checks) in actions._CHECKS.items()
    )


def command_types() -> str:
    """Each type of everyday command with its fields."""
    return _terms(
        (" ".join([kind, *form.needed, *(f"{name}?" for name in form.further)]), [COMMANDS[kind]])
        for kind, form in command_fields._FORMS.items()
    )


def key_names() -> str:
    """The names of keys."""
    modifiers = [" or ".join(names) for names in keys._MODIFIER_NAMES.values()]
    named = [" or ".join(names) for names in keys._KEY_NAMES.values()]
    return _terms(
        [
            ("modifiers", [f"{', '.join(modifiers)}; each also with _l or _r behind it"]),
            ("keys", [", ".join(named)]),
            ("characters", ["any single character"]),
        ]
    )


def receipt() -> str:
    """Each member of a receipt."""
    return _terms(
        (_shape(name, kind), [RECEIPT[name]]) for name, kind in receipt_fields._RECEIPT.items()
    )


def events() -> str:
    """Each kind of event with its detail."""
    return _terms(
        (_shape(kind, shape), [EVENTS[kind]]) for kind, shape in receipt_fields._DETAILS.items()
    )


def defects() -> str:
    """Each class of failure, in order."""
    return _terms((defect.value, [DEFECTS[defect.value]]) for defect in Defect)


def noun_page(noun: Command) -> str:
    """The whole page of a noun."""
    verbs = noun.commands or (noun,)
    synopsis = "\n\n".join(_synopsis(command) for command in verbs)
    commands = "\n\n".join(_command(command) for command in verbs)
    others = pages(noun.name) if noun.commands else "understudy-session(1), understudy-protocol(7)"
    return f"""\
# NAME
understudy-{noun.name} - {noun.summary[:1].lower()}{noun.summary[1:].rstrip(".")}

# SYNOPSIS
{synopsis}

# DESCRIPTION
{noun.summary} Output, exit status and the forms of documents are described in understudy(1).

# COMMANDS
{commands}

# SEE ALSO
understudy(1), {others}
"""


def _synopsis(command: Command) -> str:
    required = [f"{flag.name} {flag.value}" for flag in command.flags if flag.required]
    words = [*(argument.name for argument in command.arguments), *required, "[OPTIONS]"]
    return f"**{command.words}** {' '.join(words)}"


def _command(command: Command) -> str:
    arguments = _terms((one.name, [one.help]) for one in command.arguments)
    flags = _terms(
        (f"{flag.name} {flag.value}".rstrip(), [flag.help])
        for flag in command.flags
        if flag.name != "--help"
    )
    example = "\n".join(f"    {line}" for line in command.examples)
    parts = [f"## {command.words}", *command.paragraphs, arguments, flags, example]
    return "\n\n".join(part for part in parts if part)


def _shape(name: str, kind: object) -> str:
    return f"{name} {{{', '.join(kind)}}}" if isinstance(kind, dict) else name


def _proofs(*names: str) -> list[str]:
    return [PROOF_PREFIX + name for name in names]


def _terms(pairs: Iterable[tuple[str, Sequence[str]]]) -> str:
    return "\n\n".join("\n".join([f": {term}", *lines]) for term, lines in pairs)


TABLES = {
    "@nouns": nouns,
    "@pages": pages,
    "@exits": exits,
    "@codes": codes,
    "@methods": methods,
    "@operations": operations,
    "@clocks": clocks,
    "@phases": phases,
    "@actions": action_types,
    "@commands": command_types,
    "@keys": key_names,
    "@fields": receipt,
    "@events": events,
    "@defects": defects,
}
