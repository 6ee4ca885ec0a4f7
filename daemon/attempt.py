"""What one evidence session does in its tab, operation by operation, and records.

`protocol.evidence` decides whether and when an operation runs, `daemon.session`
runs it; here is the work itself. Each operation returns once its evidence is on
disk. What breaks raises Failure, and the session is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from daemon.performer import batch_seconds, perform_framed
from daemon.tab import TabGone, TabRefused
from protocol.canonical import encode_canonical
from protocol.errors import Failure, proof_failure
from protocol.evidence_session import ActionOutcome, tell_done
from protocol.receipts import ActionStatus, Binding, Record, format_time, open_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daemon.clock import Clock
    from daemon.evidence_journal import Progress
    from daemon.performer import Performed
    from daemon.recorder import Recorder
    from daemon.tab import Picture, Tab
    from daemon.workspaces import Workspace
    from protocol.actions import Action
    from protocol.actors import Actor


class ActionFailed(Failure):
    """An action of a batch failed, which ends the session; ``index`` is its place in it.

    ``outcome`` is unknown when nobody saw whether it was done.
    """

    def __init__(self, index: int, action: Action, detail: str, outcome: ActionOutcome) -> None:
        name = f"Action {index} ({action.type})"
        known = "failed" if outcome is ActionOutcome.FAILED else "has an unknown outcome"
        before = f"; {tell_done(index)}" if index else ""
        failure = proof_failure(
            "action-failed",
            f"{name} {known}: {detail}{before}",
            "No receipt comes of this session; begin a new attempt.",
        )
        super().__init__(failure.code, failure.message, failure.hint)
        self.index = index
        self.outcome = outcome


@dataclass(frozen=True)
class ActionResult:
    """How one action of a batch ended, for the caller. Nothing of it enters a receipt."""

    index: int
    action: Action
    status: ActionStatus
    detail: str
    frame_sha256: str | None

    def wire(self) -> dict[str, object]:
        """Return one element of ``understudy.actions``."""
        return {
            "index": self.index,
            "type": self.action.type,
            "status": self.status.value,
            "detail": self.detail,
            "frameSha256": self.frame_sha256,
        }


class Attempt:
    """The work of one session. The methods are called one at a time, in order of the phases."""

    def __init__(self, actor: Actor, clock: Clock, recorder: Recorder) -> None:
        self._actor = actor
        self._clock = clock
        self._recorder = recorder
        self._began_s = clock.boot_s()
        self._began_ms = clock.utc_ms()
        self._record: Record | None = None
        self.tab: Tab | None = None
        self.picture: Picture | None = None
        """The newest whole frame; dropped when the session is over."""
        self.results: list[ActionResult] = []
        """Those of the newest batch."""
        self.receipt: dict[str, object] | None = None

    @property
    def binding(self) -> dict[str, object] | None:
        """The binding as replies have it; None while the session is set up."""
        return None if self._record is None else self._record.binding.wire()

    @property
    def began_at(self) -> str:
        """When begin started, RFC 3339."""
        return format_time(self._began_ms)

    async def open(self, proof_id: str, binding: Binding, workspace: Workspace) -> None:
        """Take the workspace's page and its first frame."""
        try:
            self.tab = workspace.tab
        except Failure as gone:
            raise proof_failure("binding", gone.message, gone.hint) from gone
        picture = await self._capture(self.tab)
        self._record = open_record(
            proof_id, binding, dict(self._actor.wire()), self._began_ms, picture.frame
        )
        await self._keep(
            picture,
            event="begun",
            proofId=proof_id,
            binding=binding.wire(),
            actor=dict(self._actor.wire()),
            workspace=workspace.wire(),
            frameSha256=picture.frame.sha256,
        )
        await self._recorder.flush()

    async def act(self, actions: Sequence[Action], progress: Progress) -> None:
        """Run a batch; raises `ActionFailed` for the first action that fails."""
        tab, index = self._open_tab(), 0
        self.results = []
        with trio.move_on_after(batch_seconds(actions)) as scope:
            for index, action in enumerate(actions):
                await progress.start(index)
                status = await self._act_once(index, action, tab)
                progress.end(index, status)
                if status is ActionStatus.FAILED:
                    detail = self.results[-1].detail
                    raise ActionFailed(index, action, detail, ActionOutcome.FAILED)
            await self._recorder.flush()
        if scope.cancelled_caught:
            detail = "the batch ran out of time"
            raise ActionFailed(index, actions[index], detail, ActionOutcome.UNKNOWN)

    async def freeze(self) -> None:
        """Close every input door for good; the last frame stands."""
        tab, record = self._open_tab(), self._open_record()
        tab.seal()
        if tab.dialog_open.is_set():
            raise proof_failure(
                "phase", "A dialog is open, which nothing may answer now", "Begin a new attempt."
            )
        self._record = record.frozen(self._clock.utc_ms())
        await self._keep(None, event="frozen", frameSha256=record.frame.sha256)
        await self._recorder.flush()

    async def observe(self, pre_observation_sha256: str) -> str:
        """Take the one fresh frame; returns its digest."""
        picture = await self._capture(self._open_tab())
        self._record = self._open_record().observed(
            self._clock.utc_ms(), picture.frame, pre_observation_sha256
        )
        await self._keep(
            picture,
            event="observed",
            preObservationSha256=pre_observation_sha256,
            frameSha256=picture.frame.sha256,
        )
        await self._recorder.flush()
        return picture.frame.sha256

    async def finish(self, claims_json: str) -> str:
        """Build the receipt and keep it; returns its id."""
        elapsed_ms = int((self._clock.boot_s() - self._began_s) * 1000)
        receipt = self._open_record().finished(self._clock.utc_ms(), elapsed_ms, claims_json)
        receipt_id = str(receipt["receiptId"])
        # in this order: a record that tells of a receipt is believed after a kill
        await self._recorder.keep_receipt(encode_canonical(receipt).encode())
        await self._keep(None, event="finished", receiptId=receipt_id)
        await self._recorder.flush()
        self.receipt = receipt
        return receipt_id

    def let_go(self) -> None:
        """Forget the page and its picture; the session is over."""
        self.tab = self.picture = None

    # --- one action -------------------------------------------------------------

    async def _act_once(self, index: int, action: Action, tab: Tab) -> ActionStatus:
        try:
            done = await perform_framed(action, tab)
        except TabGone as gone:
            raise ActionFailed(index, action, str(gone), ActionOutcome.UNKNOWN) from gone
        except TabRefused as refused:
            detail = "the page is sealed"
            raise ActionFailed(index, action, detail, ActionOutcome.FAILED) from refused
        await self._note(index, done)
        return done.outcome.status

    async def _note(self, index: int, done: Performed) -> None:
        sha256 = done.picture.frame.sha256 if done.picture else None
        status = done.outcome.status
        self.results.append(ActionResult(index, done.action, status, done.outcome.detail, sha256))
        if done.picture is not None:
            self._record = self._open_record().acted(done.action, status, done.picture.frame)
        await self._keep(
            done.picture,
            event="action",
            action=done.action.projection(),
            input=done.action.is_input,
            status=status.value,
            detail=done.outcome.detail,
            under=done.outcome.under.wire() if done.outcome.under else None,
            frameSha256=sha256,
        )

    async def _keep(self, picture: Picture | None, **event: object) -> None:
        if picture is not None:
            await self._recorder.keep_frame(picture)
            self.picture = picture
        await self._recorder.append({"at": format_time(self._clock.utc_ms()), **event})

    async def _capture(self, tab: Tab) -> Picture:
        try:
            return await tab.capture()
        except TabGone as gone:
            raise proof_failure(
                "closed", f"The page cannot be captured: {gone}", "Begin a new attempt."
            ) from gone

    def _open_tab(self) -> Tab:
        if self.tab is None:
            raise AssertionError("the attempt has no tab")
        return self.tab

    def _open_record(self) -> Record:
        if self._record is None:
            raise AssertionError("the attempt has no record")
        return self._record
