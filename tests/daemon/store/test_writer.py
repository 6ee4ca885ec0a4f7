"""The writer's thread: work is done in order, and holds the event loop up only briefly."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from daemon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 10.0


@pytest.fixture
def writer() -> Iterator[Writer]:
    made = Writer()
    yield made
    made.close()


@pytest.mark.parametrize("brief", [True, False])
async def test_what_work_returns_and_raises_comes_back(writer: Writer, brief: bool) -> None:
    def late() -> None:
        raise TimeoutError("the work's own")

    assert await writer.run(lambda: 7, brief=brief) == 7
    with pytest.raises(TimeoutError, match="the work's own"):
        await writer.run(late, brief=brief)
    assert await writer.run(threading.get_ident, brief=brief) != threading.get_ident()


@pytest.mark.parametrize("brief", [True, False])
async def test_others_go_on_while_work_takes_its_time(writer: Writer, brief: bool) -> None:
    go_on, came = threading.Event(), []

    def hold() -> None:
        came.append(go_on.wait(WAIT_S))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(writer.run, hold, brief=brief))
        await trio.testing.wait_all_tasks_blocked()
        go_on.set()  # in vain if the loop had waited for the work
    assert came == [True]


async def test_work_is_done_in_the_order_in_which_it_was_handed_over(writer: Writer) -> None:
    go_on, done = threading.Event(), []

    def hold() -> None:
        assert go_on.wait(WAIT_S)
        done.append("long")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(writer.run, hold, brief=False))
        await trio.testing.wait_all_tasks_blocked()
        for number in range(3):
            nursery.start_soon(partial(writer.run, partial(done.append, str(number)), brief=True))
            await trio.testing.wait_all_tasks_blocked()
        go_on.set()
    assert done == ["long", "0", "1", "2"]


async def test_a_cancelled_task_waits_for_what_it_handed_over(writer: Writer) -> None:
    go_on, done = threading.Event(), []

    def hold() -> None:
        assert go_on.wait(WAIT_S)
        done.append("whole")

    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(writer.run, hold, brief=False))
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
            go_on.set()
    assert done == ["whole"]
