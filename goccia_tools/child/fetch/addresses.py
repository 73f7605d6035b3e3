"""Which internet addresses a guest may be kept from: everything that is not plainly a public unicast address.

ADR 0107 section 3a (``denyPrivateRanges``). Ranges are those of the IANA registries of special-purpose addresses
(RFC 6890 and its successors). An IPv6 form that carries an IPv4 address is refused as a whole or judged by the
address it leads to, whichever denies more.
"""

from __future__ import annotations

import ipaddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_RANGES_V4: Final = tuple(
    (ipaddress.IPv4Network(network), why)
    for network, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by carriers"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112 service"),
        ("192.52.193.0/24", "multicast tunnels"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "AS112 service"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
#: RFC 4291: unicast of the public internet is inside this; loopback, mapped, NAT64, local and multicast are outside
_GLOBAL_V6: Final = ipaddress.IPv6Network("2000::/3")
_RANGES_V6: Final = tuple(
    (ipaddress.IPv6Network(network), why)
    for network, why in (
        ("2001::/23", "protocol assignments and Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112 service"),
        ("3fff::/20", "documentation"),
    )
)


def denied_range(address: str) -> str | None:
    """Why a numeric address is not public, in one or two words; None when it is.

    Args:
        address: IPv4 in four plain decimals or IPv6 without brackets, as a resolver gives it. Anything else, a scoped
            address included, cannot be judged and is denied.
    """
    if "%" in address:
        return "scoped"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(parsed, ipaddress.IPv4Address):
        return next((why for network, why in _RANGES_V4 if parsed in network), None)
    if parsed not in _GLOBAL_V6:
        return "not public unicast"
    return next((why for network, why in _RANGES_V6 if parsed in network), None)
