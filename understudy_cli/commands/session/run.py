"""``session run``: a whole evidence session by one command."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.errors import Failure
from protocol.evidence import verify_claims
from understudy_cli.commands.session.begin import begin
from understudy_cli.commands.session.delivery import PRIVATE, decode_picture, encode_receipt
from understudy_cli.commands.session.held import HeldSession
from understudy_cli.commands.session.observe import fetch_state
from understudy_cli.commands.session.plan import parse_plan, place_failure
from understudy_cli.commands.session.replies import format_load, format_page_events, format_results
from understudy_cli.progress import progress
from understudy_cli.render import format_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.commandline import Host
    from understudy_cli.commands.session.begin import Job
    from understudy_cli.documents import Document
    from understudy_cli.render import Output


@dataclass(frozen=True)
class Places:
    """Where a session's records are left."""

    receipt: str
    directory: str | None = None
    """Without one, only the receipt is left; the daemon keeps the rest."""

    @property
    def state(self) -> str | None:
        """The state document's file."""
        return None if self.directory is None else f"{self.directory}/state.json"

    @property
    def frames(self) -> str | None:
        """The frames' directory."""
        return None if self.directory is None else f"{self.directory}/frames"

    async def prepare(self, host: Host) -> None:
        """Make the directories, and make sure of the files, before anything starts."""
        if self.frames is not None and self.state is not None:
            await host.prepare(f"{self.frames}/")
            await host.prepare(self.state)
        await host.prepare(self.receipt)


@dataclass(frozen=True)
class Page:
    """The page that the session begins with, and how it is fenced."""

    url: str | None = None
    origins: Sequence[str] = ()
    viewport: str | None = None

    def fields(self) -> dict[str, object]:
        """Return the fields of a short begin."""
        named = {"url": self.url, "allowed_origins": self.origins, "viewport": self.viewport}
        return {name: value for name, value in named.items() if value}


@dataclass
class Done:
    """What a session has done so far."""

    proof_id: str
    results: list[Mapping[str, object]] = field(default_factory=list)
    page: Mapping[str, object] = field(default_factory=dict)
    state: bytes = b""
    """The state document of the observation."""

    def add(self, reply: Mapping[str, object]) -> None:
        """Take the results, numbered through the session, and the page's events from a reply."""
        page = reply.get("understudy")
        if not isinstance(page, dict):
            return
        actions = page.get("actions")
        for result in actions if isinstance(actions, list) else []:
            self.results.append({**result, "index": len(self.results)})
        self.page = {name: value for name, value in page.items() if name != "actions"}


