"""The table of spellings of addresses, asked of a real Chromium."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.fakes.bare_browser import open_browser
from tests.vectors.origins import ADDRESSES, NEVER_NAVIGATED, ONLY_CHROMIUM_READS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.chromium

ORIGINS = """JSON.stringify(%s.map(address => {
  try { return new URL(address).origin } catch { return null }
}))"""


def origins_by_chromium(root: Path, addresses: list[str]) -> list[str | None]:
    with open_browser(root) as browser:
        origins: list[str | None] = json.loads(browser.evaluate(ORIGINS % json.dumps(addresses)))
    return origins


def test_chromium_gives_every_address_the_origin_in_the_table(tmp_path: Path) -> None:
    origins = origins_by_chromium(tmp_path, list(ADDRESSES))
    given = dict(zip(ADDRESSES, origins, strict=True))
    assert given == ADDRESSES | ONLY_CHROMIUM_READS


def test_chromium_gives_no_address_of_another_scheme_a_web_origin(tmp_path: Path) -> None:
    others = [address for address in NEVER_NAVIGATED if ":http" not in address]
    assert len(others) == len(NEVER_NAVIGATED) - 3  # blob: and the like carry another's origin
    origins = origins_by_chromium(tmp_path, others)
    assert [origin for origin in origins if str(origin).startswith("http")] == []
