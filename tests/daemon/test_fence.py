"""The fence's policy and memory; where origins come from, and their bound."""

from __future__ import annotations

import pytest

from daemon.fence import KEPT, URL_KEPT_CHARACTERS, Fence, decide_origins
from protocol.errors import Failure

A, B = "http://127.0.0.1:1", "https://b.example"


def test_documents_of_the_main_frame_are_held_to_the_origins_and_frames_are_not() -> None:
    fence = Fence([A])
    assert fence.allows(A + "/x", main_frame=True)
    assert fence.allows("about:blank", main_frame=True)
    assert not fence.allows(B, main_frame=True)
    assert not fence.allows("data:text/html,x", main_frame=True)
    assert fence.allows(B, main_frame=False)


def test_what_was_refused_is_counted_and_the_newest_kept() -> None:
    fence = Fence([A])
    for number in range(KEPT + 1):
        fence.note_refused(f"{B}/{number}", "POST")
    fence.note_popup(B + "/" + "x" * 5000)
    told = fence.wire()
    refused, popups = told["refusedNavigations"], told["popups"]
    assert isinstance(refused, list)
    assert isinstance(popups, list)
    assert told["refusedCount"] == KEPT + 1
    assert [len(refused), refused[0]["url"], refused[-1]["method"]] == [KEPT, f"{B}/1", "POST"]
    assert [len(popups), len(popups[0]["url"])] == [1, URL_KEPT_CHARACTERS]


def test_origins_are_the_urls_and_the_named() -> None:
    assert decide_origins(A + "/page", [B], []) == (A, B)
    assert decide_origins(None, [], []) == ()


@pytest.mark.parametrize("bound", [["http://127.0.0.1:1/"], [A, B]])
def test_within_the_bound(bound: list[str]) -> None:
    assert decide_origins(A + "/page", [], bound) == (A,)


@pytest.mark.parametrize(("url", "named"), [(B + "/", []), (A, [B]), (None, [B])])
def test_out_of_bounds_names_origin_and_key(url: str | None, named: list[str]) -> None:
    with pytest.raises(Failure) as caught:
        decide_origins(url, named, [A])
    assert caught.value.code == "policy"
    assert B in caught.value.message
    assert "`origins` in section [policy]" in caught.value.hint


def test_plain_http_elsewhere_needs_its_name() -> None:
    with pytest.raises(Failure) as caught:
        decide_origins("http://app:3000/", [], [])
    assert caught.value.code == "origin"
    assert decide_origins("http://app:3000/", ["http://app:3000"], []) == ("http://app:3000",)
