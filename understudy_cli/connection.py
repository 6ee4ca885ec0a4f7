"""The thin client's way to the daemon's sockets; light to import, refuses what is not private.

The runtime directory is opened once and checked on its descriptor; a socket is
then looked at and reached through that descriptor, so the length of the path
does not matter and nobody can swap the directory in between.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from protocol import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.errors import Failure

CONNECT_S = 10.0
"""How long a daemon may leave new connections waiting."""


def find_state_directory(environ: Mapping[str, str]) -> str:
    """Return this caller's state directory; raises Failure ``usage``."""
    return paths.state_directory(environ, sys.platform, _passwd_home)


def _passwd_home() -> str:
    import pwd  # noqa: PLC0415

    return pwd.getpwuid(os.getuid()).pw_dir


def open_run(state: str) -> int | None:
    """Return a descriptor of the checked runtime directory, None when there is none yet.

    Raises Failure ``state_untrusted``.
    """
    path = f"{state}/{paths.RUN}"
    try:
        run = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:
        if not os.path.lexists(path):
            return None  # something above it is no directory
        raise untrusted(path, f"cannot be opened as a directory: {error.strerror}") from None
    found = os.fstat(run)
    wrong = paths.check_directory(found.st_mode, found.st_uid, os.geteuid())
    if wrong:
        os.close(run)
        raise untrusted(path, wrong)
    return run


def connect(state: str, run: int, name: str) -> _socket.socket | None:
    """Return a connection to the daemon's socket, None when no daemon answers there.

    Raises Failure ``state_untrusted``.
    """
    try:
        found = os.stat(name, dir_fd=run, follow_symlinks=False)
    except FileNotFoundError:
        return None
    wrong = paths.check_socket(found.st_mode, found.st_uid, os.geteuid())
    if wrong:
        raise untrusted(f"{state}/{paths.RUN}/{name}", wrong)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(CONNECT_S)
    try:
        _connect_in_turn(connection, run, name)
    except (ConnectionRefusedError, FileNotFoundError):
        connection.close()
        return None
    return connection


def _connect_in_turn(connection: _socket.socket, run: int, name: str) -> None:
    """Connect, waiting while the daemon's queue of new connections is full."""
    deadline_s = time.monotonic() + CONNECT_S
    while True:
        try:
            _connect(connection, run, name)
        except BlockingIOError:
            if time.monotonic() > deadline_s:
                raise _hanging() from None
            time.sleep(CONNECT_S / 1000)
        else:
            return


def _connect(connection: _socket.socket, run: int, name: str) -> None:
    if sys.platform != "linux":
        before = os.open(".", os.O_RDONLY)
        try:
            os.fchdir(run)
            connection.connect(name)
        finally:
            os.fchdir(before)
            os.close(before)
        return
    connection.connect(f"/proc/self/fd/{run}/{name}")


def _hanging() -> Failure:
    from protocol.errors import Failure  # noqa: PLC0415

    hint = '"understudy daemon restart" ends it and starts another'
    message = "the daemon takes no new commands; nothing was started"
    return Failure("daemon_unavailable", message, hint, safe_to_retry=True)


def untrusted(path: str, wrong: str) -> Failure:
    """Return the refusal of a path that others may have had their hands in."""
    from protocol.errors import Failure  # noqa: PLC0415

    hint = "make it your own and private (chmod 700), or remove it"
    return Failure("state_untrusted", f"{path} {wrong}", hint)
