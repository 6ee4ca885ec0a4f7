"""The life of everyday sessions: begun, found by their own actor only, ended in every way."""

from __future__ import annotations

from functools import partial

import pytest
import trio

from daemon.config import Config
from daemon.dispatch import Caller
from daemon.everyday.quotas import Quotas
from protocol.errors import Failure
from tests.fakes.disks import FailingDisk
from tests.fakes.everyday import ME, ORIGIN, OTHER, TITLE, open_everyday_house

KEY = "7e6f0d3e-41a6-4b62-9f0a-2f1d8f4c9a10"


async def failure_of(call):
    with pytest.raises(Failure) as caught:
        await call
    return caught.value


async def until_told(house, session, name, condition=bool):
    """Wait until a session's status says something."""
    for _ in range(1000):
        status = (await house.call("session.status", session_id=session))["session"]
        if condition(status[name]):
            return
        await trio.sleep(0.005)
    raise AssertionError(f"{name} is {status[name]}")


async def released(house):
    """Wait until no session is live any more."""
    with trio.fail_after(5):
        while len(house.sessions):  # noqa: ASYNC110 - the registry sends no event
            await trio.sleep(0.005)


async def test_a_session_tells_what_it_is(house):
    reply = await house.call("session.open", origins=[ORIGIN], viewport="800x600")
    told = reply["session"]
    assert (told["kind"], told["state"], told["origins"]) == ("unattended", "connected", [ORIGIN])
    assert told["viewport"] == {"width": 800, "height": 600}
    assert (told["writesBlocked"], told["waiting"], told["running"]) == (False, 0, None)
    session = told["sessionId"]
    assert session.startswith("us-")
    assert (await house.call("session.status", session_id=session))["session"] == told
    assert (await house.call("session.list"))["sessions"] == [told]


async def test_a_url_is_loaded_before_the_reply(house):
    reply = await house.call("session.open", url=f"{ORIGIN}/page")
    assert reply["session"]["origins"] == [ORIGIN]
    assert [write.url for write in house.page.inputs] == [f"{ORIGIN}/page"]


async def test_another_actor_finds_nothing(house):
    session = await house.open()
    for call in (
        house.call("session.status", OTHER, session_id=session),
        house.call("session.close", OTHER, session_id=session),
        house.call("session.log", OTHER, session_id=session),
        house.call("command.poll", OTHER, command_id="c1"),
        house.call("command.poll", OTHER, command_id="c1", session_id=session),
        house.call("session.resolve", OTHER, session_id=session, command_id="c1", done=True),
        house.call("command.run", OTHER, session_id=session, command_id="c", command=dict(TITLE)),
    ):
        assert (await failure_of(call)).code == "not_found"
    assert (await house.call("session.list", OTHER))["sessions"] == []


async def test_a_key_begins_one_session(house):
    first = await house.open(key=KEY)
    assert await house.open(key=KEY.upper()) == first
    assert len(house.chromium.tabs) == 1
    other = await failure_of(house.open(key=KEY, origins=["https://b.example"]))
    assert other.code == "conflict"
    await house.call("session.close", session_id=first)
    gone = await failure_of(house.open(key=KEY))
    assert (gone.code, gone.body()["sessionId"]) == ("gone", first)


async def test_two_that_begin_at_once_under_one_key_get_one_session(house):
    gate, sessions, codes = trio.Event(), [], []
    house.chromium.launch_gate = gate

    async def begin(**given):
        try:
            sessions.append(await house.open(key=KEY, **given))
        except Failure as failure:
            codes.append(failure.code)

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(begin)
        await trio.sleep(0.1)
        assert (sessions, codes) == ([], []), "whoever was slower waits as well"
        nursery.start_soon(partial(begin, origins=["https://b.example"]))
        await trio.sleep(0.1)
        gate.set()
    assert (len(sessions), len(set(sessions)), codes) == (3, 1, ["conflict"])
    assert len(house.chromium.tabs) == 1


