"""Silence, slowness and idleness have their limits; the clock of these tests jumps."""

from __future__ import annotations

import os
import socket
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from daemon.activity import Activity
from daemon.clients import Clients
from daemon.dispatch import Dispatcher, join_routes
from daemon.server import FIRST_FRAME_S, FIRST_LINE_S, REST_OF_LINE_S, Server
from daemon.sockets import bind_socket
from protocol import framing
from protocol.framing import Command
from tests.fakes.clocks import TurnedClock
from tests.fakes.doors import READS, WRITES, FakeCommandLine, Text, Try

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from daemon.dispatch import Caller
    from protocol.commandline import Host


class Doors:
    """A server in this task's own process."""

    def __init__(self, root: Path) -> None:
        self.run = os.open(root, os.O_RDONLY)
        clients = Clients(root / "clients.json")
        self.activity = Activity(TurnedClock())
        self.ended = trio.Event()
        dispatcher = Dispatcher({}, _refuse)
        line = NotingCommandLine(self.ended)
        self.server = Server(line, dispatcher, clients, self.activity, owner=os.geteuid())

    async def connect(self, name: str) -> trio.SocketStream:
        peer = trio.socket.socket(socket.AF_UNIX)
        await peer.connect(f"/proc/self/fd/{self.run}/{name}")
        return trio.SocketStream(peer)


class NotingCommandLine(FakeCommandLine):
    """A tree with one more command, which notes its end."""

    def __init__(self, ended: trio.Event) -> None:
        self._ended = ended

    def parse(self, argv: Sequence[str], *, width: int) -> Try | Text:
        if argv[0] == "flood":
            return Try(self._flood, argv[1:], writes=True)
        return super().parse(argv, width=width)

    async def _flood(self, host: Host, arguments: Sequence[str]) -> int:
        await host.out(b"x" * 20_000_000)
        self._ended.set()
        return 0


async def _refuse(raw: bytes, caller: Caller) -> dict[str, object]:
    raise AssertionError


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[Doors]:
    doors = Doors(root)
    try:
        async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
            for name, accept in {
                "cli.sock": doors.server.accept_commands,
                "rpc.sock": doors.server.accept_programs,
            }.items():
                bound = trio.socket.from_stdlib_socket(bind_socket(doors.run, name))
                listener = await stack.enter_async_context(trio.SocketListener(bound))
                nursery.start_soon(accept, listener, nursery)
            yield doors
            nursery.cancel_scope.cancel()
    finally:
        os.close(doors.run)


@pytest.mark.parametrize(
    ("name", "said", "limit_s"),
    [
        ("cli.sock", b"", FIRST_FRAME_S),
        ("cli.sock", b"\0\0", FIRST_FRAME_S),
        ("cli.sock", b"\0\0\1\0\1abc", FIRST_FRAME_S),
        ("rpc.sock", b"", FIRST_LINE_S),
        ("rpc.sock", b'{"jsonrpc"', FIRST_LINE_S + REST_OF_LINE_S),
        ("rpc.sock", b'{}\n{"jsonrpc"', FIRST_LINE_S + REST_OF_LINE_S),
    ],
)
async def test_who_says_nothing_is_dropped(
    tmp_path: Path, autojump_clock: object, name: str, said: bytes, limit_s: float
) -> None:
    async with opened(tmp_path) as doors:
        line = await doors.connect(name)
        await line.send_all(said)
        began_s = trio.current_time()
        told = b""
        while piece := await line.receive_some(1000):
            told += piece
        assert 1 < trio.current_time() - began_s <= limit_s + 1
        assert (b"-32600" in told) == said.startswith(b"{}")
        await line.aclose()


async def test_a_program_may_be_silent_between_lines(
    tmp_path: Path, autojump_clock: object
) -> None:
    async with opened(tmp_path) as doors:
        line = await doors.connect("rpc.sock")
        for _ in range(2):
            await line.send_all(b"{}\n")
            assert b"-32600" in await line.receive_some(1000)
            await trio.sleep(10 * FIRST_LINE_S)
        await line.aclose()


async def test_a_client_that_reads_nothing_holds_no_write_up(
    tmp_path: Path, autojump_clock: object
) -> None:
    command = Command(command_id="0" * 32, argv=["flood"], cwd="/", variables={})
    async with opened(tmp_path) as doors:
        line = await doors.connect("cli.sock")
        await line.send_all(framing.encode_command(command))
        with trio.fail_after(300):
            await doors.ended.wait()
        await line.aclose()


def test_no_name_is_routed_twice() -> None:
    with pytest.raises(ValueError, match="one"):
        join_routes({"one": _handle}, {"two": _handle, "one": _handle})


async def _handle(params: Mapping[str, object], caller: Caller) -> dict[str, object]:
    return {}


def test_the_fake_tree_says_which_commands_write() -> None:
    assert not READS.keys() & WRITES.keys()


async def test_idleness_is_counted_from_the_last_sign_of_life() -> None:
    clock, held = TurnedClock(), [1]
    activity = Activity(clock)
    activity.register("sessions", lambda: held[0], holds=True)
    activity.register("displays", lambda: 5, holds=False)
    idle = trio.Event()

    async def wait() -> None:
        await activity.wait_idle(1800)
        idle.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        for _ in range(400):
            await clock.turn(15)
        assert not idle.is_set(), "a session holds it"
        held[0] = 0
        for _ in range(60):
            await clock.turn(15)
        activity.touch()
        for _ in range(118):
            await clock.turn(15)
        assert not idle.is_set(), "a sign of life starts the half hour anew"
        for _ in range(3):
            await clock.turn(15)
        assert idle.is_set()
    assert activity.counts() == {"sessions": 0, "displays": 5}
