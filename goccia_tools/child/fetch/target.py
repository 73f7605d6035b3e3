"""What a fetch address points at: scheme, canonical host, port and request target.

Stricter than the URL class: a spelling that two parsers could read as two hosts is refused, so what the allowlist
sees is what is resolved and connected (ADR 0107 section 3a). The checks are those of the reference's client, and
beyond it hosts that C libraries take for numbers (``0x7f.1``, ``2130706433``, ``0177.0.0.1``) and hosts that are not
ASCII.
"""

from __future__ import annotations

import ipaddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PORTS: Final = {"http": 80, "https": 443}
_HOST_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")
_MAX_HOST_CHARACTERS: Final = 254
_MAX_LABEL_CHARACTERS: Final = 63
#: kept in a request target as they are; anything else is percent-encoded
_IN_TARGET: Final = frozenset(map(chr, range(0x21, 0x7F))) - frozenset('"<>\\^`{|}')


class TargetError(ValueError):
    """The text is not an address that can be fetched; the message says why."""


class Target:
    """One address to fetch.

    Attributes:
        scheme: ``http`` or ``https``.
        host: lower case; an IPv6 address compressed and without brackets.
        port: 1 to 65535.
        path: the request target, path and query, in ASCII.
    """

    __slots__ = ("host", "path", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int, path: str) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path

    @property
    def authority(self) -> str:
        """The value of the ``Host`` field: the port only when it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def address(self) -> str:
        """The whole address in its canonical spelling."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_target(text: str) -> Target:
    """The target of an absolute ``http`` or ``https`` address; its fragment is left off.

    Raises:
        TargetError: it is none, or its host could be read in two ways.
    """
    if any(char < " " or char == "\x7f" for char in text):
        raise TargetError("Invalid URL: control character")
    scheme, separator, rest = text.strip(" ").partition("://")
    scheme = scheme.lower()
    if not separator:
        raise TargetError("Invalid URL: missing scheme")
    if scheme not in _PORTS:
        raise TargetError(f"Unsupported scheme: {scheme}")
    rest = rest.partition("#")[0]
    end = min((place for place in map(rest.find, "/?") if place >= 0), default=len(rest))
    authority, path = rest[:end], rest[end:]
    if "@" in authority:
        raise TargetError("Invalid URL: userinfo is not allowed")
    host, port = _split(authority)
    path = path if path.startswith("/") else "/" + path
    return Target(scheme, host, _port(port, scheme), _ascii(path))


def canonical_host(text: str) -> str:
    """A host of the allowlist in the spelling that targets have; brackets around IPv6 may be there or not.

    Raises:
        TargetError: no target can have this host.
    """
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1])
    return _ipv6(text) if ":" in text else _name(text)


def _split(authority: str) -> tuple[str, str | None]:
    if authority.startswith("["):
        inner, bracket, after = authority[1:].partition("]")
        if not bracket or (after and not after.startswith(":")):
            raise TargetError("Invalid URL: malformed IPv6 authority")
        return _ipv6(inner), after[1:] if after else None
    host, colon, port = authority.partition(":")
    if ":" in port:
        raise TargetError("Invalid URL: IPv6 address must use brackets")
    return _name(host), port if colon else None


def _port(text: str | None, scheme: str) -> int:
    if text is None:
        return _PORTS[scheme]
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65536):
        raise TargetError("Invalid URL: invalid port")
    return int(text)


def _ipv6(text: str) -> str:
    try:
        if "%" in text:
            raise ValueError("a scope names an interface of this machine")
        return ipaddress.IPv6Address(text).compressed
    except ValueError as error:
        raise TargetError("Invalid URL: malformed IPv6 authority") from error


def _name(text: str) -> str:
    if not text:
        raise TargetError("Invalid URL: empty host")
    if not text.isascii():
        raise TargetError("Invalid URL: the host is not ASCII; write international names in their xn-- form")
    host = text.lower()
    if not _HOST_CHARACTERS.issuperset(host) or len(host) > _MAX_HOST_CHARACTERS:
        raise TargetError("Invalid URL: invalid host")
    labels = host.removesuffix(".").split(".")
    if any(not label or len(label) > _MAX_LABEL_CHARACTERS for label in labels):
        raise TargetError("Invalid URL: invalid host")
    if _numeric(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError as error:
            raise TargetError("Invalid URL: a numeric host must be four decimal numbers") from error
    return host


def _numeric(label: str) -> bool:
    """Whether a name that ends with this label is taken for a number (URL Standard, "ends in a number")."""
    if label.isdigit():
        return True
    return label.startswith("0x") and all(char in "0123456789abcdef" for char in label[2:])


def _ascii(path: str) -> str:
    data = path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return "".join(chr(byte) if chr(byte) in _IN_TARGET else f"%{byte:02X}" for byte in data)
