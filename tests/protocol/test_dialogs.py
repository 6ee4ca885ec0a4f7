"""The outbox of dialogs: its answers, its limits, and that it never forgets what is missing."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.dialogs import (
    ENDED_BYTES,
    MAX_BYTES,
    MAX_RECORDS,
    MESSAGE_BYTES,
    PROMPT_BYTES,
    VISIBLE,
    Amend,
    Disposition,
    Ended,
    Forget,
    Health,
    Interrupted,
    Met,
    OnDialog,
    Opened,
    Outbox,
    Store,
    Told,
    Unstored,
    cut_text,
    decide_answer,
    decide_step,
    default_answer,
    record_bytes,
)

if TYPE_CHECKING:
    from protocol.dialogs import Effect, Event

ID = "dialog-%d"


def met(number: int, message: str = "m", prompt: str = "") -> Met:
    return Met(number, ID % number, 1000 + number, "prompt", message, prompt, "http://x/")


def follow(outbox: Outbox, *events: Event) -> tuple[Outbox, list[Effect]]:
    done: list[Effect] = []
    for event in events:
        outbox, effects = decide_step(outbox, event)
        done += effects
    return outbox, done


def opened(*numbers: int) -> list[Event]:
    """Dialogs that open and are answered."""
    return [
        event
        for number in numbers
        for event in (Opened(met(number)), Ended(number, Disposition.ACCEPTED, 2000))
    ]


@pytest.mark.parametrize("kind", ["alert", "beforeunload", "confirm", "prompt", "later"])
def test_each_policy_has_one_answer_for_each_kind(kind: str) -> None:
    default = kind in ("alert", "beforeunload")
    answers = [decide_answer(policy, kind) for policy in OnDialog]
    assert answers == [None, True, False, default]
    assert default_answer(kind) is default


def test_a_dialog_is_stored_amended_and_told() -> None:
    outbox, effects = follow(Outbox(), Opened(met(1)))
    assert (outbox.open, outbox.pending) == (met(1), (met(1),))
    assert effects == [Store(met(1))]
    outbox, effects = follow(outbox, Ended(1, Disposition.DISMISSED, 5))
    assert effects == [Amend(1, Disposition.DISMISSED, 5)]
    assert outbox.open is None
    assert [(m.disposition, m.answered_ms) for m in outbox.visible] == [("dismissed", 5)]
    outbox, effects = follow(outbox, Told(1))
    assert (outbox.pending, effects) == ((), [])
    assert len(outbox.visible) == 1
    assert outbox.health is Health.OK


def test_the_same_dialog_again_is_no_other_one() -> None:
    outbox, _ = follow(Outbox(), *opened(1, 2), Told(2))
    assert follow(outbox, Opened(met(1)), Opened(met(2, "else"))) == (outbox, [])


def test_the_257th_is_not_kept_and_nothing_is_evicted() -> None:
    outbox, _ = follow(Outbox(), *opened(*range(1, MAX_RECORDS + 1)))
    assert (len(outbox.pending), outbox.health) == (MAX_RECORDS, Health.OK)
    after, effects = follow(outbox, *opened(MAX_RECORDS + 1))
    assert (after.pending, effects) == (outbox.pending, [])
    assert after.health is Health.OVERFLOW
    # room again: later ones are kept, and the health stays as bad as it was
    told, _ = follow(after, Told(MAX_RECORDS + 1))
    again, effects = follow(told, Opened(met(MAX_RECORDS + 2)))
    assert effects == [Store(met(MAX_RECORDS + 2))]
    assert again.health is Health.OVERFLOW


def test_the_bytes_are_a_limit_of_their_own() -> None:
    large = "x" * MESSAGE_BYTES
    outbox, number = Outbox(), 0
    while outbox.health is Health.OK:
        number += 1
        before = outbox
        outbox, _ = follow(outbox, Opened(met(number, large)), Ended(number, Disposition.OPEN, 1))
    assert number < MAX_RECORDS
    assert (
        before.size_bytes
        <= MAX_BYTES
        < before.size_bytes + record_bytes(met(number, large)) + ENDED_BYTES
    )
    assert outbox.pending == before.pending


@pytest.mark.parametrize("too_long", [met(1, "é" * MESSAGE_BYTES), met(1, "m", "é" * PROMPT_BYTES)])
def test_a_record_over_its_limits_is_not_kept(too_long: Met) -> None:
    outbox, effects = follow(Outbox(), Opened(too_long))
    assert (outbox.pending, outbox.visible, effects) == ((), (), [])
    assert outbox.open is too_long  # it can be answered all the same
    assert outbox.health is Health.OVERFLOW


def test_what_the_store_does_not_take_is_missing() -> None:
    outbox, _ = follow(Outbox(), *opened(1), Opened(met(2)), Unstored(2))
    assert [m.number for m in outbox.visible] == [1]
    assert outbox.open == met(2)
    assert outbox.health is Health.OVERFLOW
    assert follow(outbox, Ended(2, Disposition.ACCEPTED, 3))[1] == []


def test_the_newest_fifty_are_visible_and_older_ones_are_forgotten_once_told() -> None:
    outbox, effects = follow(Outbox(), *opened(*range(1, 61)))
    assert [m.number for m in outbox.visible] == list(range(11, 61))
    assert not any(isinstance(effect, Forget) for effect in effects)
    outbox, effects = follow(outbox, Told(5))
    assert effects == [Forget(5)]
    outbox, effects = follow(outbox, Told(60), Told(60))
    assert effects == [Forget(10)]


def test_an_open_dialog_stays_pending_until_its_end_is_told() -> None:
    outbox, _ = follow(Outbox(), Opened(met(1)), Told(1))
    assert [m.number for m in outbox.pending] == [1]
    outbox, _ = follow(outbox, Ended(1, Disposition.ELSEWHERE, 2), Told(1))
    assert outbox.pending == ()


def test_a_lost_browser_interrupts_the_open_one_only() -> None:
    outbox, effects = follow(Outbox(), *opened(1), Opened(met(2)), Interrupted(9))
    assert effects[-1] == Amend(2, Disposition.INTERRUPTED, 9)
    assert [m.disposition for m in outbox.visible] == ["accepted", "interrupted"]
    assert (outbox.open, outbox.health) == (None, Health.INTERRUPTED)


def test_health_only_gets_worse() -> None:
    bad: dict[Health, Event] = {Health.INTERRUPTED: Interrupted(1), Health.OVERFLOW: Unstored(99)}
    for first, second in product(bad, repeat=2):
        outbox, _ = follow(Outbox(), bad[first], bad[second], *opened(1), Told(1))
        assert outbox.health is max(first, second, key=list(Health).index)


EVENTS = st.one_of(
    st.integers(1, 90).map(lambda number: Opened(met(number, "x" * (number * 40)))),
    st.builds(Ended, st.integers(1, 90), st.sampled_from(Disposition), st.integers(0, 9)),
    st.integers(1, 90).map(Unstored),
    st.integers(0, 90).map(Told),
    st.integers(0, 9).map(Interrupted),
)


@given(st.lists(EVENTS, max_size=120))
def test_whatever_happens_the_limits_hold(events: list[Event]) -> None:
    outbox, stored = Outbox(), set[int]()
    for event in events:
        before = outbox
        outbox, effects = decide_step(outbox, event)
        assert list(Health).index(outbox.health) >= list(Health).index(before.health)
        assert outbox.newest >= before.newest
        assert len(outbox.pending) <= MAX_RECORDS
        assert outbox.size_bytes == sum(map(record_bytes, outbox.pending)) <= MAX_BYTES
        assert len(outbox.visible) <= VISIBLE
        for effect in effects:
            if isinstance(effect, Store):
                assert effect.met.number not in stored
                stored.add(effect.met.number)
            elif isinstance(effect, Forget):
                assert all(m.number > effect.through for m in (*outbox.pending, *outbox.visible))
        missing = {m.number for m in before.pending} - {m.number for m in outbox.pending}
        assert not missing or isinstance(event, Told | Unstored)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [("abc", 3, ("abc", False)), ("abé", 3, ("ab", True)), ("", 0, ("", False))],
)
def test_a_text_is_cut_between_characters(text: str, limit: int, cut: tuple[str, bool]) -> None:
    assert cut_text(text, limit) == cut
