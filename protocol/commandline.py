"""What a parsed command and its host see of each other, in the daemon or offline.

The command tree parses a line into an `Invocation` or a `Text`; whoever hosts it, the
daemon or the client's own process, hands it a `Host`. All file work is done by the
client, in its own directory with its own rights: a host only passes paths on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


COMMAND_ID = "{command_id}"
"""What stands for the call's own id in what to ask when the line is lost."""


class Host(Protocol):
    """The caller's facts, the daemon's methods and the caller's files and streams."""

    command_id: str
    """32 hex characters that the client made up for this call."""
    cwd: str
    environment: Mapping[str, str]
    """The fixed list of variables that the client sends along."""
    width: int
    """Columns of the caller's terminal."""
    stdin_tty: bool
    stdout_tty: bool
    stderr_tty: bool
    terminal: str
    """The caller's terminal session, empty without one."""

    async def call(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """Return the reply of one daemon method; raise its Failure."""
        ...

    async def request(self, raw: bytes) -> dict[str, object]:
        """Return the reply to one raw evidence request, failures included (``ok`` false)."""
        ...

    async def read(self, path: str, limit: int) -> bytes:
        """Return a whole file, or the whole of stdin for ``-``, of at most ``limit`` bytes.

        Raise Failure ``no_such_file``, ``is_directory``, ``unreadable_file``, or
        ``input_too_large`` (where the size is known, before anything is read).
        """
        ...

    async def read_line(self, limit: int) -> bytes | None:
        """Return stdin's next line without its end, None at the end of the stream.

        Raise Failure ``input_too_large`` for a longer line.
        """
        ...

    async def variable(self, name: str, limit: int) -> bytes:
        """Return one variable of the caller's environment, which no other command sees.

        Raise Failure ``no_such_variable``, or ``input_too_large`` over ``limit`` bytes.
        """
        ...

    async def resolve(self, path: str) -> str:
        """Return the real path of a plain file that the caller can read, links followed.

        Raise Failure ``no_such_file``, ``is_directory`` or ``unreadable_file``.
        """
        ...

    async def prepare(self, path: str) -> None:
        """Make sure that ``path`` can be written later, and write nothing.

        A path that ends in ``/`` is a directory: it is made (0700), with missing
        parents. Raise Failure ``unwritable_file``.
        """
        ...

    async def write(self, path: str, data: bytes, mode: int) -> None:
        """Write a whole file with these permissions; raise Failure ``unwritable_file``."""
        ...

    async def out(self, data: bytes) -> None:
        """Write to stdout."""
        ...

    async def err(self, data: bytes) -> None:
        """Write to stderr."""
        ...


class Invocation(Protocol):
    """A command line that parsed: what to run, and what a lost line would mean."""

    @property
    def writes(self) -> bool:
        """Whether running it may change something, so that it is never sent twice."""
        ...

    @property
    def ask(self) -> str:
        """The command that tells how this one ended, once the line to it is lost.

        `COMMAND_ID` in it stands for the id of this call.
        """
        ...

    async def run(self, host: Host) -> int:
        """Do it, say what came of it, and return the exit code."""
        ...


@dataclass(frozen=True)
class Text:
    """A command line that is answered by text alone: help, version, a usage error."""

    out: str
    err: str
    exit: int


class CommandLine(Protocol):
    """The command tree."""

    def parse(self, argv: Sequence[str], *, width: int) -> Invocation | Text:
        """Return what a command line means; reads nothing but its arguments."""
        ...
