"""The commands of an everyday session: their types, fields, ranges and defaults.

A command on the wire is an object with a ``type`` and that type's fields; an unknown
field is refused, and so is a batch of which one command is bad, before any of it runs.
Failures name type and field, never a value: a value may be what a person typed.

Whatever a result says of the page (urls, titles, names, texts, values, attributes) is page
text. It stands in ``result``, ``page``, ``dialog``, ``popups``, ``downloads`` and ``seen``
only, and never in a failure's message.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.keys import parse_chord
from protocol.targets import LocatorTarget, RefTarget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.keys import Chord
    from protocol.targets import Target

DEFAULT_WAIT_MS: Final = 25_000


class What(StrEnum):
    """What ``read`` reads."""

    TEXT = "text"
    VALUE = "value"
    ATTRIBUTE = "attribute"
    STATE = "state"
    COUNT = "count"
    TITLE = "title"
    URL = "url"


class WaitFor(StrEnum):
    """What ``wait`` waits for."""

    LOAD = "load"
    IDLE = "idle"
    TEXT = "text"
    TEXT_GONE = "text_gone"
    STATE = "state"
    URL = "url"
    MS = "ms"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must be so after a write for it to count: a url, a text (or none), or a state.

    A state is that of ``target``, or of the write's own target when there is none.
    """

    wanted: WaitFor
    value: str
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file to upload, as its owner read it. ``path`` is where it really lies."""

    path: str
    content: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """The last part of its path: all that a page may learn of it."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Command:
    """One validated command; the fields of a subclass are its fields on the wire.

    ``is_write``: whether it may change the page. ``own_ms``: time that the command itself
    asks for, on top of what any command may take.
    """

    is_write: ClassVar[bool] = True
    type: str

    @property
    def own_ms(self) -> int:
        """Milliseconds that the command was asked to take."""
        return 0

    @property
    def targets(self) -> Sequence[Target]:
        """The elements that it names."""
        return tuple(_targets(self))


@dataclass(frozen=True, slots=True)
class Write(Command):
    """A command that may change the page."""

    expect: Expectation | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Read(Command):
    """A command that changes nothing."""

    is_write: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Click(Write):
    """Click ``count`` times, 1 to 3, with a button and modifiers."""

    target: Target
    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OnTarget(Write):
    """``hover``, ``focus``, ``clear``, ``check`` or ``uncheck`` an element."""

    target: Target


@dataclass(frozen=True, slots=True)
class TypeText(Write):
    """``type`` at the caret of the target, or where the focus is."""

    text: str = field(repr=False)
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Fill(Write):
    """``fill``: make ``text`` all that a field holds."""

    target: Target
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Select(Write):
    """``select`` exactly these options, by their labels or by their values."""

    target: Target
    labels: tuple[str, ...] = field(default=(), repr=False)
    values: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Press(Write):
    """``key``: press a chord."""

    keys: str = field(repr=False)

    @property
    def chord(self) -> Chord:
        """The keys as names that a keyboard maps to codes."""
        return parse_chord(self.keys)


@dataclass(frozen=True, slots=True)
class Hold(Write):
    """``hold_key``: hold a chord for ``ms`` milliseconds."""

    keys: str = field(repr=False)
    ms: int

    @property
    def chord(self) -> Chord:
        """The keys as names that a keyboard maps to codes."""
        return parse_chord(self.keys)

    @property
    def own_ms(self) -> int:
        """See Command."""
        return self.ms


@dataclass(frozen=True, slots=True)
class Scroll(Write):
    """``scroll`` the target into view, the wheel by ``by`` (x, y), or the page to an end.

    With ``by`` a target says over what the wheel turns. ``to`` is ``top`` or ``bottom``.
    """

    target: Target | None = None
    by: tuple[int, int] | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Drag(Write):
    """``drag`` from one element or point to another."""

    target: Target
    to: Target


@dataclass(frozen=True, slots=True)
class Upload(Write):
    """``upload``: choose files in a file field."""

    target: Target
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Navigate(Write):
    """``navigate`` the session's tab to an address."""

    url: str


@dataclass(frozen=True, slots=True)
class Travel(Write):
    """``back``, ``forward`` or ``reload``."""


@dataclass(frozen=True, slots=True)
class TakeSnapshot(Read):
    """``snapshot``: the page as a tree. ``diff`` shows what changed since the last one."""

    interactive: bool = False
    depth: int | None = None
    limit: int | None = None
    within: Target | None = None
    diff: bool = False


@dataclass(frozen=True, slots=True)
class Wait(Read):
    """``wait``: until something is so, ``timeout_ms`` at most."""

    wanted: WaitFor
    value: str = ""
    target: Target | None = None
    ms: int = 0
    timeout_ms: int = DEFAULT_WAIT_MS

    @property
    def own_ms(self) -> int:
        """See Command."""
        return self.ms if self.wanted is WaitFor.MS else self.timeout_ms


@dataclass(frozen=True, slots=True)
class Look(Read):
    """``read`` something of an element, or of the page. ``name`` is the attribute's."""

    what: What
    target: Target | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Screenshot(Read):
    """``screenshot`` of the viewport, of the full page, or of one element."""

    full: bool = False
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a batch, with the caller's own name for it."""

    command: Command
    name: str | None = None


def is_write(steps: Sequence[Step]) -> bool:
    """Whether any command of a batch may change the page."""
    return any(step.command.is_write for step in steps)


def own_seconds(commands: Sequence[Command]) -> float:
    """Return the seconds that commands were asked to take, all together."""
    return sum(command.own_ms for command in commands) / 1000


def _targets(command: Command) -> Iterator[Target]:
    for each in fields(command):
        value = getattr(command, each.name)
        if isinstance(value, RefTarget | LocatorTarget):
            yield value