async def test_a_caller_that_goes_away_while_it_begins_finds_it_by_its_key(house):
    gate = house.chromium.launch_gate = trio.Event()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(house.open, key=KEY, url=f"{ORIGIN}/page"))
            with trio.fail_after(5):
                while not house.chromium.orders:  # noqa: ASYNC110 - the fake sends no event
                    await trio.sleep(0.005)
            scope.cancel()
    sessions = []

    async def again():
        sessions.append(await house.open(key=KEY, url=f"{ORIGIN}/page"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(again)
        nursery.start_soon(again)
        await trio.sleep(0.05)
        assert sessions == []
        gate.set()
    assert sessions[0] == sessions[1]
    assert len(house.chromium.tabs) == 1
    assert [write.url for write in house.page.inputs] == [f"{ORIGIN}/page"]


async def test_a_close_frees_all_answers_again_and_leaves_a_log(house):
    session = await house.open()
    await house.run(session)
    for _ in range(2):
        reply = await house.call("session.close", session_id=session)
        assert (reply["closed"], reply["cleanupComplete"]) == (True, True)
        assert reply["session"]["state"] == "closed"
    assert house.chromium.open_now == 0
    gone = await failure_of(house.run(session, "c2"))
    assert (gone.code, gone.body()["state"]) == ("gone", "closed")
    assert (await failure_of(house.call("session.status", session_id=session))).code == "gone"
    log = await house.call("session.log", session_id=session)
    assert [row["commandId"] for row in log["commands"]] == ["c1"]
    assert (await house.poll())["state"] == "completed"


@pytest.mark.parametrize(("gates", "state"), [("gates", "unknown"), ("check_gates", "completed")])
async def test_a_close_ends_what_runs_by_how_far_it_came(house, gates, state):
    session = await house.open()
    getattr(house.page, gates)["click"] = trio.Event()
    codes = []

    async def send(command_id):
        codes.append((await failure_of(house.run(session, command_id))).code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send, "c1")
        await until_told(house, session, "running")
        if gates == "gates":
            await until_told(house, session, "running", lambda _: house.page.inputs)
        nursery.start_soon(send, "c2")
        await until_told(house, session, "waiting")
        await house.call("session.close", session_id=session)
    assert codes == ["outcome_unknown" if state == "unknown" else "gone", "gone"]
    assert (await house.poll())["state"] == state
    assert (await failure_of(house.poll("c2"))).code == "not_found"


async def test_a_tab_that_is_gone_ends_the_session_and_nothing_goes_on_elsewhere(house):
    session, other = await house.open(), await house.open()
    mine, others = (tab.hands for tab in house.chromium.tabs)
    await house.run(session)
    house.chromium.tabs[0].lose("the target was closed")
    with trio.fail_after(5):
        while len(house.sessions) > 1:  # noqa: ASYNC110 - the registry sends no event
            await trio.sleep(0.005)
    failure = await failure_of(house.run(session, "c2"))
    assert (failure.code, failure.body()["state"]) == ("tab_gone", "lost")
    assert (len(mine.inputs), len(others.inputs)) == (1, 0)
    assert (await house.run(other))["status"] == "ok"


async def test_an_idle_session_expires_and_commands_keep_it(house):
    session = await house.open()
    await house.clock.turn(7000)
    await house.run(session)
    await house.clock.turn(7000)
    assert (await house.run(session, "c2", TITLE))["status"] == "ok"
    await house.clock.turn(7300)
    await released(house)
    failure = await failure_of(house.run(session, "c3"))
    assert (failure.code, failure.body()["state"]) == ("gone", "expired")


async def test_a_browser_that_does_not_start_fails_the_beginning(house):
    house.chromium.launch_failure = Failure("browser_unavailable", "no browser", "install one")
    failure = await failure_of(house.open())
    assert failure.code == "browser_unavailable"
    await released(house)
    house.chromium.launch_failure = None
    await house.open()


async def test_a_browser_that_does_not_come_in_30_s_fails_the_beginning(house):
    house.chromium.launch_gate = trio.Event()
    codes = []

    async def begin():
        codes.append((await failure_of(house.open())).code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(begin)
        with trio.fail_after(5):
            while not len(house.sessions):  # noqa: ASYNC110 - the registry sends no event
                await trio.sleep(0.005)
        await trio.sleep(0.05)
        await house.clock.turn(31)
    assert codes == ["browser_unavailable"]


async def test_a_beginning_that_cannot_be_recorded_leaves_nothing(tmp_path):
    disk = FailingDisk()
    async with open_everyday_house(tmp_path, disk=disk) as house:
        disk.broken = "full"
        assert (await failure_of(house.open(key=KEY))).code == "store_full"
        assert (len(house.sessions), house.chromium.orders) == (0, [])
        disk.broken = ""
        await house.open(key=KEY)


async def test_quotas_refuse_before_anything_is_stored(tmp_path):
    config = Config(quotas={"sessions_per_actor": 1, "commands_per_session": 2})
    async with open_everyday_house(tmp_path, config=config) as house:
        session = await house.open()
        assert (await failure_of(house.open())).code == "quota_exceeded"
        await house.run(session, "c1")
        await house.run(session, "c2")
        refused = await failure_of(house.run(session, "c3"))
        assert (refused.code, refused.safe_to_retry) == ("quota_exceeded", True)
        assert (await house.run(session, "c1"))["replayed"] is True
        await house.clock.turn(60)
        assert (await house.run(session, "c3"))["status"] == "ok"


async def test_a_lifetime_cap_counts_ids(tmp_path):
    config = Config(quotas={"commands_per_lifetime": 1})
    async with open_everyday_house(tmp_path, config=config) as house:
        session = await house.open()
        await house.run(session, "c1")
        assert (await house.run(session, "c1"))["replayed"] is True
        assert (await failure_of(house.run(session, "c2"))).code == "command_cap_reached"


async def test_uploads_are_held_to_the_installation_s_roots(tmp_path):
    config = Config(upload_roots=("/home/me/outbox",))
    async with open_everyday_house(tmp_path, config=config) as house:
        session = await house.open()

        def upload(path):
            files = [{"path": path, "content": "aGVsbG8="}]
            return {"type": "upload", "target": {"css": "#f"}, "files": files}

        for number, path in enumerate(
            [
                "/home/me/secret",
                "/home/me/outbox",
                "/home/me/outbox/../secret",
                "/home/me/outboxes/x",
            ]
        ):
            failure = await failure_of(house.run(session, f"r{number}", upload(path)))
            assert failure.code == "upload_root"
        assert house.page.asked == []
        await house.run(session, "c1", upload("/home/me/outbox/a/b.txt"))
        (write,) = house.page.inputs
        assert [(file.name, file.content) for file in write.files] == [("b.txt", b"hello")]


async def test_requests_are_counted_before_they_are_handled(house):
    quotas = Quotas({"requests_per_actor": 2}, house.clock)
    seen = []

    async def handle(params, caller):
        seen.append(caller.actor.principal_id)
        return {"ok": True}

    counted = quotas.counted(handle)
    for _ in range(2):
        await counted({}, Caller(ME))
    assert (await failure_of(counted({}, Caller(ME)))).code == "quota_exceeded"
    await counted({}, Caller(OTHER))
    assert seen == [ME.principal_id, ME.principal_id, OTHER.principal_id]
