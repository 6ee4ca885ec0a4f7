"""All evidence sessions of this daemon: admission, lookup, tombstones.

At most eight live at once. A display, a workspace or an attempt is in at most one.
An ended session answers its own actor for an hour; absent, foreign and forgotten
ones get the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from daemon.displays import Mint, mint_id
from daemon.fence import decide_origins
from daemon.session import EvidenceSession, Identity
from daemon.session_replies import session_summary, with_status
from daemon.session_resources import GivenWorkspace, OwnWorkspace, in_proof_words
from daemon.workspaces import BOUNDED_CU, WorkspaceOrder
from protocol.errors import Failure, proof_failure
from protocol.evidence import not_found, open_session
from protocol.evidence_session import MAX_SESSIONS, Moment
from protocol.messages import Begin, ShortBegin, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    import trio

    from daemon.dispatch import Reply
    from daemon.evidence_recovery import Tombstone
    from daemon.session import Means, Resources
    from daemon.workspaces import Workspaces
    from protocol.actors import Actor
    from protocol.messages import Call, Request
    from protocol.viewports import Viewport

    Begun = tuple[EvidenceSession, Reply]

MOST_TOMBSTONES = 1024
"""Ended sessions that still answer; beyond it the oldest is forgotten before its hour."""


class EvidenceSessions:
    """The evidence sessions of this daemon, by proof id."""

    def __init__(
        self,
        nursery: trio.Nursery,
        workspaces: Workspaces,
        means: Means,
        policy_origins: Sequence[str] = (),
        mint: Mint = mint_id,
    ) -> None:
        self._nursery = nursery
        self._workspaces = workspaces
        self._means = means
        self._policy_origins = policy_origins
        self._mint = mint
        self._sessions: dict[str, EvidenceSession] = {}
        self._tombstones: dict[str, Tombstone] = {}

    def __len__(self) -> int:
        """Return how many live."""
        return sum(session.state.end is None for session in self._sessions.values())

    def remember(self, tombstones: Sequence[Tombstone]) -> None:
        """Let sessions of an earlier daemon answer as ended ones."""
        self._tombstones = {one.proof_id: one for one in tombstones}

    async def request(self, actor: Actor, request: Request, *, browser: str = "") -> Reply:
        """Answer one parsed request. Raises Failure.

        A browser of a session's own is the one named, as in `BrowserOrder`.
        """
        self._forget_old()
        if isinstance(request, Begin):
            session, reply = await self._begin_given(actor, request)
        elif isinstance(request, ShortBegin):
            session, reply = await self._begin_own(actor, request, browser)
        else:
            self._verify_known(actor, request)
            session = self._sessions[request.proof_id]
            reply = await session.call(actor.principal_id, request)
        return await with_status(session, reply)

    def list(self, actor: Actor) -> list[dict[str, object]]:
        """Return the caller's sessions, live and ended, newest first."""
        self._forget_old()
        mine = (
            session_summary(session)
            for session in reversed(self._sessions.values())
            if session.identity.actor.principal_id == actor.principal_id
        )
        earlier = [
            dict(one.summary)
            for one in self._tombstones.values()
            if one.state.principal == actor.principal_id
        ]
        # they are kept in the order of their ends
        earlier.sort(key=lambda summary: str(summary.get("startedAt")), reverse=True)
        return [*mine, *earlier]

    def find(self, actor: Actor, proof_id: str) -> EvidenceSession:
        """Return a session of the caller that this daemon has had, live or ended.

        Raises SessionEnded for one of an earlier daemon, Failure ``not-found``.
        """
        self._forget_old()
        self._verify_known(actor, Status(proof_id))
        session = self._sessions[proof_id]
        if session.identity.actor.principal_id != actor.principal_id:
            raise not_found()
        return session

    def has_had(self, actor: Actor, proof_id: str) -> bool:
        """Whether a session is or was the caller's, and answers still."""
        self._forget_old()
        session, tombstone = self._sessions.get(proof_id), self._tombstones.get(proof_id)
        whose = session.identity.actor.principal_id if session else None
        return actor.principal_id in {whose, tombstone.state.principal if tombstone else None}

    def _verify_known(self, actor: Actor, request: Call) -> None:
        tombstone = self._tombstones.get(request.proof_id)
        if tombstone is not None:
            tombstone.answer(actor.principal_id, request, self._now())
        if request.proof_id not in self._sessions:
            raise not_found()

    # --- begin ----------------------------------------------------------------------

    async def _begin_given(self, actor: Actor, begin: Begin) -> Begun:
        resources = GivenWorkspace(self._workspaces, actor.principal_id, begin)
        order = resources.admit().order
        self._verify_free(begin.attempt_id)
        return await self._begin(actor, begin, resources, order.viewport, order.origins)

    async def _begin_own(self, actor: Actor, begin: ShortBegin, browser: str) -> Begun:
        try:
            origins = decide_origins(begin.url, begin.allowed_origins, self._policy_origins)
        except Failure as failure:
            raise in_proof_words(failure) from None
        self._verify_free(begin.attempt_id)
        order = WorkspaceOrder(
            begin.viewport,
            origins,
            url=begin.url,
            holder=begin.attempt_id,
            holder_kind=BOUNDED_CU,
            browser=browser,
        )
        resources = OwnWorkspace(self._workspaces, actor.principal_id, begin, order)
        return await self._begin(actor, begin, resources, begin.viewport, origins)

    async def _begin(
        self,
        actor: Actor,
        begin: Begin | ShortBegin,
        resources: Resources,
        viewport: Viewport,
        origins: tuple[str, ...],
    ) -> Begun:
        proof_id = self._mint("ecup-")
        opened = open_session(actor.principal_id, viewport, origins, self._now())
        identity = Identity(proof_id, actor, begin.attempt_id)
        session = EvidenceSession(identity, opened, resources, self._means)
        self._sessions[proof_id] = session
        resources.hold(proof_id)
        await self._nursery.start(session.live)
        return session, await session.begin()

    def _verify_free(self, attempt_id: str) -> None:
        if len(self) >= MAX_SESSIONS:
            raise _busy(f"{MAX_SESSIONS} evidence sessions are live, which is the limit")
        live = (s for s in self._sessions.values() if s.state.end is None)
        if any(session.identity.attempt_id == attempt_id for session in live):
            raise _busy("the attempt is in another session")

    # --- the end --------------------------------------------------------------------

    def _now(self) -> Moment:
        return Moment(self._means.clock.boot_s(), self._means.clock.utc_ms() / 1000)

    def _forget_old(self) -> None:
        now = self._now()
        ended = [s for s in self._sessions.values() if s.state.end is not None]
        for place, session in enumerate(reversed(ended)):
            if session.state.is_forgotten(now) or place >= MOST_TOMBSTONES:
                del self._sessions[session.identity.proof_id]
        for tombstone in list(self._tombstones.values()):
            if tombstone.state.is_forgotten(now):
                del self._tombstones[tombstone.proof_id]


def _busy(condition: str) -> Failure:
    return proof_failure("busy", f"No session can begin: {condition}", "End one, or wait.")
