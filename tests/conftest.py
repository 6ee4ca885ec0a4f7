"""Fixtures that every layer's tests may use."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from cdp.chromium import scratch
from tests.fakes import oracle
from tests.fakes.installation import Installation
from tests.fakes.pages import PageServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="session")
def short_places() -> Iterator[None]:
    """Let what deep profiles have outside of themselves lie where the run's end removes it."""
    with TemporaryDirectory(prefix="u-", dir="/tmp") as place:
        scratch.OUTSIDE = Path(place)
        yield


@pytest.fixture
def pages() -> Iterator[PageServer]:
    """Three loopback origins that serve the handed cases."""
    with PageServer() as server:
        yield server


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """A private installation; that it leaves nothing behind is part of the test."""
    installed = Installation(tmp_path / "installation")
    try:
        yield installed
        stopped = installed.stop()
        left = installed.check_leftovers()
    finally:
        installed.kill()
    assert stopped.exit == 0, stopped
    assert left == []


@pytest.fixture
def watched_installation(installation: Installation, tmp_path: Path) -> Installation:
    """An installation whose browsers also answer the oracle."""
    installation.watch(tmp_path)
    return installation


@pytest.fixture
def watched_browser(tmp_path: Path) -> Path:
    """A browser launcher that also opens a debugging port, for ``oracle.connect``."""
    return oracle.write_watched_browser(tmp_path)
