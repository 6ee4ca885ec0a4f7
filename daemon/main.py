"""The daemon from its start to its end.

Order of the start: places, lock, log, configuration, clients, facility, sockets,
readiness. Only the holder of the lock touches what an earlier daemon left. Order
of the end: no new connections, then a moment for commands to finish, then the
facility, then the sockets.
"""

from __future__ import annotations

import os
import signal
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from daemon import clients, config, lock, logs, sockets
from daemon.activity import Activity
from daemon.clock import Clock, SystemClock
from daemon.dispatch import Dispatcher, join_routes
from daemon.handlers import clients as client_methods
from daemon.handlers import daemon as daemon_methods
from daemon.logs import LOGGER, log_mistake
from daemon.paths import Layout, open_run, prepare
from daemon.runtime import Runtime
from daemon.server import Server
from protocol import paths
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daemon.config import Config
    from daemon.runtime import Facility, OpenFacility
    from protocol.commandline import CommandLine

FINISH_S = 2.0
"""How long running commands may take to finish once the daemon is to stop."""


@dataclass(frozen=True)
class Composition:
    """The parts that the composing module brings together."""

    commandline: CommandLine
    open_facility: OpenFacility
    version: str
    clock: Clock


@dataclass(frozen=True)
class Started:
    """What is held from the lock to the end."""

    layout: Layout
    run: int
    lock: int
    config: Config
    clients: clients.Clients


def run(
    commandline: CommandLine,
    open_facility: OpenFacility,
    *,
    version: str,
    state: str,
    ready: Callable[[], None],
) -> None:
    """Run the daemon until it is told to stop; ``ready`` is called once it can be reached.

    Raises Failure when it cannot start, naming the cause.
    """
    composition = Composition(commandline, open_facility, version, SystemClock())
    os.umask(0o077)
    os.chdir("/")
    with ExitStack() as stack:
        started = _start(Layout(Path(state)), stack)
        LOGGER.info("daemon %s starts, pid %d", version, os.getpid())
        commandline.parse(["--version"], width=80)  # the first parse is slow; nobody waits for it
        try:
            with naming_cause():
                trio.run(_serve, composition, started, ready)
        except Failure as failure:
            LOGGER.error("the daemon cannot go on: %s", failure.message)
            raise
        except Exception as error:
            log_mistake("the daemon broke", error)
            raise
        LOGGER.info("daemon ends")


@contextmanager
def naming_cause() -> Iterator[None]:
    """Let a Failure that comes wrapped in the groups of nurseries come alone, if it is alone."""
    try:
        yield
    except BaseExceptionGroup as group:
        cause: BaseException = group
        while isinstance(cause, BaseExceptionGroup) and len(cause.exceptions) == 1:
            cause = cause.exceptions[0]
        if isinstance(cause, Failure):
            raise cause from None
        raise


def _start(layout: Layout, stack: ExitStack) -> Started:
    try:
        prepare(layout)
        run_directory = open_run(layout)
        stack.callback(os.close, run_directory)
        held = lock.take_lock(run_directory)  # never closed: it ends with the process, not before
        stack.callback(logs.close_log, logs.open_log(layout.log))
        lock.write_pid_file(layout)
        return Started(
            layout,
            run_directory,
            held,
            config.read_config(layout.config),
            clients.Clients(layout.clients),
        )
    except OSError as error:
        message = f"{error.filename or layout.state}: {error.strerror}"
        hint = "the state directory must be writable; UNDERSTUDY_HOME names another"
        raise Failure("state_untrusted", message, hint) from None


async def _serve(composition: Composition, started: Started, ready: Callable[[], None]) -> None:
    stop = trio.Event()
    activity = Activity(composition.clock)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_stop_on_signal, stop)
        nursery.start_soon(_stop_when_displaced, started, composition.clock, stop)
        nursery.start_soon(_stop_when_idle, activity, started.config.idle_exit_s, stop)
        runtime = Runtime(
            started.layout, started.config, composition.clock, activity, nursery, dict(os.environ)
        )
        async with composition.open_facility(runtime) as facility:
            server = _server(composition, started, facility, activity, stop)
            await _serve_doors(server, started.run, stop, ready)
        nursery.cancel_scope.cancel()


def _server(
    composition: Composition,
    started: Started,
    facility: Facility,
    activity: Activity,
    stop: trio.Event,
) -> Server:
    itself = daemon_methods.Daemon(
        composition.version,
        started.layout,
        composition.clock,
        activity,
        composition.clock.boot_s(),
        stop.set,
    )
    routes = join_routes(
        facility.routes, client_methods.routes(started.clients), daemon_methods.routes(itself)
    )
    dispatcher = Dispatcher(routes, facility.request)
    server = Server(
        composition.commandline, dispatcher, started.clients, activity, owner=os.geteuid()
    )
    activity.register("connections", lambda: server.connections, holds=True)
    return server


async def _serve_doors(
    server: Server, run_directory: int, stop: trio.Event, ready: Callable[[], None]
) -> None:
    """Serve both sockets until ``stop``; then give the commands in hand a moment."""
    doors = {paths.CLI_SOCKET: server.accept_commands, paths.RPC_SOCKET: server.accept_programs}
    async with trio.open_nursery() as connections:
        async with AsyncExitStack() as listeners, trio.open_nursery() as accepting:
            for name, accept in doors.items():
                bound = sockets.bind_socket(run_directory, name)
                listener = trio.SocketListener(trio.socket.from_stdlib_socket(bound))
                await listeners.enter_async_context(listener)
                accepting.start_soon(accept, listener, connections)
            ready()
            await stop.wait()
            for name in doors:
                sockets.unlink_socket(run_directory, name)
            accepting.cancel_scope.cancel()
        connections.cancel_scope.deadline = trio.current_time() + FINISH_S


async def _stop_on_signal(stop: trio.Event) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
        async for number in received:
            LOGGER.info("signal %d: the daemon stops", number)
            stop.set()


async def _stop_when_idle(activity: Activity, idle_s: float, stop: trio.Event) -> None:
    await activity.wait_idle(idle_s)
    LOGGER.info("nothing to do for %d s: the daemon leaves", idle_s)
    stop.set()


async def _stop_when_displaced(started: Started, clock: Clock, stop: trio.Event) -> None:
    await lock.wait_displaced(started.layout, started.lock, clock)
    LOGGER.warning("the state directory was removed or moved: the daemon stops")
    stop.set()
