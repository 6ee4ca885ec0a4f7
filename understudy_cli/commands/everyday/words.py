"""The words of a verb: which of them is the target, and what the others are.

A target is a ref (``k7e14``), a point (``120,45``), or a locator by flags. Words are
literal: what begins with a dash goes after ``--``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from protocol.errors import Failure
from protocol.snapshots import parse_ref

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from understudy_cli.commands.everyday.groups import Where

    Target = Mapping[str, object]

_POINT = re.compile(r"([0-9]{1,7}),([0-9]{1,7})")


OneTarget = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]",
        show_default=False,
        help="A ref of the last snapshot (k7e14) or a point (120,45); or a locator by flags.",
    ),
]


def split_target(
    where: Where, given: Sequence[str] | None, further: str = ""
) -> tuple[Target, list[str]]:
    """Return the target, by flags or the first word, and the words after it.

    ``further`` names what else is wanted, for the message. Usage failure without a target.
    """
    rest = list(given or ())
    located = parse_locator(where)
    if located is not None:
        return located, rest
    if not rest:
        raise Failure(
            "usage",
            "no target is given",
            "name it first, by its ref (k7e14), by a point (120,45), or by --role, --label,"
            f" --text, --test-id or --css{further and f'; then {further}'}",
        )
    return parse_word(rest.pop(0), renamed=where.renamed), rest


def only_target(where: Where, given: Sequence[str] | None) -> Target:
    """Return the target of a verb that takes nothing else; usage failure for more words."""
    target, rest = split_target(where, given)
    verify_count(rest, 0, "")
    return target


def parse_locator(where: Where) -> Target | None:
    """Return the locator that the flags name, None without one; usage failure for two."""
    forms: dict[str, object] = {
        "role": where.role,
        "label": where.label,
        "text": where.text,
        "test_id": where.test_id,
        "css": where.css,
        "point": None if where.at is None else parse_point("--at", where.at),
    }
    named = {form: value for form, value in forms.items() if value is not None}
    if len(named) > 1:
        raise Failure("usage", "two locators are given", "one of them must be enough")
    if where.name is not None and where.role is None:
        raise Failure("usage", "--name goes with --role", "add --role, or use --label or --text")
    if not named:
        return None
    if where.renamed:
        raise Failure("usage", "--renamed goes with a ref", "a locator always means what fits now")
    return named if where.name is None else {**named, "name": verify_text(where.name)}


def parse_word(word: str, *, renamed: bool = False) -> Target:
    """Return the target that one word names: a ref or a point."""
    if _POINT.fullmatch(word):
        return {"point": parse_point("the point", word)}
    ref = str(parse_ref(word))
    return {"ref": ref, "renamed": True} if renamed else {"ref": ref}


def parse_point(what: str, text: str) -> list[int]:
    """Return the two numbers of ``X,Y``."""
    found = _POINT.fullmatch(text)
    if found is None:
        raise Failure("usage", f"{what} is no point", "write it as X,Y in pixels, such as 120,45")
    return [int(found[1]), int(found[2])]


def verify_count(rest: Sequence[str], most: int, wanted: str) -> None:
    """Raise a usage failure for more words than ``most``."""
    if len(rest) > most:
        taken = f"only {wanted} is taken" if wanted else "nothing is taken"
        hint = "quote a text that has blanks in it; with a locator there is no target word"
        raise Failure("usage", f"there are {len(rest) - most} words too many; {taken} there", hint)


def one_word(rest: Sequence[str], wanted: str) -> str:
    """Return the one further word; usage failure for none or several."""
    verify_count(rest, 1, wanted)
    if not rest:
        hint = f'one that begins with a dash goes after "--"; an empty {wanted} is ""'
        raise Failure("usage", f"no {wanted} is given", hint)
    return verify_text(rest[0])


def verify_text(text: str) -> str:
    """Return text from argv; usage failure for bytes that are no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Failure(
            "usage", "a word of the command line is not UTF-8", "pages take Unicode text only"
        ) from None
    return text
