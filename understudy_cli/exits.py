"""The one table from an error code to the exit code of the process (DESIGN §7).

Imports nothing heavy: the thin client uses it too.
"""

from __future__ import annotations

DONE = 0
INTERNAL = 1
USAGE = 2
CONFLICT = 3
UNKNOWN = 4
PENDING = 5
BUSY = 6
GONE = 7
UNAVAILABLE = 8
NOT_STARTED = 9
NOT_FOUND = 10
REFUSED = 11
UNVERIFIED = 12
FAILED = 13
INTERRUPTED = 130

MEANINGS = {
    DONE: "done (the status says whether an effect was seen: ok, or injected)",
    INTERNAL: "internal error",
    USAGE: "usage, invalid request, unreadable file",
    CONFLICT: "conflict: sequence, phase, holder, id reuse, collision, an open dialog",
    UNKNOWN: "outcome unknown: do not retry",
    PENDING: "pending: poll the same command",
    BUSY: "busy, or over a limit",
    GONE: "gone: closed, expired, lost",
    UNAVAILABLE: "the daemon or the browser is not available",
    NOT_STARTED: "not started, or timed out: safe to retry",
    NOT_FOUND: "not found",
    REFUSED: "refused by policy: origin, actor, capability",
    UNVERIFIED: "a receipt does not verify, or not as far as was asked",
    FAILED: "the action failed: nothing was done, or the effect was not there",
    INTERRUPTED: "interrupted by the terminal; a write goes on in the daemon, to its end",
}

_CODES: dict[int, tuple[str, ...]] = {
    USAGE: (
        "usage",
        "invalid_request",
        "invalid_name",
        "unreadable_file",
        "no_such_file",
        "is_directory",
        "unwritable_file",
        "input_too_large",
        "no_such_field",
        "no_such_variable",
        "external-proof-input-size",
        "external-proof-json",
        "external-proof-command",
        "external-proof-binding",
        "external-proof-actions",
        "external-proof-action",
        "external-proof-action-limit",
        "external-proof-observation",
        "external-proof-claims",
    ),
    CONFLICT: (
        "conflict",
        "collision",
        "command_id_conflict",
        "lease_held",
        "daemon_running",
        "dialog_open",
        "external-proof-sequence",
        "external-proof-phase",
    ),
    UNKNOWN: ("outcome_unknown",),
    PENDING: ("pending",),
    BUSY: (
        "busy",
        "capacity",
        "display_exhausted",
        "session_busy",
        "quota_exceeded",
        "command_cap_reached",
        "queue_full",
        "external-proof-busy",
    ),
    GONE: (
        "gone",
        "lost",
        "tab_gone",
        "caller_gone",
        "external-proof-expired",
        "external-proof-closed",
    ),
    UNAVAILABLE: (
        "daemon_unavailable",
        "browser_unavailable",
        "wire_mismatch",
        "state_untrusted",
        "config_invalid",
        "store_corrupt",
        "store_full",
        "store_locked",
        "store_newer",
        "store_unwritable",
        "external-proof-setup-timeout",
    ),
    NOT_STARTED: ("not_started", "timed_out"),
    NOT_FOUND: ("not_found", "external-proof-not-found"),
    REFUSED: (
        "origin",
        "actor",
        "policy",
        "upload_root",
        "external-proof-actor",
        "external-proof-action-forbidden",
    ),
    UNVERIFIED: ("receipt_invalid",),
    FAILED: (
        "action_failed",
        "ref_stale",
        "ref_changed",
        "no_match",
        "several_match",
        "selector_invalid",
        "covered",
        "not_visible",
        "not_stable",
        "disabled",
        "not_editable",
        "unfit_element",
        "no_option",
        "mismatch",
        "landed_elsewhere",
        "expectation_failed",
        "navigation_failed",
        "external-proof-action-failed",
    ),
}

EXITS = {code: exit_code for exit_code, codes in _CODES.items() for code in codes}


def exit_of(code: str) -> int:
    """Return the exit code for an error code; a code that is not listed is internal (1)."""
    return EXITS.get(code, INTERNAL)
