"""Which hops of a first load stay on its site."""

import pytest

from protocol.sites import is_same_site


@pytest.mark.parametrize(
    ("origin", "other", "same"),
    [
        ("https://a.example", "https://a.example", True),
        ("https://a.example", "https://www.a.example", True),
        ("https://www.a.example", "https://a.example", True),
        ("http://a.example", "https://a.example", True),
        ("http://localhost:1", "http://localhost:2", True),
        ("http://127.0.0.1:1", "http://127.0.0.1:2", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://b.example", False),
        ("https://x.a.example", "https://y.a.example", False),
        ("https://a.example", "https://nota.example", False),
        ("https://a.example", "https://example", False),
        ("https://1.127.0.0.1", "https://127.0.0.1", False),
        ("http://127.0.0.1:1", "http://localhost:1", False),
    ],
)
def test_a_name_and_what_is_below_it_are_one_site(origin, other, same):
    assert is_same_site(origin, other) is same
