"""The client's three standard streams, which may be closed, full, slow or gone.

Light to import. Output is kept in order and written as the reader takes it, a
little at a time, so that a slow reader never holds the daemon up.
"""

from __future__ import annotations

import os
import select
import stat

STDIN, STDOUT, STDERR = 0, 1, 2
PIECE = 4096
"""What a pipe that is writable takes without blocking (PIPE_BUF), in bytes."""
PENDING_LIMIT = 64 * 1024 * 1024
"""Beyond this much unwritten output the client stops taking more from the daemon."""


class Streams:
    """What is to be written, and what became of each stream.

    ``problem`` says why stdout or stderr could not be written, "" so far;
    ``is_reader_gone`` is true once the reader of stdout has closed its end.
    """

    def __init__(self) -> None:
        self._closed = {number for number in (STDIN, STDOUT, STDERR) if _is_closed(number)}
        for _ in self._closed:
            os.open(os.devnull, os.O_RDWR)  # so that no socket of ours gets their numbers
        self._pending: list[tuple[int, bytes]] = []
        self._size = 0
        self._muted: set[int] = set()
        self.problem = ""
        self.is_reader_gone = False

    @property
    def is_stdin_closed(self) -> bool:
        """Whether we were started without a standard input."""
        return STDIN in self._closed

    @property
    def next_target(self) -> int | None:
        """The stream whose turn it is, None when nothing is pending."""
        return self._pending[0][0] if self._pending else None

    @property
    def is_full(self) -> bool:
        """Whether no more output may be taken in for now."""
        return self._size > PENDING_LIMIT

    def put(self, number: int, data: bytes) -> None:
        """Take output in, for stdout or stderr."""
        if data and number in self._closed:
            self._fail(number, "it is closed")
        if number in self._muted or not data:
            return
        self._pending.append((number, data))
        self._size += len(data)

    def write_some(self) -> None:
        """Write a piece of what is pending; call it when ``next_target`` is writable.

        Taken out first: whoever interrupts us right after the write is shown nothing twice.
        """
        number, data = self._pending.pop(0)
        piece = data if _is_regular(number) else data[:PIECE]
        try:
            written = os.write(number, piece)
        except BlockingIOError:
            self._pending.insert(0, (number, data))
            return  # somebody else made the stream non-blocking and took the room
        except OSError as error:
            self._give_up(number, error)
            return
        self._size -= written
        if written < len(data):
            self._pending.insert(0, (number, data[written:]))

    def flush(self, only: int | None = None) -> None:
        """Write what is pending, for as long as the readers take; ``only`` drops the rest."""
        if only is not None:
            self._pending = [one for one in self._pending if one[0] == only]
        while (number := self.next_target) is not None:
            writable = select.poll()
            writable.register(number, select.POLLOUT)
            writable.poll()
            self.write_some()

    def _give_up(self, number: int, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            self._fail(number, error.strerror or "")
        elif number == STDOUT:
            self.is_reader_gone = True
        self._muted.add(number)
        self._pending = [one for one in self._pending if one[0] != number]
        self._size = sum(len(data) for _, data in self._pending)

    def _fail(self, number: int, reason: str) -> None:
        self._muted.add(number)
        if number == STDOUT:
            self.problem = f"standard output cannot be written: {reason}"


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _is_regular(number: int) -> bool:
    return stat.S_ISREG(os.fstat(number).st_mode)
