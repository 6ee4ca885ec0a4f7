"""Who may share a profile, which one is chosen, and what is said when none fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.leases import LeaseState
from protocol.sharing import Held, Obstacle, Profile, Wanted, check_profile, decide_allocation

A, B, C, D = (f"https://{letter}.example" for letter in "abcd")
ALL = frozenset({A, B, C, D})


def wanted(*origins, **given_):
    return Wanted(frozenset(origins), **given_)


def held(profile, *origins, state=LeaseState.CONNECTED, login=None):
    return Held(profile, state, frozenset(origins), login)


def refusal(*arguments):
    with pytest.raises(Failure) as refused:
        decide_allocation(*arguments)
    return refused.value.code


ONE = Profile("one", ALL)


@pytest.mark.parametrize(
    ("there", "want", "obstacle"),
    [
        ([], wanted(A), None),
        ([held("one", A)], wanted(B), None),
        ([held("one", A)], wanted(A, B), Obstacle.COLLISION),
        ([held("one", A, login="x")], wanted(B, profile_state="x"), Obstacle.COLLISION),
        ([held("one", A, login="x")], wanted(B, profile_state="y"), None),
        ([held("one", A, login=None)], wanted(B, profile_state=None), None),
        ([held("two", A)], wanted(A), None),
        ([held("one", A), held("one", B)], wanted(C), Obstacle.CAPACITY),
        ([held("one", A), held("one", B)], wanted(A), Obstacle.CAPACITY),
        ([held("one", A, state=LeaseState.EXPIRED)], wanted(A), None),
        ([held("one", A, state=LeaseState.CLOSING)], wanted(A), None),
        ([held("one", A, state=LeaseState.PROVISIONING)], wanted(A), Obstacle.COLLISION),
        ([held("one", A, state=LeaseState.RECOVERING)], wanted(B), Obstacle.AVAILABILITY),
        (
            [held("one", A, state=LeaseState.EXPIRED), held("one", B, state=LeaseState.CLOSING)],
            wanted(C),
            Obstacle.CAPACITY,
        ),
        ([], wanted("https://elsewhere.example"), Obstacle.COLLISION),
    ],
)
def test_two_sessions_of_a_profile_have_nothing_to_do_with_each_other(there, want, obstacle):
    assert check_profile(ONE, want, there) is obstacle


def test_a_profile_without_origins_hosts_nothing():
    assert check_profile(Profile("one", frozenset()), wanted(A), []) is Obstacle.COLLISION


def test_the_least_used_then_longest_unassigned_then_first_by_id_is_chosen():
    profiles = [Profile("b", ALL, assigned_ms=5), Profile("a", ALL, assigned_ms=5),
                Profile("c", ALL, assigned_ms=1), Profile("d", ALL)]  # fmt: skip
    there = [held("d", D)]
    assert decide_allocation(wanted(A), profiles, there).profile_id == "c"
    assert decide_allocation(wanted(A), profiles[:2], there).profile_id == "a"
    assert decide_allocation(wanted(A), [profiles[3]], there).profile_id == "d"
    blocked = [held("c", A), held("a", A)]
    assert decide_allocation(wanted(A), profiles, blocked).profile_id == "d"


def test_a_named_profile_is_never_replaced_by_another():
    profiles = [Profile("one", ALL), Profile("two", ALL, available=False)]
    named = wanted(A, profile_id="two")
    assert refusal(named, profiles, []) == "browser_unavailable"
    assert refusal(wanted(A, profile_id="three"), profiles, []) == "not_found"
    assert decide_allocation(wanted(A, profile_id="one"), profiles, []).profile_id == "one"


def test_collision_is_said_before_capacity_and_capacity_before_availability():
    away = Profile("away", ALL, available=False)
    full = Profile("full", ALL)
    taken = Profile("taken", ALL)
    there = [held("full", B), held("full", C), held("taken", A)]
    assert refusal(wanted(A), [away, full, taken], there) == "collision"
    assert refusal(wanted(A), [away, full], there) == "capacity"
    assert refusal(wanted(A), [away], there) == "browser_unavailable"
    assert refusal(wanted(A), [], there) == "browser_unavailable"


origin_sets = st.frozensets(st.sampled_from([A, B, C, D]), min_size=1, max_size=3)
logins = st.none() | st.sampled_from(["x", "y"])


@given(st.lists(st.tuples(origin_sets, logins), max_size=12), st.integers(1, 3))
def test_whatever_is_asked_for_no_two_live_sessions_of_a_profile_meet(asked, count):
    profiles = [Profile(f"p{number}", ALL) for number in range(count)]
    there = []
    for origins, login in asked:
        try:
            given_ = decide_allocation(Wanted(origins, profile_state=login), profiles, there)
        except Failure:
            continue
        there.append(Held(given_.profile_id, LeaseState.CONNECTED, origins, login))
    for profile in profiles:
        mine = [one for one in there if one.profile_id == profile.profile_id]
        assert len(mine) <= 2
        if len(mine) == 2:
            assert mine[0].origins.isdisjoint(mine[1].origins)
            assert mine[0].profile_state is None or (mine[0].profile_state != mine[1].profile_state)
