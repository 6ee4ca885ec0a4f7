"""Snapshots against Chromium's full accessibility tree, in one run of one browser.

    python -m tests.benchmarks.snapshot

Ours is all of it: walk, count, nodes with refs, text. The tree's is its arrival as JSON.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from cdp.walker.walking import Options
from protocol.snapshot_text import snapshot_lines
from tests.fakes.driven import drive
from tests.fakes.pages import PageServer
from tests.fakes.walked import snapshot_of, walker_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cdp.page import Page

ITEM = '<li><a id="a{n}" href="#item-{n}">Link {n}</a> <button id="b{n}">Action {n}</button></li>'
RUNS = {2_000: 7, 10_000: 3}
"""Controls on the page -> how often each side is measured."""


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


async def main() -> None:
    """Print one line for each size."""
    with PageServer() as pages, tempfile.TemporaryDirectory() as directory:
        async with drive(Path(directory)) as driven:
            for controls, runs in RUNS.items():
                await driven.open(pages.add(f"/list{controls}", list_page(controls)))
                ours, tree = await compare(driven.page, runs)
                print(
                    f"snapshot of {controls} controls / getFullAXTree"
                    f" {ours:9.1f} {tree:9.1f} ms {ours / tree:6.3f}"
                )


if __name__ == "__main__":
    trio.run(main)
