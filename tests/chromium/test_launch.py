"""Launching a real Chromium, and that nothing of it is left whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.chromium.browser import START_TIMEOUT_S, Browser, LaunchLimits, launch
from cdp.chromium.identity import read_identity
from cdp.chromium.leftovers import terminate_leftover
from cdp.chromium.process import KILL_TIMEOUT_S, TERM_TIMEOUT_S, spawn
from cdp.chromium.profile import create_profile, list_profiles, remove_profile
from cdp.chromium.scratch import scratch_of
from cdp.errors import CallRefused, ConnectionClosed, LaunchFailed
from cdp.viewport import Viewport, set_viewport
from protocol.leases import PROVISIONING_S
from tests.fakes import oracle, processes
from tests.fakes.secure import secure_server

if TYPE_CHECKING:
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

VIEWPORT = Viewport(1280, 720)
BINARY = Path(oracle.real_browser())


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    directory = tmp_path / "profiles" / "one"
    directory.parent.mkdir()
    create_profile(directory)
    return directory


async def seen(browser: Browser, expression: str) -> object:
    reply = await browser.page.call("Runtime.evaluate", expression=expression, returnByValue=True)
    return reply["result"]["value"]


async def await_no_member(group: int) -> None:
    assert await trio.to_thread.run_sync(processes.await_end_of, group) == []


async def test_a_browser_comes_up_as_asked_and_leaves_nothing(profile: Path) -> None:
    async with launch(BINARY, profile, VIEWPORT) as browser:
        size = "`${innerWidth}x${innerHeight}@${devicePixelRatio}`"
        assert await seen(browser, size) == "1280x720@1"
        assert await seen(browser, "location.href") == "about:blank"
        assert browser.version.split("/")[0] in ("Chrome", "HeadlessChrome")
        assert browser.argv_passed[0] == str(BINARY)
        assert f"--user-data-dir={profile}" in browser.argv_passed
        assert f"--user-data-dir={profile}" in " ".join(browser.argv_actual)
        (recorded,) = list_profiles(profile.parent)
        assert recorded.browser == read_identity(browser.pid) == browser.process.identity
        assert len(processes.members(browser.pid)) > 1  # zygotes and others too
    assert browser.connection.closed.is_set()
    assert browser.process.returncode == 0
    assert read_identity(browser.pid) is None  # reaped
    await await_no_member(browser.pid)
    await remove_profile(profile)
    assert processes.naming(str(profile)) == []
    assert os.listdir(profile.parent) == []


@pytest.mark.parametrize(
    "viewport",
    [
        Viewport(320, 240),
        Viewport(1920, 1080),
        Viewport(801, 333),
        Viewport(1, 1),
        Viewport(4096, 100),
    ],
)
async def test_the_viewport_is_exact_and_can_change(profile: Path, viewport: Viewport) -> None:
    async with launch(BINARY, profile, viewport) as browser:
        for wanted in (viewport, Viewport(640, 481)):
            await set_viewport(browser.connection, browser.page, browser.target_id, wanted)
            assert await seen(browser, "[innerWidth, innerHeight, devicePixelRatio]") == [
                wanted.width,
                wanted.height,
                1,
            ]


async def test_no_process_of_the_browser_listens_on_tcp(profile: Path) -> None:
    async with launch(BINARY, profile, VIEWPORT) as browser:
        members = processes.members(browser.pid)
        held = set().union(*(processes.socket_inodes(member.pid) for member in members))
        assert held  # it has sockets, and none of them listens
        assert held & processes.listening_inodes() == set()
        assert not (profile / "DevToolsActivePort").exists()


SOUND = """<script>
const sound = new AudioContext()
sound.createOscillator().start()
</script>"""


async def test_nothing_is_written_into_the_home(
    tmp_path: Path, profile: Path, pages: PageServer
) -> None:
    """Sound, a certificate and a crash have places of their own, outside of a profile."""
    crashed = trio.Event()
    # a short path: there is a socket in the directory for temporary files
    with secure_server(tmp_path) as secure, TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home}
        async with launch(BINARY, profile, VIEWPORT, environment=environment) as browser:
            await browser.page.call("Page.navigate", url=pages.add("/sound", SOUND))
            playing = "sound.resume().then(() => new Promise(done => setInterval(() =>"
            playing += " sound.currentTime > 0.1 && done(), 20)))"
            await browser.page.call(
                "Runtime.evaluate", expression=playing, awaitPromise=True, userGesture=True
            )
            reply = await browser.page.call("Page.navigate", url=secure)
            assert reply["errorText"] == "net::ERR_CERT_AUTHORITY_INVALID"
            await browser.page.call("Inspector.enable")
            with browser.page.handler("Inspector.targetCrashed", lambda _: crashed.set()):
                browser.page.post("Page.crash", {}, lambda outcome: None)
                with trio.fail_after(10):
                    await crashed.wait()
        assert os.listdir(home) == []


async def test_a_browser_starts_where_the_place_for_temporary_files_is_gone(
    tmp_path: Path,
) -> None:
    profile = tmp_path / ("deep" * 40) / "profile"
    profile.parent.mkdir()
    create_profile(profile)
    environment = {**os.environ, "TMPDIR": str(tmp_path / "gone")}
    async with launch(BINARY, profile, VIEWPORT, environment=environment) as browser:
        assert await seen(browser, "1") == 1
        assert os.listdir(scratch_of(profile))
    scratch = scratch_of(profile)
    await remove_profile(profile)
    assert not scratch.exists()


async def test_no_process_of_the_browser_has_the_secrets_of_the_person(profile: Path) -> None:
    environment = {**os.environ, "SHOP_PASSWORD": "geheim-0815", "LC_MESSAGES": "C"}
    async with launch(BINARY, profile, VIEWPORT, environment=environment) as browser:
        for member in processes.members(browser.pid):
            assert b"geheim-0815" not in processes.variables(member.pid)
        assert b"LC_MESSAGES=C" in processes.variables(browser.pid)


async def test_the_browser_inherits_nothing_but_its_pipe(profile: Path) -> None:
    read_end, write_end = os.pipe()
    ours = os.readlink(f"/proc/self/fd/{write_end}")
    async with launch(BINARY, profile, VIEWPORT) as browser:
        for member in processes.members(browser.pid):
            held = processes.held_files(member.pid)
            assert held
            assert ours not in held.values()
        assert processes.held_files(browser.pid)[0] == "/dev/null"
        assert os.getpgid(browser.pid) == os.getsid(browser.pid) == browser.pid
    os.close(read_end)
    os.close(write_end)


async def test_eight_browsers_run_at_once(tmp_path: Path) -> None:
    async def run(number: int) -> None:
        directory = tmp_path / str(number)
        create_profile(directory)
        viewport = Viewport(400 + number, 300)
        async with launch(BINARY, directory, viewport, limits=LaunchLimits(60, 60)) as browser:
            assert await seen(browser, "innerWidth") == 400 + number
            identities.add(browser.process.identity)

    identities = set()
    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(run, number)
    assert len(identities) == 8


async def test_an_error_of_the_block_leaves_as_it_is_and_ends_the_browser(profile: Path) -> None:
    with pytest.raises(CallRefused):
        async with launch(BINARY, profile, VIEWPORT) as browser:
            await browser.page.call("No.such")
    await await_no_member(browser.pid)


async def test_a_cancelled_block_ends_the_browser(profile: Path) -> None:
    with trio.CancelScope() as scope:
        async with launch(BINARY, profile, VIEWPORT) as browser:
            scope.cancel()
            await trio.sleep_forever()
    assert browser.process.returncode == 0
    await await_no_member(browser.pid)


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.2])
async def test_a_cancelled_launch_leaves_no_process(profile: Path, after_s: float) -> None:
    with trio.move_on_after(after_s) as scope:
        async with launch(BINARY, profile, VIEWPORT):
            await trio.sleep_forever()
    assert scope.cancelled_caught
    (leftover,) = list_profiles(profile.parent)
    assert leftover.browser is not None
    await await_no_member(leftover.browser.pid)


async def test_killing_the_browser_ends_every_waiter_with_one_clear_error(profile: Path) -> None:
    async with launch(BINARY, profile, VIEWPORT) as browser, trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(ConnectionClosed, match="the browser closed the pipe"):
                await browser.page.call(
                    "Runtime.evaluate", expression="new Promise(() => 0)", awaitPromise=True
                )

        async def watch() -> None:
            with (
                browser.page.events("Page.loadEventFired") as stream,
                pytest.raises(ConnectionClosed),
            ):
                await stream.next(timeout_s=15)

        for task in (wait, wait, wait, watch):
            nursery.start_soon(task)
        await trio.sleep(0.2)
        os.kill(browser.pid, signal.SIGKILL)
        with trio.fail_after(5):
            await browser.connection.closed.wait()
            await browser.process.exited.wait()
    assert browser.process.returncode == -signal.SIGKILL
    await await_no_member(browser.pid)


async def test_a_browser_that_hangs_is_killed(profile: Path) -> None:
    async with launch(BINARY, profile, VIEWPORT) as browser:
        os.kill(browser.pid, signal.SIGSTOP)
    assert browser.process.returncode == -signal.SIGKILL
    await await_no_member(browser.pid)


OWNER = """
import sys, trio
from pathlib import Path
from cdp.chromium.browser import launch
from cdp.viewport import Viewport

