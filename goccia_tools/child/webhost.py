"""What the web globals leave to the host: parsing addresses, coding queries, text and bytes, and who may be fetched."""

from __future__ import annotations

from goccia_tools.child.engines import Refused
from goccia_tools.child.jsontext import dumps, loads
from goccia_tools.child.weburl import UrlError, parse_url, percent_decode, percent_encode, set_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.engines._quickjs.context import HostFunction

NAMES = (
    "parseUrl",
    "setUrlPart",
    "parseQuery",
    "serializeQuery",
    "encodeText",
    "decodeText",
    "authorizeFetch",
    "collectGarbage",
)
_QUERY_KEEP = "*-._"


class WebHost:
    """The host functions behind URL, URLSearchParams, TextEncoder, TextDecoder, fetch and Goccia."""

    def __init__(self, request: dict[str, Any], collect: Callable[[], None]) -> None:
        self._allowed = [host.lower() for host in request["capabilities"]["allowedFetchHosts"]]
        self._deny_private = request["engine"]["fetch"]["denyPrivateRanges"]
        self._collect = collect

    def functions(self) -> dict[str, HostFunction]:
        """The functions by the names the prelude knows."""
        return {
            "parseUrl": _parse,
            "setUrlPart": _set,
            "parseQuery": lambda text: dumps(parse_query(text)),
            "serializeQuery": lambda pairs: serialize_query(loads(pairs.encode("utf-8", "surrogatepass"))),
            "encodeText": lambda text: (
                text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
            ),
            "decodeText": _decode,
            "authorizeFetch": self._authorize,
            "collectGarbage": self._collect_garbage,
        }

    def _collect_garbage(self) -> None:
        self._collect()

    def _authorize(self, address: str) -> str:
        """Why a fetch is refused, or the end of a run that would need the network."""
        if not self._allowed:
            return "!fetch requires allowed hosts to be configured"
        try:
            url = parse_url(address, None)
            if url["username"] or url["password"]:
                raise UrlError("userinfo is not allowed")
            if url["protocol"] not in ("http:", "https:"):
                raise UrlError(f"unsupported scheme {url['protocol'][:-1]}")
        except UrlError as error:
            return f"!Invalid fetch URL: Invalid URL: {error}"
        host = url["hostname"].rstrip(".").lower()
        if host not in self._allowed:
            return f"!fetch request to '{host}' blocked: host is not in the allowed hosts list"
        if self._deny_private and _is_private_literal(host):
            return f"fetch request to '{host}' blocked: private address"
        raise Refused("capabilities.allowedFetchHosts", "the embedded engine cannot reach the network")


def _is_private_literal(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost") or host.startswith("["):
        return True
    parts = host.split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() and int(part) < 256 for part in parts):
        return False
    first, second = int(parts[0]), int(parts[1])
    private = first in (0, 10, 127) or first >= 224 or (first, second) in ((169, 254), (192, 168))
    return private or (first == 172 and 16 <= second < 32) or (first == 100 and 64 <= second < 128)


def _parse(text: str, base: str | None) -> str:
    """The parts of an address as JSON; ``!`` and why when it is none."""
    try:
        return dumps(parse_url(text, parse_url(base, None) if base is not None else None))
    except UrlError as error:
        return f"!{error}"


def _set(href: str, part: str, value: str) -> str:
    return dumps(set_part(parse_url(href, None), part, value))


def parse_query(text: str) -> list[list[str]]:
    """The pairs of a query string (application/x-www-form-urlencoded)."""
    pairs = []
    for piece in text.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append([percent_decode(name.replace("+", " ")), percent_decode(value.replace("+", " "))])
    return pairs


def serialize_query(pairs: list[list[str]]) -> str:
    """Pairs as a query string."""

    def coded(text: str) -> str:
        return percent_encode(text, lambda char: char.isalnum() or char in _QUERY_KEEP or char == " ").replace(" ", "+")

    return "&".join(f"{coded(name)}={coded(value)}" for name, value in pairs)


def _decode(data: bytes, fatal: bool, keep_bom: bool) -> str | None:
    """UTF-8 as text; None when it is invalid and that is fatal."""
    try:
        text = data.decode("utf-8", "strict" if fatal else "replace")
    except UnicodeDecodeError:
        return None
    return text[1:] if text.startswith("\ufeff") and not keep_bom else text
