"""The installation's directories and files, made private and looked at before use."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol import paths
from protocol.errors import Failure

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Where everything of one installation lies."""

    state: Path

    @property
    def run(self) -> Path:
        """Sockets, locks and the pid file (0700)."""
        return self.state / paths.RUN

    @property
    def log(self) -> Path:
        """The daemon's log."""
        return self.state / paths.LOG

    @property
    def profiles(self) -> Path:
        """Throw-away browser profiles."""
        return self.state / "profiles"

    @property
    def evidence(self) -> Path:
        """What evidence sessions leave behind."""
        return self.state / "evidence"

    @property
    def store(self) -> Path:
        """The database and what belongs to it."""
        return self.state / "store"

    @property
    def clients(self) -> Path:
        """Names of clients and the digests of their tokens."""
        return self.state / "clients.json"

    @property
    def config(self) -> Path:
        """What the owner decided."""
        return self.state / "config.toml"


def prepare(layout: Layout) -> None:
    """Make what is missing (0700) and refuse what others could change.

    Raises Failure ``state_untrusted`` naming the path and what is wrong with it.
    """
    layout.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = layout.state.stat()
    uid = os.geteuid()
    _refuse(layout.state, paths.check_state_directory(state.st_mode, state.st_uid, uid))
    directories = (layout.run, layout.log.parent, layout.profiles, layout.evidence, layout.store)
    for directory in directories:
        directory.mkdir(mode=0o700, exist_ok=True)
        found = directory.lstat()
        _refuse(directory, paths.check_directory(found.st_mode, found.st_uid, uid))


def open_run(layout: Layout) -> int:
    """Return a descriptor of the runtime directory, checked on the descriptor itself."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(layout.run, flags)
    except NotADirectoryError:
        raise _untrusted(
            layout.run, "is not a directory (a symbolic link is refused too)"
        ) from None
    found = os.fstat(descriptor)
    wrong = paths.check_directory(found.st_mode, found.st_uid, os.geteuid())
    if wrong:
        os.close(descriptor)
        raise _untrusted(layout.run, wrong)
    return descriptor


def _refuse(path: Path, wrong: str) -> None:
    if wrong:
        raise _untrusted(path, wrong)


def _untrusted(path: Path, wrong: str) -> Failure:
    return Failure(
        "state_untrusted",
        f"{path} {wrong}",
        "make it your own and private (chmod 700), or remove it",
    )
