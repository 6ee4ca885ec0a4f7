"""The pipe: whole messages, in order, whatever is cancelled in between."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from cdp.errors import BacklogFull, MessageTooLarge
from cdp.pipe import PipeTransport, Splitter
from cdp.transport import BACKLOG_LIMIT, MESSAGE_LIMIT, TransportEnded, verify_room

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MESSAGES = st.lists(st.binary().map(lambda data: data.replace(b"\0", b"")))


class FarSide:
    """What the browser holds of the two pipes."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.reads = trio.lowlevel.FdStream(read_fd)
        self.writes = trio.lowlevel.FdStream(write_fd)

    async def read_messages(self, count: int) -> list[bytes]:
        splitter, messages = Splitter(), []
        while len(messages) < count:
            messages += splitter.feed(await self.reads.receive_some(65536))
        return messages

    async def aclose(self) -> None:
        await self.reads.aclose()
        await self.writes.aclose()


@pytest.fixture
async def ends() -> AsyncIterator[tuple[PipeTransport, FarSide]]:
    (far_reads, we_write), (we_read, far_writes) = os.pipe(), os.pipe()
    transport, far = PipeTransport(we_read, we_write), FarSide(far_reads, far_writes)
    with trio.fail_after(30):
        yield transport, far
    await transport.aclose()
    await far.aclose()


@given(MESSAGES, st.lists(st.integers(1, 7), min_size=1))
def test_messages_are_whole_however_they_are_cut(messages: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(message + b"\0" for message in messages) + b"rest"
    splitter, got, place = Splitter(), [], 0
    while place < len(stream):
        size = cuts[place % len(cuts)]
        got += splitter.feed(stream[place : place + size])
        place += size
    assert got == messages


@pytest.mark.parametrize(("size", "fits"), [(10, True), (11, False)])
@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_a_message_over_the_limit_is_refused_before_its_end(
    size: int, fits: bool, chunk: int
) -> None:
    splitter = Splitter(limit=10)
    stream = b"x" * size + b"\0"
    pieces = [stream[i : i + chunk] for i in range(0, len(stream), chunk)]
    if fits:
        assert [m for piece in pieces for m in splitter.feed(piece)] == [b"x" * size]
        return
    with pytest.raises(MessageTooLarge):
        [m for piece in pieces for m in splitter.feed(piece)]


def test_room_is_checked_for_one_message_and_for_all() -> None:
    verify_room(MESSAGE_LIMIT, BACKLOG_LIMIT - MESSAGE_LIMIT)
    with pytest.raises(MessageTooLarge):
        verify_room(MESSAGE_LIMIT + 1, 0)
    with pytest.raises(BacklogFull):
        verify_room(MESSAGE_LIMIT, BACKLOG_LIMIT - MESSAGE_LIMIT + 1)


async def test_messages_arrive_in_order_on_both_ways(ends: tuple[PipeTransport, FarSide]) -> None:
    transport, far = ends
    transport.post(b"one")
    transport.post(b"two")
    assert await far.read_messages(2) == [b"one", b"two"]
    await far.writes.send_all(b"three\0fo")
    assert await transport.receive() == b"three"
    await far.writes.send_all(b"ur\0")
    assert await transport.receive() == b"four"


async def test_what_does_not_fit_the_pipe_is_pumped_in_order(
    ends: tuple[PipeTransport, FarSide], nursery: trio.Nursery
) -> None:
    transport, far = ends
    nursery.start_soon(transport.pump)
    messages = [b"a" * 3_000_000, b"b", b"c" * 1_000_000, b"d"]
    for message in messages:
        transport.post(message)
    assert await far.read_messages(4) == messages
    transport.post(b"e" * 300_000)  # the pump sleeps again by now, or not: it must not matter
    assert await far.read_messages(1) == [b"e" * 300_000]
    nursery.cancel_scope.cancel()


async def test_a_cancelled_task_tears_no_message(
    ends: tuple[PipeTransport, FarSide], nursery: trio.Nursery
) -> None:
    transport, far = ends
    nursery.start_soon(transport.pump)
    with trio.CancelScope() as scope:
        transport.post(b"x" * 1_000_000)  # far more than a pipe holds: half of it is still here
        scope.cancel()
        await trio.sleep_forever()
    transport.post(b"next")
    assert await far.read_messages(2) == [b"x" * 1_000_000, b"next"]
    nursery.cancel_scope.cancel()


async def test_the_far_end_closing_ends_both_ways(
    ends: tuple[PipeTransport, FarSide], nursery: trio.Nursery
) -> None:
    transport, far = ends
    nursery.start_soon(transport.pump)
    transport.post(b"x" * 1_000_000)
    await far.writes.send_all(b"last\0torn")
    await far.aclose()
    assert await transport.receive() == b"last"
    for _ in range(2):
        with pytest.raises(TransportEnded, match="the browser closed the pipe"):
            await transport.receive()
    with pytest.raises(TransportEnded, match="the browser closed the pipe"):
        transport.post(b"more")
    # leaving the nursery shows that the pump has left by itself


async def test_our_closing_ends_reader_and_pump(
    ends: tuple[PipeTransport, FarSide], nursery: trio.Nursery
) -> None:
    transport, far = ends
    nursery.start_soon(transport.pump)
    transport.post(b"x" * 1_000_000)

    async def receive() -> None:
        with pytest.raises(TransportEnded, match="closed by us"):
            await transport.receive()

    nursery.start_soon(receive)
    await trio.testing.wait_all_tasks_blocked()
    await transport.aclose()
    with pytest.raises(TransportEnded, match="closed by us"):
        transport.post(b"more")
    while await far.reads.receive_some(65536):
        pass
