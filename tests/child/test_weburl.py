"""Addresses: their parts, relative ones, what is refused, and setters that leave a valid address."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goccia_tools.child.webhost import parse_query, serialize_query
from goccia_tools.child.weburl import UrlError, parse_url, percent_decode, percent_encode, set_part


def test_the_parts_of_an_address() -> None:
    url = parse_url("HTTPS://user:pa%20ss@EXAMPLE.com:443/a/../b c?q=1&r=ü#frag é", None)
    assert url["href"] == "https://user:pa%20ss@example.com/b%20c?q=1&r=%C3%BC#frag%20%C3%A9"
    assert (url["origin"], url["host"], url["port"], url["pathname"]) == (
        "https://example.com",
        "example.com",
        "",
        "/b%20c",
    )


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("http://1.2.3/", "http://1.2.3/"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("file:///C:/x/../y", "file:///C:/y"),
        ("mailto:a@b", "mailto:a@b"),
        ("data:text/plain,hi there", "data:text/plain,hi%20there"),
        ("javascript:1 + 2", "javascript:1%20+%202"),
        ("http:\\\\h\\p", "http://h/p"),
        ("  http://h/  ", "http://h/"),
        ("ws://h:80/", "ws://h/"),
        ("http://h/a/%2e%2e/b/.", "http://h/b/"),
    ],
)
def test_serialisation(text: str, href: str) -> None:
    assert parse_url(text, None)["href"] == href


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("../x?y#z", "http://h/a/x?y#z"),
        ("", "http://h/a/b/c?q"),
        ("?n", "http://h/a/b/c?n"),
        ("#f", "http://h/a/b/c?q#f"),
        ("//other/p", "http://other/p"),
        ("/top", "http://h/top"),
        ("http:d", "http://h/a/b/d"),
        ("https://s/", "https://s/"),
    ],
)
def test_relative_addresses(text: str, href: str) -> None:
    assert parse_url(text, parse_url("http://h/a/b/c?q", None))["href"] == href


@pytest.mark.parametrize(
    "text",
    [
        "nope",
        "",
        "//x",
        "http://",
        "http://exa mple/",
        "http://a:99999/",
        "http://a:b/",
        "http://[::1/",
        "http://ü.de/",
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UrlError):
        parse_url(text, None)


@given(st.text(max_size=40))
def test_a_parsed_address_is_stable(tail: str) -> None:
    try:
        url = parse_url("http://host/" + tail, None)
    except UrlError:
        return
    assert url["href"].isascii()
    assert parse_url(url["href"], None) == url


@given(
    st.sampled_from(["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]),
    st.text(max_size=20),
)
@example("host", ":")
@example("host", ":81")
@example("host", "[::1]:81")
@example("hostname", "[::1]")
def test_a_setter_leaves_a_valid_address(part: str, value: str) -> None:
    url = set_part(parse_url("http://u:p@h:8080/p?q#f", None), part, value)
    assert parse_url(url["href"], None)["href"] == url["href"]


@given(st.lists(st.tuples(st.text(), st.text())))
def test_a_query_survives(pairs: list[tuple[str, str]]) -> None:
    kept = [[name, value] for name, value in pairs if name or value]
    assert parse_query(serialize_query(kept)) == kept


@given(st.text())
def test_percent_codes_survive(text: str) -> None:
    assert percent_decode(percent_encode(text, lambda char: False)) == text


def test_the_host_setter_takes_an_ipv6_address_and_its_port() -> None:
    url = parse_url("http://h:8080/", None)
    assert set_part(url, "host", "[::1]:81")["href"] == "http://[::1]:81/"
    assert set_part(url, "host", "other")["href"] == "http://other:8080/"
    assert set_part(url, "host", ":81") == url
