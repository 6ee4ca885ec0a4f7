"""The daemon's log: bounded, private, and without anything that a person typed.

Only fixed words of ours, ids, counts and exception traces go in; never argv,
params, tokens, page text or keys.
"""

from __future__ import annotations

import logging
import time
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOGGER = logging.getLogger("understudy")
FILE_LIMIT = 1024 * 1024
OLD_FILES = 2
FORMAT = "%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s"


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
