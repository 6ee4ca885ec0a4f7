"""A session of a profile whose browser dies: a fresh blank tab, and nothing of the old one."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
import trio

from protocol.errors import Failure
from protocol.viewports import DEFAULT_VIEWPORT
from tests.fakes.browsers import FakeTab
from tests.fakes.everyday import ORIGIN, TITLE, open_everyday_house


class FakeProfile:
    """A profile whose browser comes back when ``back`` says so; each tab is a fresh one."""

    recovers = True
    released = True

    def __init__(self):
        self.tabs = []
        self.back = trio.Event()
        self.back.set()
        self.refusals = 0

    @asynccontextmanager
    async def open(self):
        await self.back.wait()
        if self.refusals:
            self.refusals -= 1
            raise Failure("browser_unavailable", "it does not start", "")
        tab = FakeTab(DEFAULT_VIEWPORT)
        self.tabs.append(tab)
        yield tab


@pytest.fixture
def profile():
    return FakeProfile()


@pytest.fixture
async def house(tmp_path, profile):
    async with open_everyday_house(tmp_path, source=lambda *_: profile) as opened:
        yield opened


async def failure_of(call):
    with pytest.raises(Failure) as caught:
        await call
    return caught.value


async def state_of(house, session):
    return (await house.call("session.status", session_id=session))["session"]


async def until_state(house, session, state):
    for _ in range(1000):
        if (await state_of(house, session))["state"] == state:
            return
        await trio.sleep(0.005)
    raise AssertionError(f"it is not {state}")


async def test_it_goes_on_in_a_blank_tab_with_writes_blocked_until_its_end(house, profile):
    session = await house.open(url=f"{ORIGIN}/page")
    await house.run(session)
    profile.tabs[0].lose("the browser ended")
    with trio.fail_after(5):
        while len(profile.tabs) < 2:  # noqa: ASYNC110 - the fake sends no event
            await trio.sleep(0.005)
    await until_state(house, session, "connected")
    told = await state_of(house, session)
    assert (told["epochChanged"], told["writesBlocked"], told["url"]) == (True, True, "about:blank")
    fresh = profile.tabs[1].hands
    assert fresh.inputs == []
    assert (await house.run(session, "c2", TITLE))["status"] == "ok"
    refused = await failure_of(house.run(session, "c3"))
    assert refused.code == "outcome_unknown"
    assert "browser was restarted" in refused.message
    assert "Close the session" in refused.hint
    assert "resolve" not in refused.hint, "no judgement of the caller's would unblock it"
    assert fresh.inputs == []
    row = await house.store.sessions.find(session)
    assert row.epoch_changed is True


async def test_a_write_that_was_under_way_is_unknown_and_resolving_it_does_not_unblock(
    house, profile
):
    session = await house.open()
    profile.tabs[0].hands.gates["click"] = trio.Event()
    codes = []

    async def send():
        codes.append((await failure_of(house.run(session))).code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        with trio.fail_after(5):
            while not profile.tabs[0].hands.inputs:  # noqa: ASYNC110 - the fake sends no event
                await trio.sleep(0.005)
        profile.tabs[0].lose("the browser ended")
    assert codes == ["outcome_unknown"]
    resolved = await house.call("session.resolve", session_id=session, command_id="c1", done=False)
    assert resolved["writesBlocked"] is True


async def test_while_it_is_away_commands_are_refused_and_may_be_sent_again(house, profile):
    session = await house.open()
    profile.back = trio.Event()
    profile.tabs[0].lose("the browser ended")
    await until_state(house, session, "recovering")
    refused = await failure_of(house.run(session, "c2", TITLE))
    assert (refused.code, refused.safe_to_retry) == ("browser_unavailable", True)
    profile.back.set()
    await until_state(house, session, "connected")
    assert (await house.run(session, "c2", TITLE))["status"] == "ok"


async def test_a_browser_that_starts_at_the_second_try_is_in_time(house, profile):
    session = await house.open()
    profile.refusals = 1
    profile.tabs[0].lose("the browser ended")
    await until_state(house, session, "recovering")
    await trio.sleep(0.05)
    await house.clock.turn(2)
    await until_state(house, session, "connected")


async def test_a_browser_that_stays_away_for_90_s_loses_the_session(house, profile):
    session = await house.open()
    profile.back = trio.Event()
    profile.tabs[0].lose("the browser ended")
    await until_state(house, session, "recovering")
    await house.clock.turn(91)
    with trio.fail_after(5):
        while len(house.sessions):  # noqa: ASYNC110 - the registry sends no event
            await trio.sleep(0.005)
    failure = await failure_of(house.run(session, "c2"))
    assert (failure.code, failure.body()["state"]) == ("lost", "lost")
