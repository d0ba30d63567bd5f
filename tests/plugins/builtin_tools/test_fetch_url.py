"""Addresses as models write them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minime_builtin_tools.web.failure import Code, FetchFailed
from minime_builtin_tools.web.url import MAX_URL, parse, redirected, repair
from minime_shared.web_address import WebAddress


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://k33g.org/a?b=c#d", "https://k33g.org/a?b=c"),
        ("k33g.org", "https://k33g.org/"),
        ("k33g.org/posts", "https://k33g.org/posts"),
        ("www.k33g.org:8443/x", "https://www.k33g.org:8443/x"),
        ("https//k33g.org", "https://k33g.org/"),
        ("http//k33g.org/x", "http://k33g.org/x"),
        ("https:/k33g.org", "https://k33g.org/"),
        ("https:k33g.org", "https://k33g.org/"),
        ("https:///k33g.org", "https://k33g.org/"),
        ("//k33g.org", "https://k33g.org/"),
        ("HTTPS://K33G.org/Path", "https://k33g.org/Path"),
        (" <https://k33g.org> ", "https://k33g.org/"),
        ("`https://k33g.org`", "https://k33g.org/"),
        ("[site](https://k33g.org/x)", "https://k33g.org/x"),
        ("httpbin.org/get", "https://httpbin.org/get"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("[::1]:8000/x", "http://[::1]:8000/x"),
        ("https://k33g.org:443/", "https://k33g.org/"),
        ("https://k33g.org./", "https://k33g.org/"),
        (
            "https://bücher.example/ü ö?q=ä b",
            "https://xn--bcher-kva.example/%C3%BC%20%C3%B6?q=%C3%A4%20b",
        ),
        ("https://k33g.org/a%20b", "https://k33g.org/a%20b"),
    ],
)
def test_an_address_is_what_was_meant(written: str, meant: str) -> None:
    assert str(repair(written)) == meant


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "the address has no host"),
        ("https://", "no host"),
        ("ftp://k33g.org", "is neither http nor https"),
        ("file:///etc/passwd", "is neither http nor https"),
        ("javascript:alert(1)", "is neither http nor https"),
        ("https://user:secret@k33g.org", "a user or password is not taken"),
        ("https://k33g.org:99999/", "is no address"),
        ("https://k33g.org:http/", "is no address"),
        ("two words.org", "is no host name"),
        ("https://a..b/", "is no host name"),
        ("https://[::g]/", "no"),
        ("https://" + "a" * 64 + ".org", "is no host name"),
        ("https://k33g.org/" + "a" * MAX_URL, "is longer than 2000 characters"),
    ],
)
def test_what_is_no_address_is_a_wrong_argument(written: str, reason: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        repair(written)
    assert caught.value.code is Code.WRONG_ARGUMENT
    assert reason in caught.value.args[0]
    assert str(caught.value).startswith("error 3 (wrong argument, correct the call): ")


@given(
    st.text()
    | st.text("htps:/.@[]#?%\\ab1\r\n\0 é").map(lambda text: text)
    | st.from_regex(r"https?:?/{0,3}[a-z.:\[\]@\d]{0,12}(/.*)?", fullmatch=True)
)
@example("https://a\r\nx-header: 1/")
@example("http://[")
@example("http://①②⑦.0.0.1/")
def test_any_text_is_a_clean_address_or_refused(text: str) -> None:
    try:
        address = repair(text)
    except FetchFailed:
        return
    whole = str(address)
    assert whole.isascii()
    assert whole.isprintable()
    assert " " not in whole
    assert address.host
    assert parse(whole) == address


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/new", "https://k33g.org/new"),
        ("new?x", "https://k33g.org/a/new?x"),
        ("//other.org", "https://other.org/"),
        ("http://other.org/x", "http://other.org/x"),
    ],
)
def test_a_redirect_leads_where_it_says(location: str, target: str) -> None:
    assert str(redirected(repair("https://k33g.org/a/b"), location)) == target


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://x", "http://[", "http://"])
def test_a_redirect_to_something_else_is_not_followed(location: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        redirected(repair("https://k33g.org/"), location)
    assert caught.value.code is Code.CANNOT_REACH


def test_the_usual_port_is_not_named() -> None:
    address = WebAddress(scheme="http", host="::1", port=8080, target="/")
    assert address.origin == "http://[::1]:8080"
