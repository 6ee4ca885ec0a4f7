"""What a person sees while a browser starts; programs see nothing of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from protocol.commandline import Host


@asynccontextmanager
async def progress(host: Host, doing: str) -> AsyncIterator[None]:
    """Show what is being done on the caller's terminal, and take it away afterwards.

    Nothing is shown when ``doing`` is empty or stderr is no terminal.
    """
    if not doing or not host.stderr_tty:
        yield
        return
    dumb = host.environment.get("TERM", "dumb") == "dumb"
    await host.err(f"{doing} …{chr(10) if dumb else ''}".encode())
    try:
        yield
    finally:
        if not dumb:
            await host.err(b"\r\x1b[K")
