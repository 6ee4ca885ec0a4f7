"""The whole evidence part of a daemon, over browsers that exist only in memory."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import trio

from daemon.attempt import ActionFailed
from daemon.dispatch import Dispatcher
from daemon.displays import Displays
from daemon.evidence import EvidenceSessions
from daemon.evidence_store import EvidenceUnwritable
from daemon.facility import Parts
from daemon.session import Means
from daemon.workspaces import Workspaces
from protocol.actors import Actor
from protocol.errors import Failure, proof_failure
from tests.fakes.browsers import FakeChromium, FakeTab
from tests.fakes.clocks import TurnedClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from daemon.evidence_store import Event, EvidenceStore
    from daemon.runtime import Facility
    from protocol.actions import Action
    from protocol.evidence_session import End
    from protocol.receipts import ActionStatus

ME = Actor(1)
OTHER = Actor(1, "other")
JOB = "0123456789abcdef" * 4
PRE = "fedcba9876543210" * 4
URL = "http://127.0.0.1:1/page"
CLICK: Mapping[str, object] = {"type": "click", "x": 3, "y": 4}


class Doors:
    """Calls on the evidence part, by name and as raw requests."""

    def __init__(self, facility: Facility) -> None:
        self._dispatcher = Dispatcher(facility.routes, facility.request)

    async def call(self, method: str, actor: Actor = ME, **params: object) -> Any:
        """Call a method by name. Raises Failure."""
        return await self._dispatcher.call(actor, method, params)

    async def raw(self, text: str | bytes, actor: Actor = ME) -> Any:
        """Send a request as text; a failure is a reply."""
        raw = text if isinstance(text, bytes) else text.encode()
        return await self._dispatcher.request(actor, raw)

    async def begin(self, attempt: str = "a", **given: object) -> Any:
        """Begin in the short form, on `URL` with 40x30 unless told otherwise."""
        asked = {"url": URL, "viewport": "40x30", **given}
        return await self.call("session.begin", attempt_id=attempt, job_sha256=JOB, **asked)

    async def act(self, proof_id: str, sequence: int, *actions: Mapping[str, object]) -> Any:
        """Send a batch; one click when none is given."""
        text = json.dumps(list(actions or [CLICK]))
        return await self.call(
            "session.actions", proof_id=proof_id, sequence=sequence, actions_json=text
        )

    async def op(self, name: str, proof_id: str, sequence: int, **more: object) -> Any:
        """Send any other operation."""
        return await self.call(f"session.{name}", proof_id=proof_id, sequence=sequence, **more)

    async def reach(self, phase: str, attempt: str = "a") -> Any:
        """Take a new session to a phase; the last reply."""
        reply = await self.begin(attempt)
        proof_id = reply["proofId"]
        if phase != "stage":
            reply = await self.op("freeze", proof_id, 0)
        if phase in {"observed", "finished"}:
            reply = await self.op("observe", proof_id, 1, pre_observation_sha256=PRE)
        if phase == "finished":
            sha256 = reply["frame"]["sha256"]
            reply = await self.op(
                "finish", proof_id, 2, observation_sha256=sha256, claims_json='{"done":true}'
            )
        return reply

    async def status(self, proof_id: str, actor: Actor = ME) -> Any:
        """Ask for the status. Raises Failure."""
        return await self.call("session.status", actor, proof_id=proof_id)

    async def summary(self, proof_id: str) -> Any:
        """The session's element of ``session.list``."""
        listed = (await self.call("session.list"))["sessions"]
        return next(one for one in listed if one["proofId"] == proof_id)


