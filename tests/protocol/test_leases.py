"""The life of a session: every state meets every signal at every time that matters."""

from dataclasses import replace

import pytest

from protocol.evidence_session import Moment
from protocol.leases import (
    ENDED,
    LIVE,
    TABLE,
    CommandAdmitted,
    Interrupt,
    LeaseState,
    Recorded,
    Release,
    SessionGone,
    Signal,
    Signalled,
    Ticked,
    decide_step,
    open_lease,
)

START = Moment(1_000.0, 50_000.0)
NOW = START.after(1)
EVENTS = [Signalled(signal, "because") for signal in Signal] + [CommandAdmitted(), Ticked()]

LEADS_TO = {
    ("provisioning", "provisioned"): "connected",
    ("provisioning", "provision_failed"): "closing",
    ("provisioning", "unreachable"): "closing",
    ("provisioning", "tab_gone"): "lost",
    ("provisioning", "close_asked"): "closing",
    ("connected", "tab_gone"): "lost",
    ("connected", "unreachable"): "recovering",
    ("connected", "close_asked"): "closing",
    ("recovering", "provisioned"): "connected",
    ("recovering", "tab_gone"): "lost",
    ("recovering", "close_asked"): "closing",
    ("closing", "released"): "closed",
    ("expired", "released"): "expired",
    ("lost", "released"): "lost",
}


def passed(now, since):
    return max(now.boot_s - since.boot_s, now.wall_s - since.wall_s)


def state_by_time(lease, now):
    if lease.state not in LIVE:
        return lease.state
    if passed(now, lease.began) >= 86_400 or passed(now, lease.active) >= 7_200:
        return LeaseState.EXPIRED
    if lease.state == "provisioning" and passed(now, lease.began) >= 30:
        return LeaseState.CLOSING
    if lease.state == "recovering" and lease.until and now.has_reached(lease.until):
        return LeaseState.LOST
    return lease.state


def check(lease, event, now, step):
    after, effects = step(lease, event, now)
    state = state_by_time(lease, now)
    timed = state is not lease.state
    want = state
    if isinstance(event, Signalled):
        want = LEADS_TO.get((state, event.signal), state)
    assert after.state == want
    assert after.began == lease.began
    check_clocks(lease, event, now, state, after)
    check_end(lease, now, after, effects, timed=timed)
    return after


def check_clocks(lease, event, now, state, after):
    admitted = isinstance(event, CommandAdmitted) and state in LIVE
    assert after.active == (now if admitted else lease.active)
    if state is LeaseState.CONNECTED and after.state is LeaseState.RECOVERING:
        assert after.until == now.after(90)
        assert after.epoch_changed
    assert after.epoch_changed >= lease.epoch_changed, "a new browser stays a new browser"
    assert (after.until is None) == (after.state not in {"provisioning", "recovering"})


def check_end(lease, now, after, effects, *, timed):
    left = lease.state in LIVE and after.state not in LIVE
    assert effects.count(Release()) == left
    assert (after.ended is not None) == (after.state not in LIVE)
    if left:
        assert after.ended == now
        assert after.reason
    if after != lease and after.active == lease.active:
        assert Recorded() in effects
    released = after.released and not lease.released
    assert released == (after.state in ENDED and not lease.released and after.released)
    assert after.released or after.state is not LeaseState.CLOSED
    if after.state is LeaseState.RECOVERING and lease.state is LeaseState.CONNECTED:
        assert Interrupt() in effects


def times(lease):
    yield NOW
    for deadline in {lease.hard_deadline, lease.idle_deadline, lease.until} - {None}:
        yield deadline.after(-0.001)
        yield deadline
        yield replace(NOW, wall_s=deadline.wall_s)
        yield replace(NOW, boot_s=deadline.boot_s)


def walk(step=decide_step):
    seen, waiting = set(), [open_lease(START)]
    while waiting:
        lease = waiting.pop()
        if lease in seen:
            continue
        seen.add(lease)
        for event in EVENTS:
            for now in times(lease):
                after = check(lease, event, now, step)
                if now == NOW or after.state not in LIVE:
                    waiting.append(after)
        assert len(seen) < 5_000
    return seen


def test_every_state_meets_every_signal_at_every_time():
    leases = walk()
    assert {lease.state for lease in leases} == set(LeaseState)
    assert len(leases) > 50


