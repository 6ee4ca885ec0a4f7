"""Where a workspace's origins come from, and their bound."""

from __future__ import annotations

import pytest

from daemon.fence import OriginFence, decide_origins
from protocol.errors import Failure

A, B = "http://127.0.0.1:1", "https://b.example"


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


def test_a_first_load_takes_in_the_hops_of_its_site_and_nothing_later():
    fence = OriginFence(["https://a.example"])
    assert not fence.allows("https://www.a.example/")
    with fence.first_load("https://a.example/start"):
        assert not fence.allows("https://b.example/")
        assert not fence.allows("http://a.example/")
        assert not fence.allows("javascript:1")
        assert fence.allows("about:blank")
        assert fence.allows("https://www.a.example/home")
    assert fence.origins == ("https://a.example", "https://www.a.example")
    assert fence.allows("https://www.a.example/")
    assert not fence.allows("https://login.a.example/")


def test_a_first_load_takes_in_nothing_that_the_installation_does_not_allow():
    fence = OriginFence(["https://a.example"], ["https://a.example", "https://m.a.example"])
    with fence.first_load("https://a.example/"):
        assert not fence.allows("https://www.a.example/")
        assert fence.allows("https://m.a.example/")
