"""The daemon's log: bounded, private, and without anything that a person typed.

Only fixed words of ours, ids, counts and exception traces go in; never argv,
params, tokens, page text or keys.
"""

from __future__ import annotations

import logging
import time
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOGGER = logging.getLogger("understudy")
FILE_LIMIT = 1024 * 1024
OLD_FILES = 2
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


def open_log(path: Path) -> logging.Handler:
    """Send `LOGGER` to a file of at most 1 MiB, with two older ones kept beside it."""
    handler = RotatingFileHandler(
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