def changed(state, signal, to):
    row = {key: value for key, value in TABLE[state].items() if key is not signal}
    return {**TABLE, state: {**row, signal: to} if to else row}


@pytest.mark.parametrize(
    "table",
    [
        changed(LeaseState.CONNECTED, Signal.TAB_GONE, LeaseState.RECOVERING),
        changed(LeaseState.CONNECTED, Signal.UNREACHABLE, LeaseState.LOST),
        changed(LeaseState.LOST, Signal.PROVISIONED, LeaseState.CONNECTED),
        changed(LeaseState.CLOSING, Signal.TAB_GONE, LeaseState.LOST),
        changed(LeaseState.CLOSING, Signal.RELEASED, None),
        changed(LeaseState.PROVISIONING, Signal.CLOSE_ASKED, None),
        changed(LeaseState.EXPIRED, Signal.RELEASED, LeaseState.CLOSED),
    ],
)
def test_the_walk_kills_mutants_of_the_table(table):
    with pytest.raises(AssertionError):
        walk(lambda lease, event, now: decide_step(lease, event, now, table))


def status_reads_keep_it_alive(lease, event, now):
    after, effects = decide_step(lease, event, now)
    alive = isinstance(event, Ticked) and after.state in LIVE
    return (replace(after, active=now) if alive else after), effects


def only_the_boot_clock_counts(lease, event, now):
    return decide_step(lease, event, replace(now, wall_s=now.boot_s + 49_000))


def only_the_wall_clock_counts(lease, event, now):
    return decide_step(lease, event, replace(now, boot_s=now.wall_s - 49_000))


def idle_outlives_hard(lease, event, now):
    if now.has_reached(lease.hard_deadline):
        now = replace(NOW, boot_s=lease.idle_deadline.boot_s - 1, wall_s=NOW.wall_s)
    return decide_step(lease, event, now)


def recovery_forgets_the_epoch(lease, event, now):
    after, effects = decide_step(lease, event, now)
    connected = after.state is LeaseState.CONNECTED
    return (replace(after, epoch_changed=False) if connected else after), effects


@pytest.mark.parametrize(
    "mutant",
    [
        status_reads_keep_it_alive,
        only_the_boot_clock_counts,
        only_the_wall_clock_counts,
        idle_outlives_hard,
        recovery_forgets_the_epoch,
    ],
)
def test_the_walk_kills_mutants_of_the_step(mutant):
    with pytest.raises(AssertionError):
        walk(mutant)


def test_commands_move_the_idle_deadline_but_never_past_the_hard_one():
    lease, _ = decide_step(open_lease(START), Signalled(Signal.PROVISIONED), NOW)
    assert lease.next_deadline == START.after(7_200)
    for hour in range(1, 24):
        lease, effects = decide_step(lease, CommandAdmitted(), START.after(hour * 3600))
        assert effects == ()
    assert lease.idle_deadline == lease.hard_deadline == START.after(86_400)
    lease, _ = decide_step(lease, CommandAdmitted(), START.after(86_399.9))
    assert lease.state is LeaseState.CONNECTED
    lease, effects = decide_step(lease, CommandAdmitted(), START.after(86_400))
    assert lease.state is LeaseState.EXPIRED
    assert Release() in effects


def test_a_machine_that_slept_expires_what_was_idle():
    lease, _ = decide_step(open_lease(START), Signalled(Signal.PROVISIONED), NOW)
    woken = replace(NOW, wall_s=NOW.wall_s + 7_200)
    asleep, _ = decide_step(lease, Ticked(), woken)
    assert asleep.state is LeaseState.EXPIRED
    set_back = replace(START.after(7_200), wall_s=0.0)
    late, _ = decide_step(lease, Ticked(), set_back)
    assert late.state is LeaseState.EXPIRED


def test_what_has_ended_answers_with_its_last_status():
    lost = SessionGone("us-1", LeaseState.LOST, "its browser ended")
    closed = SessionGone("us-1", LeaseState.CLOSED, "")
    assert (lost.code, closed.code) == ("lost", "gone")
    assert lost.body()["state"] == "lost"
    assert lost.body()["reason"] in lost.message
    assert closed.body()["sessionId"] == "us-1"
