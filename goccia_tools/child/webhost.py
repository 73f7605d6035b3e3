"""What the web globals leave to the host: parsing addresses, coding queries, text and bytes, and who may be fetched."""

from __future__ import annotations

from goccia_tools.child.jsontext import dumps, loads
from goccia_tools.child.weburl import UrlError, parse_url, percent_decode, percent_encode, set_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.engines._quickjs.context import HostFunction
    from goccia_tools.child.engines.limits import Limits
    from goccia_tools.child.fetch.client import Client

NAMES = (
    "parseUrl",
    "setUrlPart",
    "parseQuery",
    "serializeQuery",
    "encodeText",
    "decodeText",
    "authorizeFetch",
    "performFetch",
    "takeFetchedBody",
    "collectGarbage",
)
_QUERY_KEEP = "*-._"


class WebHost:
    """The host functions behind URL, URLSearchParams, TextEncoder, TextDecoder, fetch and Goccia."""

    def __init__(self, request: dict[str, Any], collect: Callable[[], None], limits: Limits) -> None:
        self._allowed = request["capabilities"]["allowedFetchHosts"]
        self._policy = request["engine"]["fetch"]
        self._limits = limits
        self._client: Client | None = None
        self._body = b""
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
            "performFetch": self._fetch,
            "takeFetchedBody": self._take_body,
            "collectGarbage": self._collect_garbage,
        }

    def _collect_garbage(self) -> None:
        self._collect()

    def _authorize(self, address: str) -> str:
        """Why an address may not be fetched, empty when it may; the allowlist alone decides (ADR 0107 section 3a)."""
        if not self._allowed:
            return "fetch requires allowed hosts to be configured"
        from goccia_tools.child.fetch.target import TargetError, parse_target

        try:
            host = parse_target(address).host
        except TargetError as error:
            return f"Invalid fetch URL: {error}"
        if not self._reach().allows(host):
            return f"fetch request to '{host}' blocked: host is not in the allowed hosts list"
        return ""

    def _reach(self) -> Client:
        if self._client is None:
            from goccia_tools.child.fetch.client import Client

            self._client = Client(
                self._allowed,
                deny_private=self._policy["denyPrivateRanges"],
                max_response_bytes=self._policy["maxResponseBytes"],
            )
        return self._client

    def _fetch(self, method: str, address: str, headers_json: str) -> str:
        """Fetch; the response but for its body as JSON, or ``!`` and why there is none."""
        from goccia_tools.child.fetch.resolver import FetchError

        headers = [(name, value) for name, value in loads(headers_json.encode("utf-8", "replace"))]
        try:
            got = self._reach().fetch(method, address, headers, self._limits.left_s)
        except FetchError as error:
            return f"!fetch failed: {error}"
        except TimeoutError:
            self._limits.check_deadline()
            return "!fetch failed: HTTP request timed out"
        self._body = got.body
        return dumps([got.status, got.reason, got.address, got.redirected, [list(pair) for pair in got.headers]])

    def _take_body(self) -> bytes:
        body, self._body = self._body, b""
        return body


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
