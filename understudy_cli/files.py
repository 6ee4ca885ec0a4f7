"""The client's own file work, in its own directory with its own rights.

A file is written whole or not at all: a draft beside it, synced, then renamed
over it. A symbolic link of that name is replaced, never followed. Devices, pipes
and what lies in /dev are written to as they are.
"""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHUNK = 256 * 1024
PIPE_S = 30.0
"""How long a named pipe may stay without a writer, or its writer silent at first."""


Refusal = tuple[str, str, str]
"""Why a piece of file work was not done: code, message, hint."""


def send(path: str, limit: int, take: Callable[[bytes], None]) -> Refusal | None:
    """Hand a file over piece by piece; return why that did not work to its end."""
    try:
        for piece in read_pieces(path, limit):
            take(piece)
    except Failure as failure:
        return failure.code, failure.message, failure.hint
    return None


def send_variable(name: str, limit: int, take: Callable[[bytes], None]) -> Refusal | None:
    """Hand one variable's value over; return why that did not work. It is shown nowhere."""
    value = os.environb.get(os.fsencode(name))
    if value is None:
        hint = "export it, or pass the text on standard input with --stdin"
        return "no_such_variable", f"the environment has no variable {name}", hint
    if len(value) > limit:
        message = f"the variable {name} is longer than {limit} bytes"
        return "input_too_large", message, "pass less"
    if value:
        take(value)
    return None


def send_real_path(path: str, take: Callable[[bytes], None]) -> Refusal | None:
    """Hand over where a plain file that can be read really lies; return why there is none."""
    try:
        take(os.fsencode(resolve(path)))
    except Failure as failure:
        return failure.code, failure.message, failure.hint
    return None


def resolve(path: str) -> str:
    """Return the real path of a plain file that can be read; all links are followed first.

    Raises Failure ``no_such_file``, ``is_directory`` or ``unreadable_file``.
    """
    try:
        real = os.path.realpath(path, strict=True)
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            _verify_plain(os.fstat(descriptor).st_mode)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return real


def _verify_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(0, "it is a directory")
    if not stat.S_ISREG(mode):
        raise OSError(0, "it is no plain file")


def try_prepare(path: str) -> Refusal | None:
    """`prepare`; return why it did not work."""
    try:
        prepare(path)
    except Failure as failure:
        return failure.code, failure.message, failure.hint
    return None


class Writing:
    """A file that arrives piece by piece; its first problem is told at the end."""

    def __init__(self, path: str, mode: int) -> None:
        self._draft: Draft | None = None
        self._failure: Failure | None = None
        try:
            self._draft = Draft(path, mode)
        except Failure as failure:
            self._failure = failure

    def add(self, data: bytes) -> None:
        """Write a piece, unless something went wrong before."""
        if self._draft is not None and self._failure is None:
            try:
                self._draft.write(data)
            except Failure as failure:
                self._failure = failure

    def keep(self) -> Refusal | None:
        """Give the file its name; return why that, or any step before, did not work."""
        if self._draft is not None and self._failure is None:
            try:
                self._draft.keep()
            except Failure as failure:
                self._failure = failure
        self.discard()
        failed = self._failure
        return (failed.code, failed.message, failed.hint) if failed else None

    def discard(self) -> None:
        """Leave nothing half-written behind."""
        if self._draft is not None:
            self._draft.discard()
            self._draft = None


def read_pieces(path: str, limit: int, pipe_s: float = PIPE_S) -> Iterator[bytes]:
    """Yield a file's content in pieces of at most `CHUNK`.

    Raises Failure ``no_such_file``, ``is_directory``, ``unreadable_file``, or
    ``input_too_large`` once it is known to be over ``limit`` bytes. A pipe that
    nobody writes to is unreadable after ``pipe_s`` seconds.
    """
    try:
        # without O_NONBLOCK the open itself would wait for a pipe's writer, without end
        descriptor = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    try:
        _await_writer(descriptor, pipe_s)
        yield from _pieces(path, descriptor, limit)
    except OSError as error:
        raise _unreadable(path, error) from None
    finally:
        os.close(descriptor)


def _await_writer(descriptor: int, pipe_s: float) -> None:
    """Wait until a pipe has something to read; make the reads of any file wait again."""
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        if not waiting.poll(pipe_s * 1000):
            raise TimeoutError(0, f"nothing was written to this pipe for {pipe_s:g} seconds")
    os.set_blocking(descriptor, True)


def _pieces(path: str, descriptor: int, limit: int) -> Iterator[bytes]:
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size > limit:
        raise _too_large(path, limit)
    left = limit
    while piece := os.read(descriptor, CHUNK):
        left -= len(piece)
        if left < 0:
            raise _too_large(path, limit)
        yield piece


def prepare(path: str) -> None:
    """Make sure that a file can be written later; make a directory (path ends in ``/``).

    Raises Failure ``unwritable_file``, ``usage`` for ``-``.
    """
    if path == "-":  # elsewhere it stands for a stream, and here nobody means a file of that name
        message = "this is written to a file, and - names none"
        raise Failure("usage", message, "name a file; ./- is one that is called -")
    if path.endswith("/"):
        try:
            Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None
        path += "probe"
    Draft(path, 0o600).discard()


class Draft:
    """A file in the writing; nothing of it is seen under its name before `keep`."""

    def __init__(self, path: str, mode: int) -> None:
        """Open it; each method raises Failure ``unwritable_file``."""
        self._path = path
        self._draft = ""
        try:
            self._descriptor = self._open(mode)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None

    def _open(self, mode: int) -> int:
        if _is_special(self._path):
            flags = os.O_WRONLY | os.O_APPEND | os.O_NOCTTY
            return os.open(self._path, flags)
        directory, _, name = self._path.rpartition("/")
        if not name:
            raise IsADirectoryError(0, "it is a directory")
        draft = f".{name[:100]}.{os.urandom(8).hex()}.part"
        where = f"{directory}/{draft}" if "/" in self._path else draft
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(where, flags, mode)
        self._draft = where
        return descriptor

    def write(self, data: bytes) -> None:
        """Add to the content."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def keep(self) -> None:
        """Give the draft its name."""
        try:
            if self._draft:
                os.fsync(self._descriptor)
                Path(self._draft).rename(self._path)
                self._draft = ""
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def discard(self) -> None:
        """Close; remove what has not got its name."""
        os.close(self._descriptor)
        if self._draft:
            Path(self._draft).unlink()
            self._draft = ""


def _is_special(path: str) -> bool:
    """Whether the path names something that a rename would replace by a plain file."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(0, "it is a directory")
    return not stat.S_ISREG(mode) or str(Path(path).absolute()).startswith(("/dev/", "/proc/"))


def _unreadable(path: str, error: OSError | ValueError) -> Failure:
    code: dict[type[Exception], str] = {
        FileNotFoundError: "no_such_file",
        NotADirectoryError: "no_such_file",
        IsADirectoryError: "is_directory",
    }
    return Failure(
        code.get(type(error), "unreadable_file"),
        f"{path} cannot be read: {_reason(error)}",
        "name a file that you may read, or - for standard input",
    )


def _unwritable(path: str, error: OSError | ValueError) -> Failure:
    return Failure(
        "unwritable_file",
        f"{path} cannot be written: {_reason(error)}",
        "name a file in a directory that exists and that you may write to",
    )


def _too_large(path: str, limit: int) -> Failure:
    message = f"{path} is longer than {limit} bytes"
    return Failure("input_too_large", message, "pass less, or the right file")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
