"""Where an installation lies, and whether what lies there may be trusted.

Pure and light to import: both sides of the sockets compute the same places from
the same facts. Never a temporary directory: TMPDIR, the working directory and
the locale have no say in it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HOME_VARIABLE = "UNDERSTUDY_HOME"
APPLICATION = "understudy"

STATE_BYTES = 400
"""How long the path of a state directory may be: SQLite opens none of over 511, file included."""

RUN = "run"
LOG = "log/daemon.log"
CLI_SOCKET = "cli.sock"
RPC_SOCKET = "rpc.sock"
DAEMON_LOCK = "daemon.lock"
START_LOCK = "start.lock"
PID_FILE = "daemon.pid"

_TYPE = 0o170000
_DIRECTORY = 0o040000
_SOCKET = 0o140000
_FILE = 0o100000


def state_directory(
    environ: Mapping[str, str], platform: str, passwd_home: Callable[[], str]
) -> str:
    """Return the absolute path of the state directory.

    ``UNDERSTUDY_HOME`` decides; without it, it is the user's state directory as
    platformdirs finds it. ``platform`` is ``sys.platform``; ``passwd_home``
    returns the home directory of the passwd entry and is asked only when HOME
    is of no use. Raises `Failure` (``usage``) for a relative ``UNDERSTUDY_HOME``,
    which would mean another installation in each directory, and for a path of over
    STATE_BYTES.
    """
    chosen = environ.get(HOME_VARIABLE, "")
    if chosen:
        return _verify_short(_verify_absolute(chosen))
    base = environ.get("XDG_STATE_HOME", "").strip()
    if not base.startswith("/"):
        home = environ.get("HOME", "")
        home = (home if home.startswith("/") else passwd_home()).rstrip("/")
        base = home + ("/Library/Application Support" if platform == "darwin" else "/.local/state")
    return _verify_short(f"{base.rstrip('/')}/{APPLICATION}")


def _verify_absolute(path: str) -> str:
    if path.startswith("/"):
        return path.rstrip("/") or "/"
    from protocol.errors import Failure  # noqa: PLC0415  # only a refusal pays for it

    message = f"{HOME_VARIABLE} is not an absolute path"
    raise Failure("usage", message, f"set {HOME_VARIABLE} to a path that begins with /")


def _verify_short(path: str) -> str:
    size = len(path.encode("utf-8", "surrogateescape"))
    if size <= STATE_BYTES:
        return path
    from protocol.errors import Failure  # noqa: PLC0415  # only a refusal pays for it

    message = f"the state directory's path has {size} bytes, over {STATE_BYTES}: {path}"
    raise Failure("usage", message, f"set {HOME_VARIABLE} to a shorter path")


def check_directory(mode: int, owner: int, uid: int) -> str:
    """Return what is wrong with a runtime directory by its lstat, "" when nothing is."""
    if mode & _TYPE != _DIRECTORY:
        return "is not a directory (a symbolic link is refused too)"
    if owner != uid:
        return f"belongs to uid {owner}, not to uid {uid}"
    if mode & 0o077:
        return f"has mode {mode & 0o777:04o}; others may get in"
    return ""


def check_state_directory(mode: int, owner: int, uid: int) -> str:
    """Return what is wrong with a state directory by its stat: others must not change it."""
    if mode & _TYPE != _DIRECTORY:
        return "is not a directory"
    if owner != uid:
        return f"belongs to uid {owner}, not to uid {uid}"
    if mode & 0o022:
        return f"has mode {mode & 0o777:04o}; others may change it"
    return ""


def check_socket(mode: int, owner: int, uid: int) -> str:
    """Return what is wrong with a socket by its lstat, "" when nothing is."""
    if mode & _TYPE != _SOCKET:
        return "is not a socket"
    if owner != uid:
        return f"belongs to uid {owner}, not to uid {uid}"
    if mode & 0o777 != 0o600:
        return f"has mode {mode & 0o777:04o}, not 0600"
    return ""


def check_secret(mode: int) -> str:
    """Return what is wrong with a file that holds a secret by its stat, "" when nothing is.

    Pipes and their like are whoever's they were handed to.
    """
    if mode & _TYPE == _FILE and mode & 0o077:
        return f"has mode {mode & 0o777:04o}; others may get at it"
    return ""
