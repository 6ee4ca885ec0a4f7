"""At most once, through every crash: the write path between a page, a disk and a caller.

A small world drives the machine as the daemon does and branches on whatever may happen
next: a record that is kept, refused, or written although it was refused; pre-flight that
passes or not; input that leaves; ends, deadlines, a lost browser. In each world that can
come about the daemon is killed (what was written stays) and the power fails (only what
was synced is sure to stay); what the next start says is held against what really
happened. Named mutants of machine, driver and disk show that it bites.
"""

from dataclasses import dataclass, replace

import pytest

from protocol.admission import Circumstances, Execute, Known, Replay, decide_admission
from protocol.writes import (
    ACTIVE,
    Act,
    Answer,
    Attempt,
    Block,
    Broke,
    Check,
    Checked,
    DeadlinePassed,
    Ended,
    Kept,
    Kind,
    Record,
    Result,
    Sent,
    SessionEnded,
    State,
    Status,
    Unkept,
    decide_step,
    failed,
    open_attempt,
    recovered,
)

OK = Result(Status.OK)
SYNCED = frozenset({State.GRANTED, State.COMPLETED})
Row = tuple[State, Result | None] | None


@dataclass(frozen=True)
class World:
    """Everything that is the case. ``rows`` are those that a power cut may leave."""

    attempt: Attempt
    asked: Record | None
    written: Row = None
    rows: frozenset[Row] = frozenset({None})
    checking: bool = False
    acting: bool = False
    inputs: int = 0
    blocked: bool = False
    reply: Answer | None = None


class Rules:
    """What is under test: the machine, the recovery, and where the disk is synced."""

    def __init__(self, step=decide_step, recover=recovered, synced=SYNCED):
        self.step, self.recover, self.synced = step, recover, synced

    def first(self, kind):
        attempt, (record,) = open_attempt(kind)
        return World(attempt, record)

    def after(self, world, event):
        attempt, effects = self.step(world.attempt, event)
        world = replace(world, attempt=attempt)
        if attempt.ending is not None:
            world = replace(world, acting=False, checking=False)  # the daemon stops what runs
        for effect in effects:
            world = self.perform(world, effect)
        return world

    def perform(self, world, effect):
        assert world.reply is None, "nothing may follow the answer"
        if isinstance(effect, Record):
            assert world.asked is None
            return replace(world, asked=effect)
        if isinstance(effect, Check):
            return replace(world, checking=True)
        if isinstance(effect, Act):
            return self.act(world)
        if isinstance(effect, Block):
            return replace(world, blocked=True)
        return replace(world, reply=effect)

    def act(self, world):
        if world.attempt.kind is Kind.WRITE:
            assert all(row and row[0] is State.GRANTED for row in world.rows), "not on disk"
        assert not world.acting
        return replace(world, acting=True)

    def next_worlds(self, world):
        if world.asked:
            yield from self.record(world, world.asked)
        if world.checking:
            checked = replace(world, checking=False)
            yield self.after(checked, Checked())
            yield self.after(checked, Ended(failed("ref_stale")))
        if world.acting:
            yield from self.act_on(world)
        if world.reply is None:
            for event in (DeadlinePassed(), SessionEnded(), Broke("tab_gone")):
                yield self.after(world, event)

    def record(self, world, record):
        """The row is written, written and yet refused, or refused."""
        world = replace(world, asked=None)
        row = (record.state, record.result)
        synced = record.state in self.synced and world.attempt.kind is Kind.WRITE
        may_stay = frozenset({row}) if synced else world.rows | {row}
        yield self.after(replace(world, written=row, rows=may_stay), Kept())
        yield self.after(replace(world, written=row, rows=world.rows | {row}), Unkept("store_full"))
        yield self.after(world, Unkept("store_full"))

    def act_on(self, world):
        if world.attempt.kind is Kind.WRITE and not world.inputs:
            sent = self.after(world, Sent())
            yield sent  # the daemon may be killed between its word and the byte
            yield replace(sent, inputs=1)
        elif world.attempt.kind is Kind.WRITE:
            yield self.after(replace(world, acting=False), Ended(Result(Status.INJECTED)))
        done = replace(world, acting=False)
        yield self.after(done, Ended(OK))
        yield self.after(done, Ended(failed("landed_elsewhere")))


def crash(rules, world):
    """Kill the daemon, and cut the power, and look at what the next start says."""
    for row in {world.written} | world.rows:
        if row is None:
            check_nothing_said(world)
            continue
        state, result = row
        said = rules.recover(state, world.attempt.kind)
        assert said is not State.COMPLETED or state is State.COMPLETED, "nobody saw it end"
        check_said(world, said, result)


def check_nothing_said(world):
    """There is no row: it is as if the id had never been sent, so nothing may have been done."""
    assert world.inputs == 0, "it acted and there is no record of it"
    if world.reply and world.attempt.kind is Kind.WRITE:
        assert world.reply.state is State.NOT_STARTED


