"""Snapshots against Chromium's full accessibility tree, in one run of one browser.

Ours is all of it: walk, count, nodes with refs, text. The tree's is its arrival as JSON.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import trio

from cdp.walker.walking import Options
from protocol.snapshot_text import snapshot_lines
from tests.benchmarks.measures import Measure
from tests.fakes.driven import drive
from tests.fakes.walked import snapshot_of, walker_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from cdp.page import Page
    from tests.fakes.pages import PageServer

ITEM = '<li><a id="a{n}" href="#item-{n}">Link {n}</a> <button id="b{n}">Action {n}</button></li>'
CONTROLS = 10_000
RUNS = 3


def list_page(controls: int) -> str:
    """Return a page of links and buttons, ``controls`` of them in a list."""
    items = "".join(ITEM.format(n=n) for n in range(controls // 2))
    return f"<!doctype html><title>list</title><h1>List</h1><ul>{items}</ul>"


async def measure(act: Callable[[], Awaitable[object]], runs: int) -> float:
    """Return the median of several runs after one that is not counted, in milliseconds."""
    await act()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        await act()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def compare(page: Page, runs: int) -> tuple[float, float]:
    """Return the times of a snapshot of ours and of Chromium's full tree."""
    walker = walker_of(page)

    async def ours() -> None:
        parts = await walker.walk(Options("k7"))
        snapshot_lines(snapshot_of(parts))

    async def tree() -> None:
        await page.target.session.call("Accessibility.getFullAXTree", timeout_s=60)

    # the tree makes the browser keep one and later work slower: ours is measured before it
    return await measure(ours, runs), await measure(tree, runs)


def measure_tree(pages: PageServer, root: Path) -> list[Measure]:
    """A snapshot of a large page against the tree."""
    return [trio.run(_measure_tree, pages, root)]


async def _measure_tree(pages: PageServer, root: Path) -> Measure:
    async with drive(root) as driven:
        await driven.open(pages.add("/large", list_page(CONTROLS)))
        times = await compare(driven.page, RUNS)
    return Measure(f"snapshot of {CONTROLS:,} controls / tree", *times, 0.1)
