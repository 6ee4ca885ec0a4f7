"""A daemon whose lock file is not in its place any more notices it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from daemon.lock import LOOK_S, take_lock, wait_displaced
from daemon.paths import Layout, open_run, prepare
from tests.fakes.clocks import TurnedClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def replace(state: Path) -> None:
    state.rename(state.with_name("before"))
    other = Layout(state)
    prepare(other)
    run = open_run(other)
    os.close(take_lock(run))
    os.close(run)


GONE: dict[str, Callable[[Path], object]] = {
    "removed": shutil.rmtree,
    "moved": lambda state: state.rename(state.with_name("elsewhere")),
    "another one": replace,
    "a file instead": lambda state: (shutil.rmtree(state), state.touch()),
}


@pytest.mark.parametrize("change", GONE.values(), ids=GONE.keys())
async def test_a_lock_that_is_out_of_its_place_is_noticed(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    layout, clock, noticed = Layout(tmp_path / "state"), TurnedClock(), trio.Event()
    prepare(layout)
    run = open_run(layout)
    held = take_lock(run)

    async def watch() -> None:
        await wait_displaced(layout, held, clock)
        noticed.set()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            for _ in range(3):
                await clock.turn(LOOK_S)
            assert not noticed.is_set()
            change(layout.state)
            await clock.turn(LOOK_S)
            assert noticed.is_set()
    finally:
        os.close(held)
        os.close(run)
