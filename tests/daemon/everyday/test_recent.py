"""How many replies are kept, and how large they may be together."""

from __future__ import annotations

from daemon.everyday.recent import MOST, MOST_BYTES, Recent


def test_the_newest_are_kept():
    recent = Recent()
    for number in range(MOST + 3):
        recent.keep(f"c{number}", {"ok": True, "number": number})
    kept = [number for number in range(MOST + 3) if recent.find(f"c{number}")]
    assert kept == list(range(3, MOST + 3))
    assert recent.find("c5") == {"ok": True, "number": 5}


def test_large_ones_push_older_ones_out_and_one_larger_than_all_room_pushes_none():
    recent = Recent()
    half = {"ok": True, "value": "é" * (MOST_BYTES // 5)}
    for number in range(3):
        recent.keep(f"c{number}", half)
    assert [recent.find(f"c{number}") is not None for number in range(3)] == [False, True, True]
    recent.keep("c3", {"ok": True, "value": "é" * MOST_BYTES})
    assert recent.find("c3") is None
    assert recent.find("c2") == half
    recent.keep("c4", {"ok": True})
    assert recent.find("c1") == half, "what is gone counts no more"
