"""A browser that exists only in memory, behind the daemon's own `Chromium` and `Tab`.

A test arranges what goes wrong (`launch_failure`, `cleanup_failures`,
`outcomes`, `gate`), and reads what the page saw (`inputs`).
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from daemon.browsers import BrowserOrder, CleanupFailed, OwnedBrowser, Provenance
from daemon.everyday.surroundings import NoSurroundings
from daemon.tab import (
    Incidents,
    Load,
    Outcome,
    PageState,
    Picture,
    TabGone,
    TabRefused,
    Under,
)
from protocol.receipts import ActionStatus
from tests.fakes.performers import FakePerformer
from tests.fakes.pictures import png_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from daemon.everyday.performer import NextGeneration
    from daemon.everyday.surroundings import Around, Told
    from protocol.viewports import Viewport


@dataclass
class FakeSurroundings:
    """What a page did by itself, as a test arranges it."""

    urls: list[str] = field(default_factory=list)
    """Where popups wanted to go."""
    wrong: list[str] = field(default_factory=list)
    """What went wrong in the page."""

    @property
    def popup_count(self) -> int:
        return len(self.urls)

    async def popups(self, *, after: int = 0) -> Sequence[Told]:
        await trio.lowlevel.checkpoint()
        told: list[Told] = [{"number": n, "url": url} for n, url in enumerate(self.urls, start=1)]
        return told[after:]

    refused_count: int = 0
    download_count: int = 0

    def refused(self, *, after: int = 0) -> Sequence[Told]:
        del after
        return ()

    async def downloads(self, *, after: int = 0) -> Sequence[Told]:
        del after
        await trio.lowlevel.checkpoint()
        return ()

    def download_path(self, number: int) -> None:
        del number

    def origins(self) -> Sequence[Told]:
        return ()

    @property
    def error_count(self) -> int:
        return len(self.wrong)

    def errors(self) -> Sequence[Told]:
        return [{"kind": "exception", "text": text, "url": ""} for text in self.wrong]


@dataclass
class FakeTab:
    """A page that only remembers; every picture of it is a new one."""

    viewport: Viewport
    lost: trio.Event = field(default_factory=trio.Event)
    lost_reason: str = ""
    load: Load = field(default_factory=lambda: Load("about:blank", None))
    dialog_open: trio.Event = field(default_factory=trio.Event)
    inputs: list[tuple[object, ...]] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """What a kind of input answers, in place of ``injected``."""
    gate: trio.Event | None = None
    """Every input waits here until it is set."""
    sealed: bool = False
    captures: int = 0
    title: str = "a page"
    incidents: Incidents = field(default_factory=Incidents)
    hands: FakePerformer = field(default_factory=FakePerformer)
    besides: FakeSurroundings = field(default_factory=FakeSurroundings)

    def performer(self, next_generation: NextGeneration) -> FakePerformer:
        del next_generation
        return self.hands

    @asynccontextmanager
    async def surround(self, around: Around) -> AsyncIterator[None]:
        around.page = self.besides
        self.hands.attendant = around.outbox
        try:
            yield
        finally:
            around.page = NoSurroundings()
            around.outbox.interrupt()

    def lose(self, reason: str) -> None:
        """Let the browser die."""
        self.lost_reason = reason
        self.hands.lost = True
        self.lost.set()

    async def learn_status(self) -> None:
        await trio.lowlevel.checkpoint()

    async def capture(self) -> Picture:
        self._check_alive()
        await trio.lowlevel.checkpoint()
        self.captures += 1
        width, height = self.viewport.width, self.viewport.height
        return Picture.of(png_of(width, height, self.captures))

    async def read_state(self) -> PageState:
        self._check_alive()
        await trio.lowlevel.checkpoint()
        return PageState(self.load.url, self.title, "L1", self.viewport)

    async def navigate(self, url: str, *, timeout_s: float) -> Outcome:
        outcome = await self._take("navigate", url, default=ActionStatus.OK)
        failed = outcome.status is ActionStatus.FAILED
        self.load = Load(url, None if failed else 200, outcome.detail if failed else "")
        return outcome

    async def click(self, x: int, y: int, *, button: str, count: int) -> Outcome:
        return await self._take("click", x, y, button, count)

    async def move(self, x: int, y: int) -> Outcome:
        return await self._take("move", x, y)

    async def drag(self, start: tuple[int, int], end: tuple[int, int]) -> Outcome:
        return await self._take("drag", start, end)

    async def scroll(self, x: int, y: int, *, direction: str, amount: int) -> Outcome:
        return await self._take("scroll", x, y, direction, amount)

    async def type_text(self, text: str) -> Outcome:
        return await self._take("type", text, default=ActionStatus.OK)

    async def press(self, modifiers: Sequence[str], base: str) -> Outcome:
        return await self._take("press", tuple(modifiers), base)

    async def hold(self, modifiers: Sequence[str], base: str, ms: int) -> Outcome:
        return await self._take("hold", tuple(modifiers), base, ms)

    def seal(self) -> None:
        self.sealed = True

    def _check_alive(self) -> None:
        if self.lost.is_set():
            raise TabGone(self.lost_reason)

    async def _take(
        self, kind: str, *seen: object, default: ActionStatus = ActionStatus.INJECTED
    ) -> Outcome:
        if self.sealed:
            raise TabRefused
        self._check_alive()
        self.inputs.append((kind, *seen))
        if self.gate is not None:
            await self.gate.wait()
        await trio.lowlevel.checkpoint()
        self._check_alive()
        under = Under("button", "Send", "http://127.0.0.1:1") if kind == "click" else None
        return self.outcomes.get(kind, Outcome(default, under=under))


@dataclass
class FakeChromium:
    """Opens `FakeTab`s; the tabs and what was reaped stay for the test to see."""

    tabs: list[FakeTab] = field(default_factory=list)
    open_now: int = 0
    launch_failure: Exception | None = None
    launch_gate: trio.Event | None = None
    dies_at_once: str = ""
    """Why a browser is gone as soon as it has opened."""
    close_failure: Exception | None = None
    """What ending a browser raises."""
    cleanup_failures: int = 0
    """How many times clearing away fails before it works."""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    orders: list[BrowserOrder] = field(default_factory=list)
    reaped: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, order: BrowserOrder) -> AsyncIterator[OwnedBrowser]:
        self.orders.append(order)
        if self.launch_gate is not None:
            await self.launch_gate.wait()
        if self.launch_failure is not None:
            raise self.launch_failure
        tab = FakeTab(order.viewport, outcomes=dict(self.outcomes))
        self.tabs.append(tab)
        if self.dies_at_once:
            tab.lose(self.dies_at_once)
        self.open_now += 1
        try:
            yield OwnedBrowser(tab, Provenance("Fake/1", 4242, ("fake",), ("fake",)))
        finally:
            self.open_now -= 1
        if self.close_failure is not None:
            raise self.close_failure
        self._clear()

    async def reap(self, workspace_id: str) -> None:
        await trio.lowlevel.checkpoint()
        self._clear()
        self.reaped.append(workspace_id)

    def _clear(self) -> None:
        if self.cleanup_failures > 0:
            self.cleanup_failures -= 1
            raise CleanupFailed("the profile directory is still in use")
