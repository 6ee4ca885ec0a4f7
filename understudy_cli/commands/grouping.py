"""Flags that many verbs share, declared once, and how a verb's function comes to have them.

A group is a frozen dataclass whose fields are flags. A verb's function takes it as one
parameter; on the command line it is the group's fields. ``flagged`` writes the signature
that typer reads.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Made = TypeVar("_Made")


def flagged(verb: Callable[..., _Made]) -> Callable[..., _Made]:
    """Return a verb with each group among its parameters spread out into its flags."""
    parts = inspect.signature(verb, eval_str=True).parameters
    groups = {name: part.annotation for name, part in parts.items() if _is_group(part.annotation)}

    def spread(**values: Any) -> _Made:  # noqa: ANN401 - what typer parsed, by name
        made = {name: _make(group, values) for name, group in groups.items()}
        return verb(**values, **made)

    plain = [
        part.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, part in parts.items()
        if name not in groups
    ]
    shared = [part for group in groups.values() for part in _parameters(group)]
    spread.__signature__ = inspect.Signature([*plain, *shared])  # type: ignore[attr-defined]
    spread.__annotations__ = {}
    spread.__name__, spread.__doc__ = verb.__name__, verb.__doc__
    return spread


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _make(group: type, values: dict[str, Any]) -> object:
    return group(**{each.name: values.pop(each.name) for each in fields(group)})


def _parameters(group: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[each.name]
        )
