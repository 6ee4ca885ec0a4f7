"""``download.list`` and ``download.save``."""

from __future__ import annotations

import base64
import os
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

import trio

from daemon.dispatch import verify_fields
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from daemon.dispatch import Caller, Handler, Params, Reply
    from daemon.everyday.registry import EverydaySessions
    from daemon.everyday.session import EverydaySession

SAVE_BYTES: Final = 64 * 1024 * 1024
"""The largest file that a reply carries; a larger one is taken by its path."""

_SESSION: Final = {"session_id": str}


def routes(sessions: EverydaySessions) -> Mapping[str, Handler]:
    """Return the methods of downloads."""
    handlers = DownloadHandlers(sessions)
    return {"download.list": handlers.list, "download.save": handlers.save}


class DownloadHandlers:
    """The downloads of the caller's sessions. Names and addresses are page text."""

    def __init__(self, sessions: EverydaySessions) -> None:
        self._sessions = sessions

    async def list(self, params: Params, caller: Caller) -> Reply:
        """``{session_id}`` -> ``{downloads, allowed}``, oldest first."""
        verify_fields(params, _SESSION, {})
        around = (await self._find(params, caller)).around
        downloads = [dict(download) for download in await around.page.downloads()]
        return {"ok": True, "downloads": downloads, "allowed": around.downloads}

    async def save(self, params: Params, caller: Caller) -> Reply:
        """``{session_id, number}`` -> ``{download}`` with its ``contentBase64``.

        Raises Failure ``not_found``, ``pending`` for one that still runs, ``conflict`` for
        a file that is no longer what was downloaded, ``capacity`` for a large one.
        """
        verify_fields(params, {**_SESSION, "number": int}, {})
        page = (await self._find(params, caller)).around.page
        number = cast("int", params["number"])
        found = [one for one in await page.downloads(after=number - 1) if one["number"] == number]
        path = page.download_path(number)
        if not found or path is None:
            raise _no_file(found[0]["state"] if found else None)
        content = await trio.to_thread.run_sync(_read, path)
        if sha256(content).hexdigest() != found[0]["sha256"]:
            raise _changed()
        encoded = base64.b64encode(content).decode()
        return {"ok": True, "download": {**found[0], "contentBase64": encoded}}

    async def _find(self, params: Params, caller: Caller) -> EverydaySession:
        session_id = cast("str", params["session_id"])
        return await self._sessions.find(caller.actor.principal_id, session_id)


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        raise _changed() from None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(SAVE_BYTES + 1)
    if len(content) > SAVE_BYTES:
        raise Failure(
            "capacity",
            f"The file is over {SAVE_BYTES // (1024 * 1024)} MiB, more than an answer carries",
            "Copy it from its path, which download list tells, while the session lives.",
        )
    return content


def _no_file(state: object) -> Failure:
    if state == "running":
        return Failure(
            "pending", "The download is not complete yet", "Ask again: understudy download list."
        )
    return Failure(
        "not_found",
        "There is no complete download with this number",
        "See understudy download list.",
    )


def _changed() -> Failure:
    return Failure(
        "conflict",
        "The file is no longer what was downloaded",
        "Download it again; somebody has changed it.",
    )
