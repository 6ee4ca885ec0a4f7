"""The two sockets of an installation: private from birth, reached through a descriptor.

A socket's name is given relative to the runtime directory's descriptor, so the
length of the state directory's path does not matter, and nobody can swap the
directory between the check and the use.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BACKLOG = 128
_LINUX_CREDENTIALS = struct.Struct("3i")  # struct ucred: pid, uid, gid
_DARWIN_CREDENTIALS = struct.Struct("2I")  # head of struct xucred: version, uid
_DARWIN_LOCAL_PEERCRED = 1


def bind_socket(run: int, name: str) -> socket.socket:
    """Return a listening socket of mode 0600; only the holder of the lock may call this.

    What lies there under this name is left over from a daemon that was killed.
    """
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=run)  # pathlib knows no dir_fd
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with _address(run, name) as address:
            listener.bind(address)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
    return listener


def unlink_socket(run: int, name: str) -> None:
    """Remove a socket at the end of its daemon."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=run)


def peer_uid(peer: socket.SocketType) -> int:
    """Return the effective uid at the other end, as the kernel knows it."""
    if sys.platform == "darwin":
        raw = peer.getsockopt(0, _DARWIN_LOCAL_PEERCRED, _DARWIN_CREDENTIALS.size)
        return int(_DARWIN_CREDENTIALS.unpack(raw)[1])
    raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX_CREDENTIALS.size)
    return int(_LINUX_CREDENTIALS.unpack(raw)[1])


@contextmanager
def _address(run: int, name: str) -> Iterator[str]:
    """Yield an address below the descriptor that is short whatever the path."""
    if sys.platform != "linux":
        before = os.open(".", os.O_RDONLY)
        try:
            os.fchdir(run)
            yield name
        finally:
            os.fchdir(before)
            os.close(before)
        return
    yield f"/proc/self/fd/{run}/{name}"
