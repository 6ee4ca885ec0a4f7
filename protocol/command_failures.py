"""What a command of an everyday session answers when it did not do what it says.

One code for each condition, each with what to do about it. What pages say about it
(``seen``) is page text: in its own member of the body, never in message or hint.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from protocol.admission import not_started, outcome_unknown, timed_out
from protocol.errors import Failure, FailureBody
from protocol.writes import State

HINTS: Final[Mapping[str, str]] = {
    "ref_stale": "Take a new snapshot and use its refs.",
    "ref_changed": "Take a new snapshot, or accept the new name with --renamed.",
    "no_match": "See what is there in a snapshot; elements that come near are listed.",
    "several_match": "Name the element more exactly, or use its ref from a snapshot.",
    "selector_invalid": "Correct the selector; nothing was sent to the page.",
    "not_visible": "Scroll, open what hides it, or wait for it to be visible.",
    "not_stable": "Wait until it keeps still.",
    "disabled": "Do first what enables it, or wait for it to be enabled.",
    "not_editable": "Use a field that takes text.",
    "covered": "Close or move what covers it; it is described.",
    "unfit_element": "Use an element of the right kind.",
    "no_option": "Use one of the options that are listed.",
    "mismatch": "Read the field: the page changed or refused what was typed.",
    "landed_elsewhere": "Take a new snapshot: the page moved something under the pointer.",
    "expectation_failed": "The action was done; look at the page before doing it again.",
    "navigation_failed": "Check the address and that its server answers.",
    "action_failed": "Nothing was sent to the page. Look at it, then try another way.",
    "upload_root": "[policy] upload_roots of the configuration says what may be uploaded.",
    "tab_gone": "The session is over. Begin another one.",
    "dialog_open": "Answer it first: understudy dialog accept, or understudy dialog dismiss.",
}
_MESSAGES: Final[Mapping[str, str]] = {
    "action_failed": "The page did not let it be done in time; nothing was sent",
    "tab_gone": "The session's tab is gone",
    "timed_out": "The page did not answer in time",
    "dialog_open": "A dialog is open, and the page does nothing until it is answered",
    "internal": "An unexpected error",
    "gone": "The session ended before it was done",
    "lost": "The session's browser was lost before it was done",
}
RETRYABLE: Final = frozenset({"dialog_open"})
"""Conditions under which nothing was begun and the same command may be sent again."""


class CommandFailed(Failure):
    """One command's failure. ``details`` are further members of the error's body."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        seen: object = None,
        safe_to_retry: bool = False,
    ) -> None:
        said = hint or HINTS.get(code, "See session log for what the command came to.")
        super().__init__(code, message, said, safe_to_retry=safe_to_retry)
        self.details: dict[str, object] = {} if seen is None else {"seen": seen}

    def body(self) -> FailureBody:
        """Return the ``error`` member of a reply, details included."""
        return cast("FailureBody", {**super().body(), **self.details})


def with_details(failure: Failure, **details: object) -> CommandFailed:
    """Return the failure of one command, with more members in its body."""
    told = CommandFailed(
        failure.code, failure.message, hint=failure.hint, safe_to_retry=failure.safe_to_retry
    )
    earlier: Mapping[str, Any] = failure.details if isinstance(failure, CommandFailed) else {}
    told.details = {**earlier, **details}
    return told


def failure_of(state: State, code: str) -> Failure:
    """Return the failure that an outcome and its code tell, when nothing more is known."""
    if state is State.UNKNOWN:
        return outcome_unknown()
    if state is State.NOT_STARTED and code not in HINTS:
        return not_started()
    if state is State.TIMED_OUT and code not in HINTS:
        return timed_out()
    message = _MESSAGES.get(code, "The command failed")
    return CommandFailed(code, message, safe_to_retry=code in RETRYABLE)
