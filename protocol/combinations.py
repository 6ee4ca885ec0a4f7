"""Which fields of a command go together, once each is right by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.commands import Look, Screenshot, Scroll, Select, Wait, WaitFor, What
from protocol.errors import Failure
from protocol.targets import LocatorTarget

if TYPE_CHECKING:
    from protocol.commands import Command

STATES: Final = (
    *("visible", "hidden", "gone", "enabled", "disabled", "editable", "focused", "unfocused"),
    *("checked", "unchecked", "selected", "unselected", "expanded", "collapsed"),
)
"""States of an element that can be waited for."""


def verify_together(command: Command) -> None:
    """Raise for fields that are right one by one, and wrong together."""
    match command:
        case Select(labels=labels, values=values) if bool(labels) == bool(values):
            raise invalid_command("A select needs labels or values, one of the two")
        case Scroll(target=target, by=by, to=to) if not _is_scroll(target, by, to):
            raise invalid_command("A scroll needs a target, by, to, or by over a target")
        case Wait():
            _verify_wait(command)
        case Look():
            _verify_look(command)
        case Screenshot(full=True, target=target) if target is not None:
            raise invalid_command("A screenshot is full or of a target, not both")
        case _:
            pass


def _is_scroll(target: object, by: object, to: object) -> bool:
    given = [target is not None, by is not None, to is not None]
    return given in ([True, False, False], [False, True, False], [True, True, False]) or (
        given == [False, False, True]
    )


def _verify_wait(wait: Wait) -> None:
    match wait.wanted:
        case WaitFor.STATE:
            right = wait.target is not None and wait.value in STATES
        case WaitFor.TEXT | WaitFor.TEXT_GONE | WaitFor.URL:
            right = wait.value != "" and wait.target is None
        case _:
            right = wait.value == "" and wait.target is None
    if not right or (wait.ms and wait.wanted is not WaitFor.MS):
        raise invalid_command(
            "A wait is for load or idle; for text, text_gone or url with a value; for state with"
            f" a target and one of {', '.join(STATES)} as value; or for ms with ms"
        )


def _verify_look(look: Look) -> None:
    match look.what:
        case What.TITLE | What.URL:
            right = look.target is None
        case What.TEXT:
            right = True
        case What.COUNT:
            right = isinstance(look.target, LocatorTarget)
        case _:
            right = look.target is not None
    if not right or (look.what is What.ATTRIBUTE) != bool(look.name):
        raise invalid_command(
            "A read of value, attribute or state needs a target, of count a locator, of"
            " attribute also a name; of title and url neither"
        )


def invalid_command(message: str) -> Failure:
    """Return the failure of a command that is spelled wrongly; nothing was started."""
    return Failure("invalid_request", message, "See understudy-protocol(7) for the commands.")
