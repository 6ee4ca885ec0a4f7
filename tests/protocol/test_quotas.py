"""Quotas: off unless asked for, by whole minutes, charged together or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.quotas import (
    PRESET,
    Buckets,
    Charge,
    Scope,
    charge_quotas,
    command_charges,
    parse_quotas,
)

ME = command_charges("uid:1", "us-1", secret_fill=False)
MINUTE = 60_000


def test_nothing_is_counted_without_a_limit():
    buckets = Buckets()
    for now_ms in range(1000):
        buckets = charge_quotas(buckets, ME, {}, now_ms)
    assert buckets.counts == {}


def test_a_minute_is_cut_at_whole_minutes():
    limits = {Scope.COMMANDS_PER_SESSION: 2}
    buckets = Buckets()
    for now_ms in (MINUTE - 2, MINUTE - 1, MINUTE, MINUTE + 1):
        buckets = charge_quotas(buckets, ME, limits, now_ms)
    with pytest.raises(Failure) as refused:
        charge_quotas(buckets, ME, limits, 2 * MINUTE - 1)
    assert refused.value.code == "quota_exceeded"
    assert "commands_per_session" in refused.value.message
    assert refused.value.safe_to_retry
    charge_quotas(buckets, ME, limits, 2 * MINUTE)


def test_each_session_and_each_actor_has_its_own():
    limits = {Scope.COMMANDS_PER_SESSION: 1, Scope.FILLS_PER_ACTOR: 1}
    buckets = charge_quotas(
        Buckets(), command_charges("uid:1", "us-1", secret_fill=True), limits, 0
    )
    buckets = charge_quotas(buckets, command_charges("uid:2", "us-2", secret_fill=True), limits, 0)
    with pytest.raises(Failure, match="fills_per_actor"):
        charge_quotas(buckets, command_charges("uid:1", "us-3", secret_fill=True), limits, 0)
    charge_quotas(buckets, command_charges("uid:1", "us-3", secret_fill=False), limits, 0)


@given(st.lists(st.sampled_from(["us-1", "us-2", "us-3"]), max_size=40), st.integers(1, 9))
def test_a_refused_command_uses_up_nothing(sessions, most):
    limits = {Scope.COMMANDS_PER_SESSION: 3, Scope.COMMANDS_PER_INSTALLATION: most}
    buckets, passed = Buckets(), []
    for session in sessions:
        try:
            buckets = charge_quotas(
                buckets, command_charges("uid:1", session, secret_fill=False), limits, 0
            )
        except Failure:
            assert passed.count(session) == 3 or len(passed) == most
        else:
            passed.append(session)
    whole = buckets.counts.get(Charge(Scope.COMMANDS_PER_INSTALLATION), 0)
    assert whole == len(passed) <= most
    assert all(passed.count(session) <= 3 for session in passed)


def test_the_preset_is_that_of_the_reference_and_can_be_overridden():
    assert parse_quotas({}) == {}
    assert parse_quotas({"preset": False}) == {}
    assert parse_quotas({"preset": True}) == {
        "sessions_per_actor": 10,
        "commands_per_session": 120,
        "commands_per_installation": 600,
        "fills_per_actor": 30,
        "requests_per_actor": 300,
        "commands_per_lifetime": 10_000,
    }
    assert parse_quotas({"preset": True, "fills_per_actor": 1})["fills_per_actor"] == 1
    assert parse_quotas({"commands_per_lifetime": 5}) == {"commands_per_lifetime": 5}
    assert set(Scope) < set(PRESET)


@pytest.mark.parametrize(
    "table",
    [{"presett": True}, {"preset": 1}, {"fills_per_actor": 0}, {"fills_per_actor": True},
     {"fills_per_actor": "3"}, {"commands_per_lifetime": -1}],
)  # fmt: skip
def test_a_misspelt_quota_is_refused(table):
    with pytest.raises(Failure) as refused:
        parse_quotas(table)
    assert refused.value.code == "config_invalid"
