"""Launch: from a binary and a profile directory to a browser with one ready page."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import trio

from cdp.background import running
from cdp.chromium.environment import browser_environment
from cdp.chromium.flags import Surroundings, browser_argv
from cdp.chromium.identity import read_command_line
from cdp.chromium.process import BrowserProcess, spawn
from cdp.chromium.profile import record_browser
from cdp.connection import CdpSession, Connection, open_connection
from cdp.errors import BacklogFull, CdpError, ConnectionClosed, LaunchFailed
from cdp.viewport import VIEWPORT_TIMEOUT_S, Viewport, set_viewport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from cdp.pipe import PipeTransport
    from cdp.schema import BrowserGetVersionResult, TargetTargetCreatedEvent
    from cdp.transport import Transport

    Tap = Callable[[Transport], Transport]
    """Returns what carries our messages to a transport and back."""

START_TIMEOUT_S = 20.0
"""Less than whoever waits for a tab waits, so that the reason is told."""
CLOSE_TIMEOUT_S = 5.0
_EXIT_TIMEOUT_S = 2.0
_OUTPUT_TIMEOUT_S = 0.5


@dataclass(frozen=True, slots=True)
class Browser:
    """A running Chromium of ours, with one page at the exact viewport."""

    connection: Connection
    page: CdpSession
    """The page's session, attached and otherwise untouched."""
    target_id: str
    """The page's target; also the id of its main frame."""
    version: str
    """Product and version, as in ``Chrome/156.0.8078.108``."""
    argv_passed: tuple[str, ...]
    argv_actual: tuple[str, ...]
    """As the system shows it after exec; often one string (see ``read_command_line``)."""
    process: BrowserProcess

    @property
    def pid(self) -> int:
        """The browser's process id."""
        return self.process.pid


@dataclass(frozen=True, slots=True)
class LaunchLimits:
    """How long the steps of a launch may take, in seconds."""

    start_s: float = START_TIMEOUT_S
    viewport_s: float = VIEWPORT_TIMEOUT_S


@asynccontextmanager
async def launch(  # noqa: PLR0913 - two places, a size, and three seams that few callers need
    binary: Path,
    profile: Path,
    viewport: Viewport,
    *,
    environment: Mapping[str, str] | None = None,
    limits: LaunchLimits = LaunchLimits(),
    tap: Tap | None = None,
) -> AsyncIterator[Browser]:
    """Run a browser for the length of the block; afterwards no process of it is left.

    ``profile`` is a directory that ``create_profile`` made; it stays. ``environment``
    is ours when not given; see `browser_environment`. A ``tap`` stands between us and the
    pipe. Raises LaunchFailed with what the browser printed, or ViewportRefused. The block is
    not cancelled when the browser ends: its calls fail, and ``browser.connection.closed`` tells.
    """
    argv = browser_argv(binary, profile, viewport, look_around())
    variables = browser_environment(os.environ if environment is None else environment, profile)
    async with (
        _spawned(argv, variables) as (process, transport),
        open_connection(tap(transport) if tap else transport) as connection,
    ):
        record_browser(profile, process.identity)
        version, target_id = await _meet(connection, process, limits.start_s)
        # one that never answered is not asked, and not waited for
        async with _asked_to_close(connection, process):
            page = await connection.attach(target_id, timeout_s=limits.start_s)
            # a question about passkeys would lie over the page and take its input for good
            await page.call("WebAuthn.enable", enableUI=False, timeout_s=limits.start_s)
            await set_viewport(connection, page, target_id, viewport, timeout_s=limits.viewport_s)
            yield Browser(
                connection=connection,
                page=page,
                target_id=target_id,
                version=version,
                argv_passed=argv,
                argv_actual=read_command_line(process.pid),
                process=process,
            )


def look_around() -> Surroundings:
    """Return the facts of this machine that the command line depends on."""
    return Surroundings(root=os.geteuid() == 0, shm_free_bytes=_shm_free_bytes())


def _shm_free_bytes() -> int | None:
    try:
        size = os.statvfs("/dev/shm")  # noqa: S108 (asked for its size only)
    except OSError:
        return None
    return size.f_bavail * size.f_frsize


@asynccontextmanager
async def _spawned(
    argv: tuple[str, ...], environment: Mapping[str, str]
) -> AsyncIterator[tuple[BrowserProcess, PipeTransport]]:
    process, transport = spawn(argv, environment)
    async with running(process.watch, process.drain):
        try:
            yield process, transport
        finally:
            with trio.CancelScope(shield=True):
                await process.end()


@asynccontextmanager
async def _asked_to_close(connection: Connection, process: BrowserProcess) -> AsyncIterator[None]:
    """Afterwards ask the browser to end by itself and give it time, before harsher means."""
    try:
        yield
    finally:
        with trio.CancelScope(shield=True):
            if _ask_to_close(connection):
                await process.await_exit(CLOSE_TIMEOUT_S)


def _ask_to_close(connection: Connection) -> bool:
    """Send the request; false when the browser cannot be asked any more."""
    try:
        connection.post("Browser.close", {}, lambda _: None)
    except (ConnectionClosed, BacklogFull):
        return False
    return True


async def _meet(
    connection: Connection, process: BrowserProcess, timeout_s: float
) -> tuple[str, str]:
    """Return version and page target of a browser that starts; LaunchFailed with evidence."""
    try:
        with trio.fail_after(timeout_s):
            return await _first_answers(connection, timeout_s)
    except ConnectionClosed:
        await process.await_exit(_EXIT_TIMEOUT_S)
        output = await process.await_output(_OUTPUT_TIMEOUT_S)
        raise LaunchFailed(f"it ended (exit status {process.returncode})", output) from None
    except trio.TooSlowError:
        raise LaunchFailed(f"no page within {timeout_s:g} s", process.output) from None
    except CdpError as error:
        raise LaunchFailed(str(error), process.output) from error


async def _first_answers(connection: Connection, timeout_s: float) -> tuple[str, str]:
    # all of it lies in the pipe before the browser is up
    with connection.events("Target.targetCreated") as created:
        version, *_ = await connection.pipeline(
            [
                ("Browser.getVersion", {}),
                ("Browser.setDownloadBehavior", {"behavior": "deny"}),
                ("Target.setDiscoverTargets", {"discover": True}),
            ],
            timeout_s=timeout_s,
        )
        product = cast("BrowserGetVersionResult", version)["product"]
        async for event in created:
            target = cast("TargetTargetCreatedEvent", event.params)["targetInfo"]
            if target["type"] == "page":
                return product, target["targetId"]
    raise AssertionError("unreachable: the stream ends with an error")
