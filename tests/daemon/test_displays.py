"""Displays: numbers, ranges, foreign X servers, owners, generations."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from daemon.displays import Displays
from protocol.errors import Failure

if TYPE_CHECKING:
    from pathlib import Path

ME, OTHER = "uid:1", "uid:1/client:other"


@pytest.fixture
def displays(tmp_path: Path) -> Displays:
    serial = count()
    return Displays(x_directory=tmp_path, mint=lambda prefix: f"{prefix}{next(serial):032x}")


def test_the_lowest_free_number_is_given(displays: Displays) -> None:
    assert [displays.create(ME).display_id for _ in range(3)] == [99, 100, 101]
    displays.destroy(ME, 100)
    assert displays.create(OTHER).display_id == 100


def test_the_wire_form(displays: Displays) -> None:
    assert displays.create(ME).wire() == {
        "displayId": 99,
        "displayTarget": "display_99",
        "captureGeneration": "vdcg-" + "0" * 32,
        "kind": "headless",
        "workspaceId": None,
    }


@pytest.mark.parametrize(
    ("minimum", "maximum"), [(98, 120), (150, 200), (120, 119), (0, 0), (-1, 199)]
)
def test_a_range_outside_is_refused(displays: Displays, minimum: int, maximum: int) -> None:
    with pytest.raises(Failure) as caught:
        displays.create(ME, minimum=minimum, maximum=maximum)
    assert caught.value.code == "invalid_request"
    assert len(displays) == 0


@pytest.mark.parametrize("given", [{"minimum": 120}, {"maximum": 120}])
def test_one_bound_alone_is_refused(displays: Displays, given: dict[str, int]) -> None:
    with pytest.raises(Failure) as caught:
        displays.create(ME, **given)
    assert caught.value.code == "invalid_request"
    assert "--max-display-id" in caught.value.hint


def test_both_ends_are_inclusive_and_exhaustion_never_spills(displays: Displays) -> None:
    made = [displays.create(ME, minimum=198, maximum=199).display_id for _ in range(2)]
    assert made == [198, 199]
    with pytest.raises(Failure) as caught:
        displays.create(ME, minimum=198, maximum=199)
    assert caught.value.code == "display_exhausted"
    assert len(displays) == 2


def test_the_whole_pool_is_101_displays(displays: Displays) -> None:
    numbers = [displays.create(ME).display_id for _ in range(101)]
    assert numbers == list(range(99, 200))
    with pytest.raises(Failure, match="99 to 199"):
        displays.create(ME)


def test_foreign_x_servers_are_skipped(tmp_path: Path, displays: Displays) -> None:
    (tmp_path / ".X11-unix").mkdir()
    (tmp_path / ".X11-unix" / "X99").touch()
    (tmp_path / ".X100-lock").touch()
    (tmp_path / ".X101-lock").symlink_to("nowhere")
    assert displays.create(ME).display_id == 102
    with pytest.raises(Failure) as caught:
        displays.create(ME, minimum=99, maximum=101)
    assert caught.value.code == "display_exhausted"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".X100-lock", ".X101-lock", ".X11-unix"]


def test_another_actors_display_is_not_there(displays: Displays) -> None:
    made = displays.create(ME)
    assert displays.list(OTHER) == []
    for attempt in (displays.get, displays.destroy):
        with pytest.raises(Failure) as foreign:
            attempt(OTHER, 99)
        with pytest.raises(Failure) as absent:
            attempt(OTHER, 98)
        assert foreign.value.code == absent.value.code == "not_found"
        assert foreign.value.message.replace("99", "98") == absent.value.message
    assert displays.list(ME) == [made]


def test_a_held_display_is_a_conflict_and_its_next_workspace_a_new_generation(
    displays: Displays,
) -> None:
    made = displays.create(ME)
    first = made.generation
    displays.occupy(ME, 99, "bw-1")
    assert made.generation == first
    with pytest.raises(Failure) as second:
        displays.occupy(ME, 99, "bw-2")
    with pytest.raises(Failure) as destroyed:
        displays.destroy(ME, 99)
    assert second.value.code == destroyed.value.code == "conflict"
    assert made.workspace_id == "bw-1"
    displays.vacate(made)
    assert (made.workspace_id, made.generation == first) == (None, False)
    displays.destroy(ME, 99)
    assert len(displays) == 0