async def main():
    async with launch(Path(sys.argv[1]), Path(sys.argv[2]), Viewport(640, 480)) as browser:
        browser.page.post("Page.navigate", {"url": sys.argv[3]}, lambda outcome: None)
        print(browser.pid, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.parametrize("url", ["about:blank", "data:text/html,<script>for(;;);</script>"])
async def test_killing_the_owner_ends_the_browser(profile: Path, url: str) -> None:
    argv = [sys.executable, "-c", OWNER, str(BINARY), str(profile), url]
    async with trio.open_nursery() as nursery:
        run = partial(trio.run_process, argv, stdout=subprocess.PIPE, check=False)
        owner = await nursery.start(run)
        with trio.fail_after(30):
            pid = int(await owner.stdout.receive_some())
        assert len(processes.members(pid)) > 1
        owner.kill()
        await await_no_member(pid)
    assert processes.naming(str(profile)) == []
    # what the next start does about the profile
    (leftover,) = list_profiles(profile.parent)
    assert leftover.browser is not None
    assert leftover.browser.pid == pid
    assert await terminate_leftover(leftover.browser, profile) is False
    await remove_profile(profile)


async def test_a_closed_pipe_ends_the_browser_by_itself(profile: Path) -> None:
    argv = (str(BINARY), "--headless=new", "--no-sandbox", f"--user-data-dir={profile}")
    process, transport = spawn((*argv, "--remote-debugging-pipe"), dict(os.environ))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        transport.post(b'{"id":1,"method":"Browser.getVersion"}')
        with trio.fail_after(30):
            assert b"protocolVersion" in await transport.receive()
        await transport.aclose()
        assert await process.await_exit(5)
    assert process.returncode == 0


async def test_only_the_recorded_browser_is_terminated(profile: Path) -> None:
    async with launch(BINARY, profile, VIEWPORT) as browser:
        ours = browser.process.identity
        for other in (
            replace(ours, start_time="1"),
            replace(ours, boot_id="another"),
            replace(ours, pid=os.getpid()),
        ):
            assert await terminate_leftover(other, profile) is False
        assert await terminate_leftover(ours, profile.parent) is False
        assert await terminate_leftover(ours, Path(f"{profile}x")) is False
        assert await seen(browser, "1") == 1
        assert await terminate_leftover(ours, profile) is True
        assert await browser.process.await_exit(5)
    assert browser.process.returncode == -signal.SIGKILL
    await await_no_member(browser.pid)


def script(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "browser"
    file.write_text(text)
    file.chmod(0o755)
    return file


async def test_a_browser_that_fails_shows_what_it_printed(tmp_path: Path, profile: Path) -> None:
    fails = script(tmp_path, "#!/bin/sh\necho something is missing >&2\nexit 3\n")
    with pytest.raises(LaunchFailed, match=r"exit status 3\)\n  something is missing"):
        async with launch(fails, profile, VIEWPORT):
            pass


async def test_a_browser_that_says_nothing_has_a_deadline(tmp_path: Path, profile: Path) -> None:
    silent = script(tmp_path, "#!/bin/sh\necho $$\nexec sleep 60\n")
    with pytest.raises(LaunchFailed, match=r"no page within 0\.3 s") as caught:
        async with launch(silent, profile, VIEWPORT, limits=LaunchLimits(start_s=0.3)):
            pass
    await await_no_member(int(caught.value.output))


def test_a_session_still_waits_for_its_tab_when_the_browsers_deadline_is_over() -> None:
    assert START_TIMEOUT_S + TERM_TIMEOUT_S + KILL_TIMEOUT_S < PROVISIONING_S


async def test_a_file_that_is_no_program_is_named(tmp_path: Path, profile: Path) -> None:
    with pytest.raises(LaunchFailed, match="Exec format error"):
        async with launch(script(tmp_path, "\0"), profile, VIEWPORT):
            pass
