"""Workspaces over a browser in memory: life, holders, displays, cleanup."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from daemon.displays import Displays
from daemon.tab import Outcome
from daemon.workspaces import (
    MOST_WORKSPACES,
    Cleanup,
    WorkspaceOrder,
    WorkspacePhase,
    Workspaces,
)
from protocol.errors import Failure
from protocol.receipts import ActionStatus
from protocol.viewports import Viewport
from tests.fakes.browsers import FakeChromium

if TYPE_CHECKING:
    from pathlib import Path

ME, OTHER = "uid:1", "uid:1/client:other"
URL = "http://127.0.0.1:1/"
REFUSED = Outcome(ActionStatus.FAILED, "net::ERR_CONNECTION_REFUSED")


class House:
    """The registry with all that it stands on."""

    def __init__(self, nursery: trio.Nursery, tmp_path: Path) -> None:
        serial = count()

        def mint(prefix: str) -> str:
            return f"{prefix}{next(serial):032x}"

        self.displays = Displays(x_directory=tmp_path, mint=mint)
        self.chromium = FakeChromium()
        self.workspaces = Workspaces(nursery, self.chromium, self.displays, mint)

    @staticmethod
    def order(**given: object) -> WorkspaceOrder:
        origins = ("http://127.0.0.1:1",)
        return WorkspaceOrder(viewport=Viewport(40, 30), origins=origins, **given)  # type: ignore[arg-type]


@pytest.fixture
def house(nursery: trio.Nursery, tmp_path: Path) -> House:
    return House(nursery, tmp_path)


async def test_a_workspace_without_a_display_brings_and_takes_its_own(house: House) -> None:
    made = await house.workspaces.create(ME, house.order(url=URL))
    assert made.phase is WorkspacePhase.READY
    assert [d.workspace_id for d in house.displays.list(ME)] == [made.workspace_id]
    assert made.wire()["captureGeneration"] == house.displays.get(ME, 99).generation
    assert made.wire()["url"] == URL
    assert await house.workspaces.close(made) is Cleanup.DONE
    assert (len(house.displays), house.chromium.open_now, len(house.workspaces)) == (0, 0, 0)


async def test_a_named_display_stays_with_its_next_generation(house: House) -> None:
    display = house.displays.create(ME)
    first = display.generation
    made = await house.workspaces.create(ME, house.order(display_id=99))
    with pytest.raises(Failure) as second:
        await house.workspaces.create(ME, house.order(display_id=99))
    assert second.value.code == "conflict"
    assert display.generation == first
    await house.workspaces.close(made)
    assert display.workspace_id is None
    assert display.generation != first


async def test_another_actors_display_or_workspace_is_not_there(house: House) -> None:
    house.displays.create(OTHER)
    with pytest.raises(Failure) as display:
        await house.workspaces.create(ME, house.order(display_id=99))
    assert display.value.code == "not_found"
    made = await house.workspaces.create(OTHER, house.order())
    with pytest.raises(Failure) as workspace:
        house.workspaces.get(ME, made.workspace_id)
    assert workspace.value.code == "not_found"
    assert house.workspaces.list(ME) == []


async def test_the_limit(house: House) -> None:
    made = [await house.workspaces.create(ME, house.order()) for _ in range(MOST_WORKSPACES)]
    with pytest.raises(Failure) as caught:
        await house.workspaces.create(ME, house.order())
    assert caught.value.code == "capacity"
    await house.workspaces.close(made[0])
    await house.workspaces.create(ME, house.order())


async def test_a_launch_that_fails_leaves_nothing(house: House) -> None:
    house.chromium.launch_failure = Failure("browser_unavailable", "none", "install one")
    with pytest.raises(Failure) as caught:
        await house.workspaces.create(ME, house.order())
    assert caught.value.code == "browser_unavailable"
    assert (len(house.workspaces), len(house.displays)) == (0, 0)


async def test_a_launch_given_up_by_its_caller_leaves_nothing(house: House) -> None:
    house.chromium.launch_gate = trio.Event()
    with trio.move_on_after(0.01) as scope:
        await house.workspaces.create(ME, house.order())
    assert scope.cancelled_caught
    assert (len(house.workspaces), len(house.displays)) == (0, 0)


async def test_a_first_page_that_does_not_load_ends_the_workspace(house: House) -> None:
    house.chromium.outcomes["navigate"] = Outcome(
        ActionStatus.FAILED, "net::ERR_CONNECTION_REFUSED"
    )
    with pytest.raises(Failure) as caught:
        await house.workspaces.create(ME, house.order(url=URL))
    assert caught.value.code == "action_failed"
    assert "ERR_CONNECTION_REFUSED" in caught.value.message
    assert (len(house.workspaces), len(house.displays), house.chromium.open_now) == (0, 0, 0)


async def test_a_browser_that_dies_while_its_first_page_loads_is_safe_to_try_again(
    house: House,
) -> None:
    house.chromium.dies_at_once = "the browser ended"
    with pytest.raises(Failure) as caught:
        await house.workspaces.create(ME, house.order(url=URL))
    failure = caught.value
    assert (failure.code, failure.hint, failure.safe_to_retry) == (
        "browser_unavailable", "try again", True,
    )  # fmt: skip
    assert (len(house.workspaces), len(house.displays), house.chromium.open_now) == (0, 0, 0)


async def test_a_browser_that_dies_leaves_a_lost_workspace_to_be_closed(house: House) -> None:
    made = await house.workspaces.create(ME, house.order())
    house.chromium.tabs[0].lose("the browser ended")
    await made.ended.wait()
    assert (made.phase, made.reason) == (WorkspacePhase.LOST, "the browser ended")
    with pytest.raises(Failure) as caught:
        _ = made.tab
    assert caught.value.code == "gone"
    assert house.workspaces.list(ME) == [made]
    await house.workspaces.close(made)
    assert (len(house.workspaces), len(house.displays)) == (0, 0)


async def test_holders(house: House) -> None:
    made = await house.workspaces.create(ME, house.order(holder="a", holder_kind="bounded_cu"))
    acquire = house.workspaces.acquire
    acquire(made, "a", "agent", force=False)
    assert (made.holder, made.holder_kind) == ("a", "agent")
    with pytest.raises(Failure) as caught:
        acquire(made, "b", "bounded_cu", force=False)
    assert caught.value.code == "lease_held"
    assert "'a'" in caught.value.message
    assert made.holder == "a"
    acquire(made, "b", "bounded_cu", force=True)
    assert (made.holder, made.holder_kind) == ("b", "bounded_cu")


async def test_a_live_session_keeps_holder_and_workspace(house: House) -> None:
    made = await house.workspaces.create(ME, house.order(holder="a", holder_kind="bounded_cu"))
    made.session = "ecup-1"
    house.workspaces.acquire(made, "a", "bounded_cu", force=False)
    for attempt in (("b", "bounded_cu"), ("a", "agent")):
        with pytest.raises(Failure) as caught:
            house.workspaces.acquire(made, *attempt, force=True)
        assert caught.value.code == "conflict"
    with pytest.raises(Failure) as closed:
        await house.workspaces.close(made)
    assert closed.value.code == "conflict"
    assert made.phase is WorkspacePhase.READY
    assert (made.holder, made.holder_kind) == ("a", "bounded_cu")


async def test_a_failed_cleanup_is_retried_and_blocks_nobody(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    made = await house.workspaces.create(ME, house.order())
    house.chromium.cleanup_failures = 3
    assert await house.workspaces.close(made) is Cleanup.PENDING
    assert (len(house.workspaces), len(house.displays)) == (0, 0)
    await trio.sleep(60)
    assert made.cleanup is Cleanup.DONE
    assert house.chromium.reaped == [made.workspace_id]


async def test_a_cleanup_is_given_up_at_last(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    made = await house.workspaces.create(ME, house.order())
    house.chromium.cleanup_failures = 1000
    await house.workspaces.close(made)
    await trio.sleep(600)
    assert made.cleanup is Cleanup.FAILED
    assert house.chromium.cleanup_failures > 900
    await house.workspaces.create(ME, house.order())


async def test_a_launch_that_leaves_something_is_reported_and_reaped(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    house.chromium.cleanup_failures = 1
    house.chromium.outcomes["navigate"] = Outcome(ActionStatus.FAILED, "net::ERR_FAILED")
    with pytest.raises(Failure):
        await house.workspaces.create(ME, house.order(url=URL))
    house.chromium.outcomes.clear()
    await trio.sleep(60)
    await house.workspaces.create(ME, house.order(url=URL))


async def test_a_browser_that_ends_badly_is_not_the_end_of_the_others(
    house: House, autojump_clock: trio.testing.MockClock
) -> None:
    other = await house.workspaces.create(ME, house.order())
    made = await house.workspaces.create(ME, house.order())
    house.chromium.close_failure = ZeroDivisionError("a fault of ours")
    assert await house.workspaces.close(made) is Cleanup.PENDING
    house.chromium.close_failure = None
    await trio.sleep(60)
    assert made.cleanup is Cleanup.DONE
    assert other.phase is WorkspacePhase.READY
