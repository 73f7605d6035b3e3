"""Addresses to fetch: one canonical host for each, or a refusal."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.fetch.addresses import denied_range
from goccia_tools.child.fetch.target import TargetError, canonical_host, parse_target

#: spellings of targets inside; each must fail to parse, or show the allowlist a host that is not the allowed one, or
#: lead to an address that is denied
FORBIDDEN = [
    *("http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/"),
    *("http://0x7f.1/", "http://0x7f.0x0.0x0.0x1/", "http://0177.0.0.1/", "http://017700000001/", "http://0/"),
    *("http://0x/", "http://00000177.0.0.1/", "http://127.0.0.01/", "http://127.0.0.1./", "http://127.0.0.1../"),
    *("http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/"),
    *("http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fe80::1%25eth0]/"),
    *("http://[fe80::1%lo]/", "http://[fd00:ec2::254]/", "http://::1/", "http://[::1", "http://[::1]x/"),
    *("http://169.254.169.254/latest/meta-data/", "http://0xa9fea9fe/", "http://2852039166/", "http://10.0.0.1:80/"),
    *(
        "http://allowed.example@127.0.0.1/",
        "http://allowed.example:80@127.0.0.1/",
        "http://127.0.0.1#@allowed.example/",
    ),
    *(
        "http://127.0.0.1?@allowed.example/",
        "http://127.0.0.1\\@allowed.example/",
        "http://allowed.example\\@127.0.0.1/",
    ),
    *(
        "http://allowed.example%00.evil/",
        "http://allowed.example%2eevil/",
        "http://127%2e0%2e0%2e1/",
        "http://①②⑦.⓪.⓪.①/",
    ),
    *(
        "http://127。0。0。1/",
        "http://１２７.0.0.1/",
        "http://allowed.example\r\n.evil/",
        "http://allowed.example .evil/",
    ),
    *("http:///127.0.0.1/", "http:127.0.0.1/", "//127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:70/_x"),
    *("ftp://allowed.example/", "data:text/plain,x", "javascript:1", "unix:///run/x.sock", "http://allowed.example:0/"),
    *(
        "http://allowed.example:65536/",
        "http://allowed.example:+80/",
        "http://allowed.example:80:81/",
        "http://@allowed.example/",
    ),
    *(
        "http://.allowed.example/",
        "http://allowed..example/",
        "http://allowed.example./",
        "http://xn--allowed.example.evil/",
    ),
    *(
        "http://ⓐllowed.example/",
        "http://allowed.example,evil/",
        "http://allowed.example;evil/",
        "http://",
        "https://",
        "",
    ),
    *("http://1.1.1.1.1/", "http://256.1.1.1/", "http://a.0x1/", "http://a.1/", "http://localhost/", "http://*/"),
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_a_spelling_of_a_forbidden_target_is_refused(address):
    try:
        target = parse_target(address)
    except TargetError:
        return
    assert target.host != "allowed.example"
    numeric = target.host.replace(".", "").isdigit() or ":" in target.host
    assert not numeric or denied_range(target.host)


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("HTTP://Allowed.EXAMPLE", "http://allowed.example/"),
        ("http://a.example:80/x?y=1#z", "http://a.example/x?y=1"),
        ("https://a.example:443", "https://a.example/"),
        ("https://a.example:80", "https://a.example:80/"),
        ("http://a.example?q", "http://a.example/?q"),
        ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
        ("http://[::FFFF:1.2.3.4]/", f"http://[{ipaddress.IPv6Address('::ffff:1.2.3.4').compressed}]/"),
        ("http://a.example/ä b|c", "http://a.example/%C3%A4%20b%7Cc"),
        ("http://a.example/%41%zz", "http://a.example/%41%zz"),
        ("http://a.example/\ud800", "http://a.example/%EF%BF%BD"),
        ("http://a_b.example./", "http://a_b.example./"),
    ],
)
def test_an_address_has_one_canonical_spelling(address, canonical):
    assert parse_target(address).address == canonical
    assert parse_target(canonical).address == canonical


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("x", "Invalid URL: missing scheme"),
        ("file:///etc/passwd", "Unsupported scheme: file"),
        ("http://u:p@h/", "Invalid URL: userinfo is not allowed"),
        ("http://::1/", "Invalid URL: IPv6 address must use brackets"),
        ("http://[::1", "Invalid URL: malformed IPv6 authority"),
        ("http://h:x/", "Invalid URL: invalid port"),
        ("http:///p", "Invalid URL: empty host"),
        ("http://0x7f.1/", "Invalid URL: a numeric host must be four decimal numbers"),
    ],
)
def test_a_refusal_says_what_is_wrong(address, message):
    with pytest.raises(TargetError, match=f"^{message}$"):
        parse_target(address)


@pytest.mark.parametrize(
    ("entry", "host"),
    [("API.Example", "api.example"), ("[::1]", "::1"), ("0:0::1", "::1"), ("127.0.0.1", "127.0.0.1")],
)
def test_an_entry_of_the_allowlist_is_spelt_as_targets_are(entry, host):
    assert canonical_host(entry) == host


@given(st.text(max_size=40))
def test_any_host_is_refused_or_stays_what_it_is(text):
    try:
        target = parse_target(f"http://{text}")
    except TargetError:
        return
    assert target.host.isascii()
    assert canonical_host(target.host) == target.host
    assert parse_target(target.address).address == target.address
    assert target.path.isascii()
    assert " " not in target.path
