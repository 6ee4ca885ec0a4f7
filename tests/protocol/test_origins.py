"""Origins: the accepted and refused lists, the spellings, the fence's question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.command_fields import parse_command
from protocol.errors import Failure
from protocol.origins import (
    allows,
    origin_of,
    parse_origin,
    refusal_of,
    session_origins,
    verify_allowed,
    verify_plain,
)
from tests.vectors.origins import ADDRESSES, NEVER_NAVIGATED

A = "http://127.0.0.1:8801"


def code_of(call, *args, **kwargs) -> str:
    with pytest.raises(Failure) as caught:
        call(*args, **kwargs)
    return caught.value.code


@pytest.mark.parametrize("address", [text for text, origin in ADDRESSES.items() if origin])
def test_an_address_has_the_origin_that_browsers_give_it(address):
    assert origin_of(address) == ADDRESSES[address]


@pytest.mark.parametrize("address", [text for text, origin in ADDRESSES.items() if not origin])
def test_what_browsers_cannot_read_is_no_address(address):
    assert code_of(origin_of, address) == "invalid_request"
    assert not allows((A,), address)


@pytest.mark.parametrize("address", NEVER_NAVIGATED)
def test_other_schemes_are_never_allowed(address):
    assert code_of(origin_of, address) == "origin"
    assert not allows((A, "https://a.example"), address)


@pytest.mark.parametrize(
    "address", ["about:blank", "ABOUT:blank", "about:blank#x", "about:blank?x", " about:blank "]
)
def test_the_blank_page_has_no_origin_and_is_always_allowed(address):
    assert origin_of(address) is None
    assert allows((), address)


@pytest.mark.parametrize("address", [text for text, origin in ADDRESSES.items() if origin == A])
def test_every_spelling_of_an_origin_is_that_origin(address):
    assert allows((A,), address)


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1:8801/",
        "http://127.0.0.1:8802/",
        "http://127.0.0.1/",
        "http://localhost:8801/",
        "http://127.0.0.1.evil.example:8801/",
        "http://127.0.0.1:8801@evil.example/",
        "http://evil.example:8801\\@127.0.0.1:8801/",
    ],
)
def test_another_scheme_host_or_port_is_another_origin(address):
    assert not allows((A,), address)
    with pytest.raises(Failure) as caught:
        verify_allowed((A,), address)
    assert caught.value.code == "origin"
    refused = origin_of(address)
    assert refused in caught.value.message
    assert f"--origin {refused}" in caught.value.hint


ACCEPTED = {
    "https://B.example:443/": "https://b.example",
    "http://localhost:8787": "http://localhost:8787",
    "http://app.localhost:3000/": "http://app.localhost:3000",
    "https://example.com:8443": "https://example.com:8443",
    "http://[::1]:9": "http://[::1]:9",
    "http://127.0.0.1": "http://127.0.0.1",
    "https://münchen.example": "https://xn--mnchen-3ya.example",
    "https://a.example.": "https://a.example.",
}
REFUSED = [
    "https://*.example.com", "https://user@example.com", "https://@example.com",
    "https://example.com/path", "https://example.com//", "https://example.com?",
    "https://example.com#", " https://example.com", "https://example.com ", "ftp://example.com",
    "example.com", "https:example.com", "https:/example.com", "https:\\\\example.com", "https://",
    "https:///", "https://exa\tmple.com", "about:blank", "null", "", "file://", "*",
    "https://example.com:99999", "https://a.example/\n", "https://a.example,https://b.example",
]  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED)
@pytest.mark.parametrize("explicit", [True, False])
def test_an_origin_has_one_canonical_form(text, explicit):
    origin = parse_origin(text, explicit=explicit)
    assert origin == ACCEPTED[text]
    assert parse_origin(origin, explicit=explicit) == origin
    assert origin_of(origin) == origin


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("explicit", [True, False])
def test_what_is_more_or_less_than_an_origin_is_refused(text, explicit):
    assert code_of(parse_origin, text, explicit=explicit) == "invalid_request"


@pytest.mark.parametrize(
    "text", ["http://example.com", "http://app:3000", "http://127.0.0.2", "http://localhost.",
             "http://xlocalhost", "http://localhost.example", "http://[::2]"],
)  # fmt: skip
def test_plain_http_off_loopback_needs_to_be_named(text):
    with pytest.raises(Failure) as caught:
        parse_origin(text, explicit=False)
    assert caught.value.code == "origin"
    assert f"--origin {text}" in caught.value.hint
    assert parse_origin(text, explicit=True) == text


def test_a_sessions_origins_are_its_address_and_the_named_ones():
    spelt = ["https://B.example:443/", "https://b.example", "https://b.EXAMPLE"]
    assert session_origins("http://localhost:1/x?y", spelt) == (
        "http://localhost:1",
        "https://b.example",
    )
    assert session_origins(None, ["https://b", "https://a"]) == ("https://a", "https://b")
    assert session_origins("about:blank", []) == ()


@pytest.mark.parametrize(
    "url",
    [" http://localhost/", "http://localhost/\n", "http:localhost", "http:/localhost",
     "http://local\thost/", "http://localhost/a b", "about:blank#x", "ABOUT:blank"],
)  # fmt: skip
def test_an_address_that_a_browser_would_repair_begins_no_session(url):
    origin_of(url)  # it has an origin, or is blank
    assert code_of(session_origins, url, []) == "invalid_request"


def test_naming_an_origin_is_consent_to_its_first_address():
    assert session_origins("http://app:3000/x", ["http://APP:3000/"]) == ("http://app:3000",)
    assert code_of(session_origins, "http://app:3000/x", ["http://app"]) == "origin"
    assert code_of(session_origins, "file:///etc/passwd", []) == "origin"
    assert code_of(session_origins, "nowhere", []) == "invalid_request"


def test_a_session_has_at_most_32_origins():
    many = [f"https://{number}.example" for number in range(32)]
    assert len(session_origins(None, many)) == 32
    assert len(session_origins("https://1.example/", many)) == 32
    assert code_of(session_origins, "https://x.example/", many) == "invalid_request"


@given(st.text(max_size=40))
def test_no_text_is_read_with_another_error(text):
    for address in (text, f"http://{text}", f"https://a.example{text}/"):
        try:
            origin = origin_of(address)
        except Failure:
            continue
        assert origin is None or origin_of(origin + "/") == origin


@pytest.mark.parametrize(
    "url",
    [
        "http://user:geheim@a.example/", "https://geheim@a.example", "HTTP:geheim:x@a.example/",
        "https:\\\\geheim@a.example/", " http://geheim@a.example/", "ht\ntp://geheim@a.example/",
    ],
)  # fmt: skip
def test_an_address_with_credentials_is_refused_and_not_repeated(url):
    for verify in (verify_plain, lambda url: session_origins(url, ["https://a.example"])):
        with pytest.raises(Failure) as refused:
            verify(url)
        assert refused.value.code == "origin"
        assert "geheim" not in str(refused.value.body())
    with pytest.raises(Failure) as refused:
        parse_command({"type": "navigate", "url": url})
    assert "geheim" not in str(refused.value.body())
    verify_plain("http://a.example/@b?c@d#e@f")


def test_a_refusal_names_what_would_have_to_be_allowed():
    refusal = refusal_of("http://APP:3000/x?y")
    assert (refusal.code, "http://app:3000" in refusal.message) == ("origin", True)
    assert "--origin http://app:3000 " in refusal.hint
