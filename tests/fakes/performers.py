"""A page's performer that exists only in memory, behind `daemon.everyday.performer`.

A test arranges what goes wrong (`refusals`, `ends`, `gate`, `losses`) and reads what the
page saw (`inputs`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from cdp.dialog import ByDefault, Dialog
from daemon.everyday.performer import DialogMet, Done, PageFailed, PageIdentity
from daemon.tab import TabGone
from protocol.command_failures import CommandFailed
from protocol.commands import Navigate, Wait, WaitFor
from protocol.writes import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cdp.dialog import Attendant
    from daemon.everyday.performer import Act
    from protocol.commands import Command, Read, Write
    from protocol.errors import Failure
    from protocol.targets import Target


@dataclass
class FakePerformer:
    """Every act is one input; every read says how many there were before it."""

    sent_count: int = 0
    dialog: Mapping[str, object] | None = None
    inputs: list[Write] = field(default_factory=list)
    checking: list[str] = field(default_factory=list)
    """Types of everything whose checks have begun."""
    asked: list[str] = field(default_factory=list)
    """Types of everything that was prepared, probed or read."""
    refusals: dict[str, Failure | PageFailed] = field(default_factory=dict)
    """What a type's check, or its read, raises."""
    ends: dict[str, Done] = field(default_factory=dict)
    """How a type's act ends, in place of ``ok``."""
    falls_silent: set[str] = field(default_factory=set)
    """Types whose act is sent, and whose page does not answer then."""
    opens_dialog: set[str] = field(default_factory=set)
    """Types whose act opens a dialog and meets it."""
    attendant: Attendant = field(default_factory=ByDefault)
    """Who is told of a dialog that opens."""
    gates: dict[str, trio.Event] = field(default_factory=dict)
    """A type waits here: a write after its input has left, a read before it looks."""
    check_gates: dict[str, trio.Event] = field(default_factory=dict)
    """A type's check waits here."""
    lost: bool = False
    url: str = "about:blank"
    loader_id: str = "L1"
    so_before: set[str] = field(default_factory=set)
    """Types of reads that say at once that it is so."""
    moves: list[str] = field(default_factory=list)
    """Documents that the page goes to, one during each read."""

    def act(self, write: Write) -> FakeAct:
        return FakeAct(write, self)

    async def look(self, read: Read, *, timeout_s: float) -> Mapping[str, object]:
        await self.ask(read)
        if timeout_s <= 0 and read.type not in self.so_before:
            raise CommandFailed("timed_out", "it is not so yet")
        if (gate := self.gates.get(read.type)) is not None:
            with trio.fail_after(timeout_s):
                await gate.wait()
        if isinstance(read, Wait) and read.wanted is WaitFor.MS:
            await trio.sleep(read.ms / 1000)
        if self.moves:
            self.loader_id = self.moves.pop(0)
        return {"inputs": len(self.inputs)}

    async def probe(self, target: Target) -> Mapping[str, object]:
        await trio.lowlevel.checkpoint()
        self.asked.append("probe")
        self.verify_there("probe")
        return {"state": {}}

    async def identify(self, *, timeout_s: float) -> PageIdentity:
        await trio.lowlevel.checkpoint()
        return PageIdentity(self.url, "a page" if timeout_s > 0 else "", self.loader_id)

    def open_dialog(self) -> None:
        self.dialog = {"type": "alert", "message": "hello"}
        self.attendant.opened(Dialog("alert", "hello", "about:blank", "", cut=False, number=1))

    async def ask(self, command: Command) -> None:
        await trio.lowlevel.checkpoint()
        self.asked.append(command.type)
        self.verify_there(command.type)

    def verify_there(self, kind: str) -> None:
        if self.lost:
            raise TabGone("the page is gone")
        if self.dialog is not None:
            raise DialogMet
        if kind in self.refusals:
            raise self.refusals[kind]


@dataclass
class FakeAct:
    """One act on a `FakePerformer`."""

    write: Write
    performer: FakePerformer

    async def prepare(self) -> None:
        self.performer.checking.append(self.write.type)
        if (gate := self.performer.check_gates.get(self.write.type)) is not None:
            await gate.wait()
        await self.performer.ask(self.write)

    async def perform(self, then: Act | None = None) -> Done:
        del then
        performer, kind = self.performer, self.write.type
        performer.verify_there("")
        performer.sent_count += 1
        performer.inputs.append(self.write)
        if kind in performer.falls_silent:
            raise PageFailed("no reply")
        if kind in performer.opens_dialog:
            performer.open_dialog()
            raise DialogMet
        if (gate := performer.gates.get(kind)) is not None:
            await gate.wait()
        await trio.lowlevel.checkpoint()
        if performer.lost:
            raise TabGone("the page is gone")
        if isinstance(self.write, Navigate):
            performer.url = self.write.url
        return performer.ends.get(kind, Done(Status.OK))
