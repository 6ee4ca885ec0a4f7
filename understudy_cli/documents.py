"""Options that hold a document: literal text, ``@FILE``, or ``-`` for stdin.

Only options documented so are read this way; everywhere else such text is literal.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    from protocol.commandline import Host

DOCUMENT_LIMIT_BYTES = 1 << 20
"""What is read of a JSON document; the daemon's own limits are far lower."""
JOB_LIMIT_BYTES = 64 << 20
"""The largest job file whose digest is taken."""


@dataclass(frozen=True)
class Document:
    """One document as it was named on the command line."""

    option: str
    """The option it came by, for messages."""
    literal: str | None
    path: str = ""
    """The file to read when there is no literal text; ``-`` is stdin."""

    async def read(self, host: Host) -> bytes:
        """Return the document's bytes, untouched."""
        if self.literal is None:
            return await host.read(self.path, DOCUMENT_LIMIT_BYTES)
        try:
            return self.literal.encode()
        except UnicodeEncodeError:
            raise self._not_text() from None

    async def read_text(self, host: Host) -> str:
        """Return the document as text; it must be UTF-8."""
        try:
            return (await self.read(host)).decode()
        except UnicodeDecodeError:
            raise self._not_text() from None

    def _not_text(self) -> Failure:
        return Failure(
            "invalid_request", f"what {self.option} names is not UTF-8", "pass JSON in UTF-8"
        )


def parse_document(option: str, value: str) -> Document:
    """Return the document that an option's value names; usage failure for a bare ``@``."""
    if value == "-":
        return Document(option, None, "-")
    if not value.startswith("@"):
        return Document(option, value)
    if value == "@":
        raise Failure("usage", f"{option} @ names no file", f'"{option} @FILE" reads a file')
    return Document(option, None, value[1:])


def verify_one_stdin(*documents: Document | None) -> None:
    """Raise a usage failure when two documents would both be read from stdin."""
    reading = [document.option for document in documents if document and document.path == "-"]
    if len(reading) > 1:
        raise Failure(
            "usage",
            f"{' and '.join(reading)} cannot both read stdin",
            "give one of them as text or as @FILE",
        )


async def digest_job(host: Host, path: str) -> str:
    """Return the SHA-256 of a job file's bytes, as the caller can read them."""
    return hashlib.sha256(await host.read(path, JOB_LIMIT_BYTES)).hexdigest()