def check_said(world, said, result):
    known = Known("f", 1, said, result)
    decision = decide_admission(known, "f", world.attempt.kind, Circumstances())
    assert said not in ACTIVE, "a start leaves nothing open"
    if world.inputs:
        assert not isinstance(decision, Execute), "it would act twice"
    if isinstance(decision, Replay):
        assert said is State.COMPLETED
        assert result is not None
    if world.reply is None:
        return
    told = world.reply
    if told.state is State.COMPLETED and world.attempt.kind is Kind.WRITE:
        assert (said, result) == (State.COMPLETED, told.result), "it was told otherwise"
    if told.state is State.NOT_STARTED:
        assert world.inputs == 0
    if told.state is State.UNKNOWN:
        assert said in {State.UNKNOWN, State.COMPLETED}
        assert world.blocked
    if told.state is State.TIMED_OUT:
        assert world.attempt.kind is not Kind.WRITE


def explore(rules, kinds=tuple(Kind)):
    seen, waiting = set(), [rules.first(kind) for kind in kinds]
    while waiting:
        world = waiting.pop()
        if world in seen:
            continue
        seen.add(world)
        crash(rules, world)
        nexts = list(rules.next_worlds(world))
        assert nexts or world.reply, "it hangs"
        waiting.extend(nexts)
        assert len(seen) < 20_000, "the worlds do not end"
    return seen


def test_no_crash_makes_a_write_happen_twice_or_denies_that_it_happened():
    worlds = explore(Rules())
    replies = {(world.attempt.kind, world.reply.state) for world in worlds if world.reply}
    ends = (State.COMPLETED, State.NOT_STARTED, State.UNKNOWN)
    assert {(Kind.WRITE, state) for state in ends} <= replies
    assert {(Kind.READ, State.COMPLETED), (Kind.READ, State.TIMED_OUT)} <= replies
    assert not {(Kind.READ, State.UNKNOWN), (Kind.WRITE, State.TIMED_OUT)} & replies
    assert all(not world.inputs or world.attempt.kind is Kind.WRITE for world in worlds)
    assert any(world.inputs and not world.reply for world in worlds)
    assert len(worlds) > 200


def perform_before_record(attempt, event):
    """Act as soon as pre-flight has passed, while the grant is still on its way to the disk."""
    if isinstance(event, Checked) and attempt.recording is State.GRANTED:
        return replace(attempt, checked=True), (Act(),)
    if isinstance(event, Sent):
        return replace(attempt, sent=True), ()
    return decide_step(attempt, event)


def reply_before_completion(attempt, event):
    after, effects = decide_step(attempt, event)
    if isinstance(event, Ended) and after.recording is State.COMPLETED:
        return after, (*effects, Answer(State.COMPLETED, event.result))
    if isinstance(event, Kept) and after.answered:
        return after, ()
    return after, effects


def unrecorded_completion_is_told(attempt, event):
    after, effects = decide_step(attempt, event)
    if isinstance(event, Unkept) and attempt.recording is State.COMPLETED:
        after = replace(after, answered=True, recording=None)
        return after, (Answer(State.COMPLETED, attempt.result),)
    return after, effects


def refused_grant_is_ignored(attempt, event):
    if isinstance(event, Unkept) and attempt.recording is State.GRANTED and not attempt.ending:
        return decide_step(attempt, Kept())
    return decide_step(attempt, event)


def sent_and_stopped_is_not_started(attempt, event):
    after, effects = decide_step(attempt, event)
    if after.ending is State.UNKNOWN and after.recording is State.UNKNOWN and not after.answered:
        after = replace(after, ending=State.NOT_STARTED, recording=State.NOT_STARTED)
        return after, (Record(State.NOT_STARTED),)
    return after, effects


def recovery_re_performs(state, kind):
    return State.NOT_STARTED if state in ACTIVE else state


def recovery_leaves_it_open(state, kind):
    return state


def recovery_guesses_success(state, kind):
    return State.COMPLETED if state is State.GRANTED else recovered(state, kind)


MUTANTS = {
    "perform before record": Rules(step=perform_before_record),
    "recovery re-performs": Rules(recover=recovery_re_performs),
    "reply before completion": Rules(step=reply_before_completion),
    "unrecorded completion is told": Rules(step=unrecorded_completion_is_told),
    "refused grant is ignored": Rules(step=refused_grant_is_ignored),
    "sent and stopped is not started": Rules(step=sent_and_stopped_is_not_started),
    "recovery leaves it open": Rules(recover=recovery_leaves_it_open),
    "recovery guesses success": Rules(recover=recovery_guesses_success),
    "the grant is not synced": Rules(synced=frozenset({State.COMPLETED})),
    "the completion is not synced": Rules(synced=frozenset({State.GRANTED})),
}


@pytest.mark.parametrize("rules", MUTANTS.values(), ids=MUTANTS.keys())
def test_mutants_are_killed(rules):
    with pytest.raises(AssertionError):
        explore(rules)
