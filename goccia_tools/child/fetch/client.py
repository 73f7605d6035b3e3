"""One fetch over the network: each hop authorised, resolved once, and connected to the address that was checked.

ADR 0107 sections 3a and 6: the allowlist comes first and looks at nothing but the name; the private ranges are looked
at in the resolved addresses; both are asked again for every redirect. HTTP/1.1 is read by h11, after the shapes have
been refused that two parsers read in two ways. One connection a hop, no proxies, no cookies, no stored credentials.
"""

from __future__ import annotations

import socket
import ssl

import h11

from goccia_tools.child.fetch.addresses import denied_range
from goccia_tools.child.fetch.resolver import FetchError, resolve
from goccia_tools.child.fetch.target import Target, TargetError, canonical_host, parse_target
from goccia_tools.child.fetch.wire import Head, exchange
from goccia_tools.child.weburl import UrlError, parse_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    Pairs = list[tuple[str, str]]

MAX_REDIRECTS: Final = 20
DEFAULT_RESPONSE_BYTES: Final = 8 * 1024 * 1024
_REDIRECTS: Final = (301, 302, 303, 307, 308)
#: they say where the message goes and ends, which is not the guest's to say
_OWN_FIELDS: Final = frozenset(
    ("connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
#: not carried to another origin
_SECRET_FIELDS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))


class Fetched:
    """What came back, from which final ``address``, and whether redirects led there."""

    __slots__ = ("address", "body", "headers", "reason", "redirected", "status")

    def __init__(self, head: Head, body: bytes, address: str, redirected: bool) -> None:
        self.status, self.reason, self.headers = head.status, head.reason, head.headers
        self.body = body
        self.address = address
        self.redirected = redirected


class Client:
    """What may be fetched in one run, and how.

    Args:
        allowed_hosts: the names that may be fetched, in any case; entries that no address can have allow nothing.
        deny_private: refuse names that lead to anything but public unicast addresses.
        max_response_bytes: the longest body; 0 is 8 MiB.
        tls: how servers are verified; the system's authorities by default.
        lookup: the addresses of a name, within so many seconds (None: no limit).
        denied: why an address is private, or None.
    """

    def __init__(
        self,
        allowed_hosts: Iterable[str],
        *,
        deny_private: bool,
        max_response_bytes: int = 0,
        tls: ssl.SSLContext | None = None,
        lookup: Callable[[str, float | None], list[str]] = resolve,
        denied: Callable[[str], str | None] = denied_range,
    ) -> None:
        self._allowed = set(_canonical(allowed_hosts))
        self._deny_private = deny_private
        self._max_bytes = max_response_bytes or DEFAULT_RESPONSE_BYTES
        self._tls = tls
        self._lookup = lookup
        self._denied = denied

    def allows(self, host: str) -> bool:
        """Whether a canonical host is on the allowlist."""
        return host in self._allowed

    def fetch(self, method: str, address: str, headers: Pairs, left_s: Callable[[], float | None]) -> Fetched:
        """Fetch an address with ``GET`` or ``HEAD``.

        Args:
            left_s: the seconds that are left, None when there is no limit; asked before every step that waits.

        Raises:
            FetchError: refused or failed; the message says where and why.
            TimeoutError: no time is left.
        """
        target = self._authorised(address)
        fields = [(name.lower(), value) for name, value in headers if name.lower() not in _OWN_FIELDS]
        for hop in range(MAX_REDIRECTS + 1):
            head, body = self._hop(method, target, fields, left_s)
            location = next((value for name, value in head.headers if name == "location"), "")
            if head.status not in _REDIRECTS or not location or hop == MAX_REDIRECTS:
                return Fetched(head, body, target.address, hop > 0)
            following = self._authorised(_joined(location, target))
            if (following.scheme, following.authority) != (target.scheme, target.authority):
                fields = [pair for pair in fields if pair[0] not in _SECRET_FIELDS]
            method = "GET" if head.status == 303 and method != "HEAD" else method
            target = following
        raise AssertionError("the last hop returns")

    def _authorised(self, address: str) -> Target:
        try:
            target = parse_target(address)
        except TargetError as error:
            raise FetchError(str(error)) from error
        if not self.allows(target.host):
            raise FetchError(f"fetch host not allowed: {target.host}")
        return target

    def _hop(
        self, method: str, target: Target, fields: Pairs, left_s: Callable[[], float | None]
    ) -> tuple[Head, bytes]:
        addresses = self._lookup(target.host, left_s())
        for address in addresses if self._deny_private else ():
            if self._denied(address):
                raise FetchError(f"fetch destination not allowed: {target.host} resolves to private address {address}")
        try:
            with _connected(addresses, target.port, left_s) as connection:
                if target.scheme == "http":
                    return exchange(connection, method, target, fields, self._max_bytes, left_s)
                self._tls = self._tls or ssl.create_default_context()
                with self._tls.wrap_socket(connection, server_hostname=target.host) as secured:
                    return exchange(secured, method, target, fields, self._max_bytes, left_s)
        except TimeoutError:
            raise
        except (OSError, h11.ProtocolError) as error:
            raise FetchError(f"{target.host}: {error}") from error


def _connected(addresses: list[str], port: int, left_s: Callable[[], float | None]) -> socket.socket:
    failure: OSError = OSError("no address")
    for address in addresses:
        connection: Any = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            connection.settimeout(left_s())
            connection.connect((address, port))
        except TimeoutError:
            connection.close()
            raise
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection  # type: ignore[no-any-return]
    raise failure


def _joined(location: str, base: Target) -> str:
    try:
        return parse_url(location, parse_url(base.address, None))["href"]
    except UrlError as error:
        raise FetchError(f"Invalid URL: {error}") from error


def _canonical(hosts: Iterable[str]) -> Iterable[str]:
    for host in hosts:
        try:
            yield canonical_host(host)
        except TargetError:
            continue
