"""A write with what is to come of it: what was so before it, and what is so after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from daemon.everyday.performer import DialogMet, PageFailed
from protocol.command_failures import CommandFailed
from protocol.commands import Wait, WaitFor, Write
from protocol.writes import Status

if TYPE_CHECKING:
    from daemon.everyday.performer import Act, Done, Performer
    from daemon.tab import Under
    from protocol.commands import Command, Expectation
    from protocol.targets import Target

EXPECT_MS = 5_000
"""How long what a write was expected to bring about may take."""

_EXPECTED = {
    WaitFor.URL: "an address",
    WaitFor.TEXT: "a text",
    WaitFor.TEXT_GONE: "that a text goes",
    WaitFor.STATE: "a state",
}


def expected_seconds(command: Command) -> float:
    """Return how long what is expected of a command may take."""
    return EXPECT_MS / 1000 if isinstance(command, Write) and command.expect else 0.0


def act_of(command: Write, performer: Performer) -> Act:
    """Return the act of a write, with what is expected of it if anything is."""
    act = performer.act(command)
    if command.expect is None:
        return act
    return ExpectedAct(act, command, command.expect, performer)


class ExpectedAct:
    """An act that is ``ok`` when what was expected came of it, and failed when it stays away.

    What was so before it is no proof: then the act is as it would be without.
    """

    def __init__(
        self, act: Act, command: Write, expected: Expectation, performer: Performer
    ) -> None:
        self._act = act
        self._expected = expected
        self._performer = performer
        self._command = command
        self._was_so = False

    async def prepare(self) -> Under | None:
        """See Act."""
        self._was_so = await self._is_so()
        return await self._act.prepare()

    async def perform(self, then: Act | None = None) -> Done:  # noqa: ARG002 - it waits in between
        """See Act; CommandFailed ``expectation_failed`` too."""
        before = self._performer.sent_count
        try:
            done = await self._act.perform()
            if done.status is Status.FAILED:
                return done
            await self._await()
        except DialogMet as met:
            if self._performer.sent_count == before:
                raise
            raise self._unseen() from met
        if self._was_so:
            return replace(done, seen={**done.seen, "expected": "it was so before"})
        return replace(done, status=Status.OK)

    @property
    def _wait(self) -> Wait:
        expected, target = self._expected, _target_of(self._expected, self._command)
        return Wait(
            "wait", expected.wanted, value=expected.value, target=target, timeout_ms=EXPECT_MS
        )

    async def _is_so(self) -> bool:
        wait = self._wait
        try:
            await self._performer.look(wait, timeout_s=0)
        except PageFailed:
            return False
        except CommandFailed as failure:
            if failure.code == "selector_invalid":
                raise  # no wait can make it true: nothing is to be sent
            return False
        return True

    async def _await(self) -> None:
        try:
            await self._performer.look(self._wait, timeout_s=EXPECT_MS / 1000)
        except CommandFailed as failure:
            raise CommandFailed(
                "expectation_failed",
                f"The action was done, and what was expected ({self._words}) did not"
                f" come within {EXPECT_MS / 1000:g} s",
                seen=failure.details.get("seen"),
            ) from failure

    def _unseen(self) -> CommandFailed:
        return CommandFailed(
            "expectation_failed",
            "The action was done, and a dialog opened before what was expected"
            f" ({self._words}) could be seen",
        )

    @property
    def _words(self) -> str:
        return _EXPECTED[self._expected.wanted]


def _target_of(expected: Expectation, command: Command) -> Target | None:
    if expected.wanted is not WaitFor.STATE or expected.target is not None:
        return expected.target
    if not command.targets:
        raise CommandFailed(
            "expectation_failed", "A state is expected, and there is no element to have it"
        )
    return command.targets[0]
