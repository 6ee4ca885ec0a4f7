"""Starting, stopping and asking the daemon, from the client's own process.

One client at a time starts a daemon (``run/start.lock``); the daemon itself is
the one that holds ``run/daemon.lock``. Whether one runs is asked of that lock,
never of a pid in a file. A daemon that does not stop when told is killed only if
the lock is held and the process that the lock file names has that start time,
that owner and the command line of a daemon of ours.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from protocol import paths
from protocol.errors import Failure
from understudy_cli import connection, programs
from understudy_cli.killing import kill_proven
from understudy_cli.spawning import spawn_daemon, tail

if TYPE_CHECKING:
    from collections.abc import Iterator

START_S = 60.0
"""How long a start may take in all: other starts, an old daemon's end, ours."""
STOP_S = 20.0
"""How long a daemon that was told to stop may take over it."""
KILL_S = 5.0
POLL_S = 0.02
ANSWER_S = 5.0
MOST_LINES = 1000

Reply = dict[str, object]
LocalMethod = Callable[[Mapping[str, object]], Reply]


def methods() -> Mapping[str, LocalMethod]:
    """Return the methods that the client serves itself, by name."""
    return {
        "daemon.start": lambda _: _start(_state()),
        "daemon.stop": lambda _: _stop(_state()),
        "daemon.restart": lambda _: _restart(_state()),
        "daemon.status": lambda _: ask_status(_state()),
        "daemon.logs": lambda params: read_log(_state(), params),
    }


def _state() -> str:
    return connection.find_state_directory(os.environ)


def _start(state: str) -> Reply:
    started = start(state)
    return ask_status(state) | {"started": started}


def _stop(state: str) -> Reply:
    return {"ok": True, "daemon": {"running": False, "stopped": stop(state)}}


def _restart(state: str) -> Reply:
    stop(state)
    return _start(state)


def _always() -> bool:
    return True


def start(state: str, is_wanted: Callable[[], bool] = _always) -> bool:
    """Have a daemon that can be reached; return whether this call started it.

    ``is_wanted`` is asked when there is none, while no other command starts one;
    when it says no, none is started. Raises Failure ``daemon_unavailable`` (or
    the daemon's own) with the cause.
    """
    deadline_s = time.monotonic() + START_S
    run = _make_run(state)
    try:
        with _starting(run, deadline_s):
            while not _answers(state, run):
                if is_running(run):  # on its way in, or on its way out
                    _pause(deadline_s, "a daemon runs and does not answer")
                    continue
                if not is_wanted():
                    return False
                refused = spawn_daemon(state, deadline_s)
                if refused is None:
                    return True
                if refused.code != "daemon_running":
                    raise refused
        return False
    finally:
        os.close(run)


def stop(state: str) -> bool:
    """Have no daemon; return whether there was one.

    Raises Failure ``daemon_unavailable`` when one hangs and is not proven ours.
    """
    run = _open_run(state)
    if run is None:
        return False
    try:
        if not is_running(run):
            return False
        patience_s = STOP_S if _tell_to_stop(state, run) else 0.0
        if not _is_gone_by(run, time.monotonic() + patience_s):
            kill_proven(run, lambda: _is_gone_by(run, time.monotonic() + KILL_S))
        return True
    finally:
        os.close(run)


def ask_status(state: str) -> Reply:
    """Return ``daemon.status`` of a running daemon; starts none.

    Raises Failure ``daemon_unavailable``.
    """
    run = _open_run(state)
    if run is not None:
        try:
            line = connection.connect(state, run, paths.RPC_SOCKET)
            if line is not None:
                return programs.call(line, "daemon.status", ANSWER_S)
        finally:
            os.close(run)
    raise Failure(
        "daemon_unavailable", "no daemon is running", 'start one with "understudy daemon start"'
    )


def read_log(state: str, params: Mapping[str, object]) -> Reply:
    """Return the last lines of the log, whether a daemon runs or not."""
    wanted = params.get("lines")
    most = wanted if isinstance(wanted, int) else MOST_LINES
    path = Path(state, paths.LOG)
    try:
        return {"ok": True, "path": str(path), "lines": tail(path, most)}
    except PermissionError as error:
        raise _closed_to_us(error) from None


def is_running(run: int) -> bool:
    """Return whether a daemon holds the installation's lock."""
    try:
        lock = os.open(paths.DAEMON_LOCK, os.O_RDWR | os.O_NOFOLLOW, dir_fd=run)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _open_run(state: str) -> int | None:
    """Return the runtime directory (see `connection.open_run`), None only when it is not there.

    What may not be looked at is not taken for what is missing: a daemon may well run there.
    """
    run = connection.open_run(state)
    if run is None:
        try:
            os.lstat(f"{state}/{paths.RUN}")
        except PermissionError as error:
            raise _closed_to_us(error) from None
        except OSError:
            return None
    return run


def _closed_to_us(error: PermissionError) -> Failure:
    hint = "UNDERSTUDY_HOME names a place of your own"
    message = f"{error.filename} may not be looked at: {error.strerror}"
    return Failure("state_untrusted", message, hint)


def _make_run(state: str) -> int:
    """Return the descriptor of the runtime directory, made if it is missing."""
    run = _open_run(state)
    if run is not None:
        return run
    try:
        Path(state).mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(state, paths.RUN).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        hint = "UNDERSTUDY_HOME names another place"
        message = f"{error.filename} cannot be made: {error.strerror}"
        raise Failure("daemon_unavailable", message, hint) from None
    run = connection.open_run(state)
    if run is None:
        raise Failure("daemon_unavailable", f"{state} was removed", "run the command again")
    return run


@contextmanager
def _starting(run: int, deadline_s: float) -> Iterator[None]:
    """Hold the right to start a daemon; others wait until ours is up."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    lock = os.open(paths.START_LOCK, flags, 0o600, dir_fd=run)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                _pause(deadline_s, "another command is starting the daemon and does not end")
        yield
    finally:
        os.close(lock)


def _answers(state: str, run: int) -> bool:
    line = connection.connect(state, run, paths.CLI_SOCKET)
    if line is not None:
        line.close()
    return line is not None


def _is_gone_by(run: int, deadline_s: float) -> bool:
    while is_running(run):
        if time.monotonic() > deadline_s:
            return False
        time.sleep(POLL_S)
    return True


def _tell_to_stop(state: str, run: int) -> bool:
    """Tell it to, and return whether it heard; one that starts or ends has no socket."""
    deadline_s = time.monotonic() + ANSWER_S
    while (line := connection.connect(state, run, paths.RPC_SOCKET)) is None:
        if _is_gone_by(run, time.monotonic() + POLL_S) or time.monotonic() > deadline_s:
            return False
    try:
        programs.call(line, "daemon.stop", ANSWER_S)
    except Failure:
        return False  # it hangs, or it ends already: whether it goes decides
    return True


def _pause(deadline_s: float, message: str) -> None:
    if time.monotonic() > deadline_s:
        raise Failure(
            "daemon_unavailable",
            message,
            'see "understudy daemon logs"; "understudy daemon restart" starts anew',
            safe_to_retry=True,
        )
    time.sleep(POLL_S)
