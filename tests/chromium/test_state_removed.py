"""A daemon whose state directory is taken away ends by itself, and its browser with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cdp.chromium.scratch import scratch_of
from tests.fakes.door_process import wait_for

if TYPE_CHECKING:
    from tests.fakes.installation import Installation

pytestmark = pytest.mark.chromium


def test_no_process_outlives_the_state_directory(installation: Installation) -> None:
    assert installation.run("open", "about:blank").exit == 0
    assert installation.processes()
    (profile,) = (installation.home / "profiles").glob("*/")
    scratch = scratch_of(profile)
    assert scratch.is_dir()
    away = installation.home.with_name("away")
    installation.home.rename(away)
    assert installation.run("daemon", "status").exit == 8, "no command reaches it any more"
    log = away / "log" / "daemon.log"
    wait_for(lambda: "was removed or moved: the daemon stops" in log.read_text())
    wait_for(lambda: not installation.processes())
    assert not scratch.is_dir()