class House(Doors):
    """Both doors of the evidence part, and everything behind them for a test to look at."""

    def __init__(
        self,
        nursery: trio.Nursery,
        root: Path,
        *,
        store: EvidenceStore | None = None,
        policy_origins: Sequence[str] = (),
    ) -> None:
        serial = count(1)

        def mint(prefix: str) -> str:
            return f"{prefix}{next(serial):032x}"

        self.evidence = root / "evidence"
        self.store = store or MemoryStore()
        self.journal = MemoryJournal()
        self.clock = TurnedClock()
        self.chromium = FakeChromium()
        self.displays = Displays(x_directory=root, mint=mint)
        self.workspaces = Workspaces(nursery, self.chromium, self.displays, mint)
        self.sessions = EvidenceSessions(
            nursery,
            self.workspaces,
            Means(self.store, self.clock, self.journal),
            policy_origins,
            mint,
        )
        parts = Parts(self.displays, self.workspaces, self.sessions, self.store, policy_origins)
        super().__init__(parts.offer())

    @property
    def tab(self) -> FakeTab:
        """The newest browser's page."""
        return self.chromium.tabs[-1]

    def events(self, proof_id: str) -> list[Any]:
        """What the attempt's record says."""
        if isinstance(self.store, MemoryStore):
            return self.store.events[proof_id]
        text = (self.evidence / proof_id / "attempt.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def held(self) -> tuple[int, int, int, int]:
        """Sessions live, workspaces, displays and browsers that are held now."""
        counts = (len(self.sessions), len(self.workspaces), len(self.displays))
        return (*counts, self.chromium.open_now)


async def code_of(call: Any) -> str:
    """Await a call that must fail; its code without the prefix."""
    try:
        reply = await call
    except Failure as failure:
        return failure.code.removeprefix("external-proof-")
    raise AssertionError(f"it succeeded: {reply}")


class MemoryStore:
    """Evidence that is kept in memory, without threads: a test knows when all is done.

    From the n-th write on it fails as a full disk does, where ``writes`` says so.
    """

    def __init__(self, *, writes: int = 10**9) -> None:
        self._left = writes
        self.events: dict[str, list[Any]] = {}
        self.frames: dict[tuple[str, str], bytes] = {}
        self.receipts: dict[str, bytes] = {}

    async def begin(self, proof_id: str) -> None:
        await self._spend("the evidence directory")
        self.events[proof_id] = []

    async def keep_frame(self, proof_id: str, sha256: str, png: bytes) -> None:
        await self._spend("a frame")
        self.frames[proof_id, sha256] = png

    async def append(self, proof_id: str, event: Event) -> None:
        await self._spend("an event")
        self.events[proof_id].append(json.loads(json.dumps(event)))

    async def keep_receipt(self, proof_id: str, receipt: bytes) -> None:
        await self._spend("the receipt")
        self.receipts[proof_id] = receipt

    async def read_frame(self, proof_id: str, sha256: str) -> bytes | None:
        await trio.lowlevel.checkpoint()
        return self.frames.get((proof_id, sha256))

    async def _spend(self, what: str) -> None:
        await trio.lowlevel.checkpoint()
        self._left -= 1
        if self._left < 0:
            raise EvidenceUnwritable(what, OSError(28, "No space left on device"))


class MemoryJournal:
    """The journal of batches, kept in memory: what was recorded, in order.

    While it is ``broken`` it fails as a full disk does.
    """

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []
        self.broken = False

    async def begin(self, proof_id: str, principal: str, origins: Sequence[str]) -> None:
        del proof_id
        await self.note("begun", principal, *origins)

    @asynccontextmanager
    async def batch(
        self, proof_id: str, sequence: int, actions: Sequence[Action]
    ) -> AsyncIterator[MemoryProgress]:
        del proof_id
        await self.note("granted", sequence, *(action.type for action in actions))
        try:
            yield MemoryProgress(self)
        except ActionFailed as failed:
            self.lines.append((failed.outcome.value, sequence))
            raise
        except BaseException:
            self.lines.append(("unknown", sequence))
            raise
        await self.note("completed", sequence)

    async def end(self, proof_id: str, end: End) -> None:
        del proof_id
        await self.note("ended", end.phase.value)

    async def note(self, *line: object) -> None:
        await trio.lowlevel.checkpoint()
        if self.broken:
            raise proof_failure("frame", "The disk of the state directory is full", "Make room.")
        self.lines.append(line)


class MemoryProgress:
    """How far a batch has come, among the lines of its journal."""

    def __init__(self, journal: MemoryJournal) -> None:
        self._journal = journal

    async def start(self, place: int) -> None:
        await self._journal.note("started", place)

    def end(self, place: int, status: ActionStatus) -> None:
        self._journal.lines.append((status.value, place))
