"""What these tests share: a house of everyday sessions over pages in memory."""

from __future__ import annotations

import pytest

from tests.fakes.everyday import open_everyday_house


@pytest.fixture
async def house(tmp_path):
    async with open_everyday_house(tmp_path) as opened:
        yield opened
