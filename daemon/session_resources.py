"""How an evidence session comes to its workspace: given by the caller, or its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import trio

from daemon.workspaces import BOUNDED_CU, Cleanup, Workspace, WorkspacePhase, Workspaces
from protocol.errors import Failure, proof_failure
from protocol.receipts import Binding

if TYPE_CHECKING:
    from daemon.workspaces import WorkspaceOrder
    from protocol.messages import Begin, ShortBegin

_PROOF_NAMES = {
    "action_failed": "action-failed",
    "capacity": "busy",
    "conflict": "busy",
    "invalid_request": "binding",
    "not_found": "binding",
    "gone": "binding",
}


def in_proof_words(failure: Failure) -> Failure:
    """Return a workspace's failure as an evidence session tells it.

    ``origin``, ``policy``, ``browser_unavailable`` and ``display_exhausted`` have no
    word there and stay.
    """
    name = _PROOF_NAMES.get(failure.code)
    return failure if name is None else proof_failure(name, failure.message, failure.hint)


class GivenWorkspace:
    """A workspace that the caller made and acquired; it outlives the session."""

    def __init__(self, workspaces: Workspaces, owner: str, begin: Begin) -> None:
        self._workspaces = workspaces
        self._owner = owner
        self._begin = begin
        self._workspace: Workspace | None = None
        self.cleanup = Cleanup.NOT_DUE

    def admit(self) -> Workspace:
        """Return the workspace if the session may be bound to it.

        Raises Failure ``binding``, or ``busy`` when another session is on it.
        """
        begin = self._begin
        try:
            workspace = self._workspaces.get(self._owner, begin.workspace_id)
        except Failure:
            _refuse("there is no such workspace", "see `understudy workspace list`")
        if workspace.display.display_id != begin.display_id:
            _refuse("the workspace is on another display", "name the workspace's own display")
        if workspace.display.generation != begin.capture_generation:
            _refuse(
                "the capture generation is not the workspace's present one",
                "take it from `understudy workspace list`",
            )
        _verify_holder(workspace, begin.attempt_id)
        if workspace.session is not None:
            raise proof_failure(
                "busy", "The workspace and its display are in another session", "End that one."
            )
        if workspace.phase is not WorkspacePhase.READY or workspace.tab.sealed:
            _refuse(
                "the workspace's page is gone, or was frozen by an earlier session",
                "close the workspace and create another",
            )
        return workspace

    def hold(self, proof_id: str) -> None:
        """Keep every other session from the workspace."""
        self._workspace = self.admit()
        self._workspace.session = proof_id

    async def take(self) -> tuple[Workspace, Binding]:
        """Return the workspace and the binding that the caller asked for."""
        begin, workspace = self._begin, self._workspace
        if workspace is None:
            raise AssertionError("no workspace was held")
        await trio.lowlevel.checkpoint()
        binding = Binding(
            begin.attempt_id,
            begin.workspace_id,
            begin.display_id,
            begin.capture_generation,
            begin.job_sha256,
        )
        return workspace, binding

    async def free(self) -> None:
        """Let other sessions have the workspace."""
        if self._workspace is not None:
            self._workspace.session = None
        self.cleanup = Cleanup.DONE


class OwnWorkspace:
    """A workspace, display and browser made for one session; they end with it."""

    def __init__(
        self, workspaces: Workspaces, owner: str, begin: ShortBegin, order: WorkspaceOrder
    ) -> None:
        self._workspaces = workspaces
        self._owner = owner
        self._begin = begin
        self._order = order
        self._proof_id = ""
        self._workspace: Workspace | None = None
        self._freed = False

    def hold(self, proof_id: str) -> None:
        """Note whose workspace it will be."""
        self._proof_id = proof_id

    async def take(self) -> tuple[Workspace, Binding]:
        """Open the workspace and load its url."""
        begin = self._begin
        try:
            workspace = await self._workspaces.create(self._owner, self._order)
        except Failure as failure:
            raise in_proof_words(failure) from failure
        workspace.session = self._proof_id
        self._workspace = workspace
        display = workspace.display
        binding = Binding(
            begin.attempt_id,
            workspace.workspace_id,
            display.display_id,
            display.generation,
            begin.job_sha256,
        )
        return workspace, binding

    async def free(self) -> None:
        """End the workspace; its browser's remains are cleared in the background."""
        self._freed = True
        if self._workspace is not None:
            await self._workspaces.end(self._workspace)

    @property
    def cleanup(self) -> Cleanup:
        """How far the end has come."""
        if not self._freed:
            return Cleanup.NOT_DUE
        if self._workspace is None:
            return Cleanup.DONE
        done = self._workspace.cleanup
        return Cleanup.PENDING if done is Cleanup.NOT_DUE else done


def _verify_holder(workspace: Workspace, attempt_id: str) -> None:
    if workspace.holder_kind != BOUNDED_CU:
        _refuse(
            f"the workspace's holder kind is not {BOUNDED_CU}",
            "acquire it: understudy workspace acquire --holder ATTEMPT",
        )
    if workspace.holder != attempt_id:
        _refuse(
            "the workspace's holder is not the attempt",
            "acquire it: understudy workspace acquire --holder ATTEMPT",
        )


def _refuse(condition: str, hint: str) -> NoReturn:
    raise proof_failure("binding", f"The session cannot be bound: {condition}", hint)
