"""Throw-away profile directories: made private, owned on record, removed for sure."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import trio

from cdp.chromium.identity import ProcessIdentity
from cdp.chromium.programs import create_programs
from cdp.chromium.scratch import create_scratch, remove_outside, scratch_of
from cdp.errors import ProfileBusy

if TYPE_CHECKING:
    from pathlib import Path

OWNER_FILE = "owner.json"
REMOVE_TIMEOUT_S = 10.0
_RETRY_S = 0.05

PREFERENCES = {
    # 2 is never: prefetch and prerender would reach origins that nobody navigated to
    "net": {"network_prediction_options": 2},
    # its picker would lie over the page and take its input for good
    "hardware": {"screen_capture_enabled": False},
    "credentials_enable_service": False,
    "profile": {
        "password_manager_enabled": False,
        "password_manager_leak_detection": False,
        "default_content_setting_values": {"notifications": 2},  # 2 is block
    },
    "autofill": {"profile_enabled": False, "credit_card_enabled": False},
    "translate": {"enabled": False},
    "search": {"suggest_enabled": False},
    "safebrowsing": {"enabled": False},
    "alternate_error_pages": {"enabled": False},
    "browser": {"has_seen_welcome_page": True, "enable_spellchecking": False},
}
"""What a fresh profile is set to: no bubble over the page, no request of the browser's own."""

LOCAL_STATE = {
    # none: a page gets the answer that asks for a password, nobody is asked over it for good
    "auth": {"schemes": ""},
}
"""What a fresh browser is set to beside its profile."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A profile directory that was found, and the browser on its record, if one was noted."""

    directory: Path
    browser: ProcessIdentity | None


def create_profile(directory: Path) -> None:
    """Make a fresh profile at ``directory``, 0700; FileExistsError if something is there."""
    directory.mkdir(mode=0o700)
    default = directory / "Default"
    default.mkdir(mode=0o700)
    (default / "Preferences").write_bytes(msgspec.json.encode(PREFERENCES))
    (directory / "Local State").write_bytes(msgspec.json.encode(LOCAL_STATE))
    create_scratch(directory)
    create_programs(directory)


def record_browser(directory: Path, browser: ProcessIdentity) -> None:
    """Note in the profile which process uses it, whole or not at all."""
    draft = directory / f"{OWNER_FILE}.new"
    draft.write_bytes(msgspec.json.encode(asdict(browser)))
    draft.replace(directory / OWNER_FILE)


def list_profiles(parent: Path) -> list[Leftover]:
    """Return every profile directory in ``parent``, in order of name."""
    if not parent.is_dir():
        return []
    found = (entry for entry in sorted(parent.iterdir()) if entry.is_dir())
    return [Leftover(entry, _read_browser(entry)) for entry in found if not entry.is_symlink()]


async def remove_profile(
    directory: Path, *, scratch: Path | None = None, timeout_s: float = REMOVE_TIMEOUT_S
) -> None:
    """Remove a profile whose browser has ended; ProfileBusy if that fails for so long.

    ``scratch`` is its scratch directory, should the profile be gone that says so. The last
    of Chromium's children may still write for a moment after it, so a directory that fills
    again is emptied again.
    """
    deadline = trio.current_time() + timeout_s
    while True:
        problem = await trio.to_thread.run_sync(partial(_try_to_remove, directory, scratch))
        if problem is None:
            return
        if trio.current_time() > deadline:
            raise ProfileBusy(directory, problem)
        await trio.sleep(_RETRY_S)


def _try_to_remove(directory: Path, scratch: Path | None) -> str | None:
    """Remove what can be removed; return what is in the way."""
    try:
        remove_outside(scratch or scratch_of(directory))
        shutil.rmtree(directory)
    except FileNotFoundError:
        return None if not directory.exists() else "files vanish while it is removed"
    except OSError as error:
        return str(error)
    return None


def _read_browser(directory: Path) -> ProcessIdentity | None:
    try:
        return msgspec.json.decode((directory / OWNER_FILE).read_bytes(), type=ProcessIdentity)
    except (OSError, msgspec.DecodeError):
        return None