@dataclass(frozen=True)
class RunOptions:
    """A job, a page, the actions, the claims, and where the records go."""

    job: Job
    page: Page
    actions: Document
    claims: Document
    places: Places
    output: Output
    attempt: str | None = None

    @property
    def writes(self) -> bool:
        """It starts and ends a session."""
        return True

    @property
    def ask(self) -> str:
        """See Invocation."""
        return "understudy session list"

    async def run(self, host: Host) -> int:
        """Check everything, then do all phases; leave the records and say where."""
        batches = await self._plan(host)
        claims = await self.claims.read_text(host)
        verify_claims(claims)
        await self.places.prepare(host)
        begun = await begin(host, self.job, self.attempt, self.page.fields())
        session, done = HeldSession(host, begun), Done(str(begun["proofId"]))
        try:
            receipt = await self._go_through(host, session, batches, claims, done)
        except Failure as failure:
            raise await session.give_up(failure) from failure
        try:
            await self._end(host, session, receipt, done.state)
            frames = await self._keep_frames(host, session, receipt)
        except Failure as failure:
            raise _finished_all_the_same(failure, session.proof_id) from failure
        return await self._report(host, done, receipt, frames)

    async def _plan(self, host: Host) -> tuple[str, ...]:
        text = await self.actions.read_text(host)
        page = self.page
        return parse_plan(text, url=page.url, origins=page.origins, viewport=page.viewport)

    async def _go_through(
        self, host: Host, session: HeldSession, batches: Sequence[str], claims: str, done: Done
    ) -> Mapping[str, object]:
        for number, batch in enumerate(batches):
            doing = f"acting, batch {number + 1} of {len(batches)}"
            try:
                done.add(await session.do("actions", doing, actions_json=batch))
            except Failure as failure:
                raise place_failure(failure, number) from failure
        await session.do("freeze", "freezing")
        # written with the rest, at the end: a caller who went away must not end the session
        done.state = await fetch_state(host, session.proof_id)
        digest = hashlib.sha256(done.state).hexdigest()
        seen = await session.do("observe", "observing", pre_observation_sha256=digest)
        observed = _member(seen, "frame")["sha256"]
        made = await session.do(
            "finish", "making the receipt", observation_sha256=observed, claims_json=claims
        )
        return _member(made, "receipt")

    async def _end(
        self, host: Host, session: HeldSession, receipt: Mapping[str, object], state: bytes
    ) -> None:
        """Write receipt and state, and close the session even when that fails."""
        try:
            await host.write(self.places.receipt, encode_receipt(receipt), PRIVATE)
            if self.places.state is not None:
                await host.write(self.places.state, state, PRIVATE)
        finally:
            await session.do("close", "closing")

    async def _keep_frames(
        self, host: Host, session: HeldSession, receipt: Mapping[str, object]
    ) -> list[str]:
        if self.places.frames is None:
            return []
        kept = []
        async with progress(host, "keeping the frames"):
            for sha256 in list_frames(receipt):
                path = f"{self.places.frames}/{sha256}.png"
                await host.write(path, await _fetch_frame(host, session, sha256), PRIVATE)
                kept.append(path)
        return kept

    async def _report(
        self, host: Host, done: Done, receipt: Mapping[str, object], frames: Sequence[str]
    ) -> int:
        files = {"receipt": self.places.receipt, "state": self.places.state, "frames": frames}
        reply = {
            "ok": True,
            "proofId": done.proof_id,
            "receiptId": receipt.get("receiptId"),
            "actions": done.results,
            "files": files,
            "understudy": done.page,
        }
        return await self.output.report(host, reply, self._format(done, receipt, frames))

    def _format(self, done: Done, receipt: Mapping[str, object], frames: Sequence[str]) -> str:
        places = self.places
        load = done.page.get("load")
        facts = [
            ("url", format_load(load) if isinstance(load, dict) else None),
            ("proofId", done.proof_id),
            ("receiptId", receipt.get("receiptId")),
            ("actions", count_statuses(done.results)),
            ("receipt", places.receipt),
            ("state", places.state),
            ("frames", f"{places.frames} ({len(frames)})" if places.frames else None),
        ]
        acted = format_results({"actions": done.results}) + format_page_events(done.page)
        return acted + format_facts(facts)


def parse_places(receipt: str | None, directory: str | None) -> Places:
    """Return where the records go; usage failure when nothing would be left."""
    if directory is not None:
        directory = directory.rstrip("/") or "/"
        return Places(receipt if receipt is not None else f"{directory}/receipt.json", directory)
    if receipt is None:
        raise Failure(
            "usage",
            "nothing says where the receipt goes",
            "give --receipt FILE, or --out DIR for the frames and the state too",
        )
    return Places(receipt)


def list_frames(receipt: Mapping[str, object]) -> list[str]:
    """Return the digests of a receipt's frames, each once, in order."""
    transcript = receipt.get("transcript")
    events = transcript if isinstance(transcript, list) else []
    return list(dict.fromkeys(str(event["detail"]["frameSha256"]) for event in events))


def count_statuses(results: Sequence[Mapping[str, object]]) -> str:
    """Return how many actions there were, and how many of each status."""
    counts = Counter(str(result["status"]) for result in results)
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return f"{len(results)} ({told})"


def _finished_all_the_same(failure: Failure, proof_id: str) -> Failure:
    return Failure(
        failure.code,
        f"{failure.message}; session {proof_id} itself was finished",
        f"{failure.hint}; the daemon keeps receipt and frames in evidence/{proof_id}"
        ' of its state directory ("understudy daemon status" names it)',
    )


async def _fetch_frame(host: Host, session: HeldSession, sha256: str) -> bytes:
    params = {"proof_id": session.proof_id, "sha256": sha256}
    reply = await host.call("session.frame", params)
    picture = decode_picture(reply.get("frame"))
    if hashlib.sha256(picture).hexdigest() != sha256:
        raise Failure("internal", f"frame {sha256} came back changed", "look into the daemon's log")
    return picture


def _member(reply: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = reply.get(name)
    if not isinstance(value, dict):
        raise Failure("internal", f"the daemon's answer holds no {name}", "look into its log")
    return value
