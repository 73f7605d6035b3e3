"""Addresses that a guest may be kept from, in every form that leads to them."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.fetch.addresses import denied_range

PRIVATE_V4 = [
    *(
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
    ),
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1"),
    *("192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255"),
    *("240.0.0.1", "255.255.255.255"),
]
PRIVATE_V6 = [
    *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:10.0.0.1", "64:ff9b::7f00:1"),
    *(
        "64:ff9b::808:808",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:10::1",
    ),
    *("2001:20::1", "2001:2::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "2002:808:808::", "3fff::1"),
    *("5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1"),
]


@pytest.mark.parametrize("address", PRIVATE_V4 + PRIVATE_V6)
def test_an_address_that_is_not_public_is_denied(address):
    assert denied_range(address)


@pytest.mark.parametrize(
    "address",
    [
        *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255"),
        *("172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"),
        *("2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888"),
    ],
)
def test_a_public_address_is_not_denied(address):
    assert denied_range(address) is None


@pytest.mark.parametrize(
    "text", ["", "localhost", "0x7f.1", "127.1", "010.0.0.1", "2606:4700::1%eth0", "[::1]", "1.1.1.1 "]
)
def test_what_is_no_plain_address_is_denied(text):
    assert denied_range(text)


@given(st.integers(0, 2**32 - 1))
def test_every_ipv4_address_that_python_calls_special_is_denied(number):
    address = ipaddress.IPv4Address(number)
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert denied_range(str(address))


@given(st.integers(0, 2**128 - 1) | st.integers(0x2000 << 112, (0x4000 << 112) - 1))
def test_every_ipv6_address_that_python_calls_special_is_denied(number):
    address = ipaddress.IPv6Address(number)
    special = not address.is_global or address.is_multicast or address.is_reserved
    if special or address.ipv4_mapped or address.sixtofour or address.teredo:
        assert denied_range(str(address))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0xFFFF << 32, 0x64FF9B << 96, 0, 0xFFFF << 48]))
def test_no_form_that_carries_an_ipv4_address_is_let_through(number, prefix):
    assert denied_range(str(ipaddress.IPv6Address(prefix | number)))
