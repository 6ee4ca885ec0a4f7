"""The daemon's log: bounded, private, and without anything that a person typed.

Only fixed words of ours, ids, counts and exception traces go in; never argv,
params, tokens, page text or keys.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
import time
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import TextIOWrapper
    from pathlib import Path

LOGGER = logging.getLogger("understudy")
FILE_LIMIT = 1024 * 1024
OLD_FILES = 2
_NOT_PLAIN = frozenset({errno.ELOOP, errno.ENXIO})
"""What an open answers for a link that is not to be followed, and for a pipe nobody reads."""
FORMAT = "%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s"


def log_mistake(what: str, error: BaseException) -> None:
    """Log an error of ours by its types and places; its text may quote a caller or a page."""
    LOGGER.error("%s\n%s", what, "".join(_describe(error)).rstrip())


def _describe(error: BaseException) -> Iterator[str]:
    yield f"{type(error).__name__}\n"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} {frame.name}\n"
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else [error.__cause__]
    for cause in inner:
        if cause is not None:
            yield "because of "
            yield from _describe(cause)


class _PlainFileHandler(RotatingFileHandler):
    """Writes to a plain file only: a link would let the log be added to any file of ours."""

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=_opener
        )


def _opener(path: str, flags: int) -> int:
    """Open a plain file; raises Failure ``state_untrusted`` for a link, a pipe or a device."""
    strict = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | strict, 0o600)
    except OSError as error:
        if error.errno in _NOT_PLAIN:
            raise _not_plain(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_plain(path)
    return descriptor


def _not_plain(path: str) -> Failure:
    message = f"{path} is not a plain file (a symbolic link is refused too)"
    return Failure("state_untrusted", message, "move it away; a new log is made")


def open_log(path: Path) -> logging.Handler:
    """Send `LOGGER` to a file of at most 1 MiB, with two older ones kept beside it.

    Raises OSError, Failure ``state_untrusted`` for what is no plain file.
    """
    handler = _PlainFileHandler(
        path, maxBytes=FILE_LIMIT, backupCount=OLD_FILES, encoding="utf-8", errors="replace"
    )
    formatter = logging.Formatter(FORMAT, "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    return handler


def close_log(handler: logging.Handler) -> None:
    """Detach and close what `open_log` returned."""
    LOGGER.removeHandler(handler)
    handler.close()
