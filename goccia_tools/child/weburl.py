"""Addresses as the URL class shows them: a parser for the parts, their serialisation, and the setters.

Domain names stay ASCII (others are refused, as in the reference); numeric host forms are kept as written.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

#: schemes with an authority, and their default ports
SPECIAL_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": ""}
_FORBIDDEN_IN_HOST: Final = " #/<>?@\\^|%\x7f"

Url = dict[str, str]


class UrlError(ValueError):
    """The text is not an address; the message says why."""


def percent_decode(text: str) -> str:
    """The text with its percent escapes read as UTF-8; invalid ones stay."""
    data = bytearray()
    raw = text.encode("utf-8", "replace")
    index = 0
    while index < len(raw):
        pair = raw[index + 1 : index + 3]
        if raw[index] == 0x25 and len(pair) == 2 and all(byte in b"0123456789abcdefABCDEF" for byte in pair):
            data.append(int(pair, 16))
            index += 3
        else:
            data.append(raw[index])
            index += 1
    return data.decode("utf-8", "replace")


def percent_encode(text: str, keep: Callable[[str], bool]) -> str:
    """The text with every character escaped that is not ASCII or that ``keep`` does not let through."""
    return "".join(
        char if char.isascii() and keep(char) else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        for char in text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )


def _escape(text: str, more: str) -> str:
    return percent_encode(text, lambda char: " " < char < "\x7f" and char not in more)


_FRAGMENT: Final = '"<>`'
_QUERY: Final = "\"#<>'"
_PATH: Final = '"#<>?`{}^'
_USERINFO: Final = _PATH + "/:;=@[\\]|"


def parse_url(text: str, base: Url | None) -> Url:
    """The parts of an address, named as the URL class names them, with ``href`` and ``origin``.

    Raises:
        UrlError: it is none.
    """
    text = text.strip("".join(map(chr, range(33)))).replace("\t", "").replace("\n", "").replace("\r", "")
    text, has_fragment, fragment = text.partition("#")
    scheme, rest = _scheme(text)
    if scheme is None and base is None:
        raise UrlError("missing scheme")
    if scheme is None or (
        base is not None
        and scheme + ":" == base["protocol"]
        and scheme in SPECIAL_PORTS
        and not (rest.startswith(("/", "\\")))
    ):
        if base is None:
            raise UrlError("missing scheme")
        url = _relative(rest, base)
    else:
        url = _absolute(scheme, rest)
    url["hash"] = "#" + _escape(fragment, _FRAGMENT) if has_fragment and fragment else ""
    return _finished(url)


def _scheme(text: str) -> tuple[str | None, str]:
    head, colon, rest = text.partition(":")
    if (
        colon
        and head
        and head[0].isascii()
        and head[0].isalpha()
        and all(c.isascii() and (c.isalnum() or c in "+-.") for c in head)
    ):
        return head.lower(), rest
    return None, text


def _absolute(scheme: str, rest: str) -> Url:
    url = {"protocol": scheme + ":", "username": "", "password": "", "hostname": "", "port": "", "search": ""}
    special = scheme in SPECIAL_PORTS
    if special:
        rest = _forward(rest)
    rest, has_query, query = rest.partition("?")
    url["search"] = "?" + _escape(query, _QUERY if special else '"#<>') if has_query and query else ""
    if special and scheme != "file":
        rest = "//" + rest.lstrip("/")
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        _authority(url, authority, scheme)
        url["pathname"] = _path(slash + path, special)
    elif special or rest.startswith("/"):
        url["pathname"] = _path(rest, special)
    else:
        url["pathname"] = _escape(rest, "") if scheme != "javascript" else rest.replace(" ", "%20")
    return url


def _forward(text: str) -> str:
    """Backslashes before the query count as slashes in special schemes."""
    head, question, query = text.partition("?")
    return head.replace("\\", "/") + question + query


def _authority(url: Url, text: str, scheme: str) -> None:
    userinfo, at, hostport = text.rpartition("@")
    if at:
        user, colon, password = userinfo.partition(":")
        url["username"] = _escape(user, _USERINFO.replace("%", ""))
        url["password"] = _escape(password, _USERINFO.replace("%", "")) if colon else ""
    host, port = _split_host(hostport)
    if not host and scheme in SPECIAL_PORTS and scheme != "file":
        raise UrlError("empty host")
    url["hostname"] = _host(host)
    url["port"] = _port(port, scheme)


def _split_host(text: str) -> tuple[str, str]:
    """A host and the text of its port; a colon inside brackets belongs to the host."""
    if text.startswith("["):
        host, bracket, after = text.partition("]")
        if not bracket or (after and not after.startswith(":")):
            raise UrlError("invalid IPv6 address")
        return host + bracket, after[1:]
    host, _, port = text.rpartition(":") if ":" in text else (text, "", "")
    return host, port


def _host(host: str) -> str:
    if host.startswith("["):
        if not all(char in "[]:.0123456789abcdefABCDEF" for char in host):
            raise UrlError("invalid IPv6 address")
        return host.lower()
    decoded = percent_decode(host).lower()
    if not decoded.isascii() or any(char < " " or char in _FORBIDDEN_IN_HOST or char in "[]:" for char in decoded):
        raise UrlError("invalid host")
    return decoded


def _port(port: str, scheme: str) -> str:
    if not port:
        return ""
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise UrlError("invalid port")
    number = str(int(port))
    return "" if SPECIAL_PORTS.get(scheme) == number else number


def _path(path: str, special: bool) -> str:
    if not path:
        return "/" if special else ""
    parts: list[str] = []
    pieces = path.split("/")[1:]
    for index, piece in enumerate(pieces):
        plain = piece.lower().replace("%2e", ".")
        last = index == len(pieces) - 1
        if plain == "..":
            del parts[-1:]
        elif plain != ".":
            parts.append(_escape(piece, _PATH))
        if last and plain in (".", ".."):
            parts.append("")
    return "/" + "/".join(parts)


def _relative(text: str, base: Url) -> Url:
    scheme = base["protocol"][:-1]
    special = scheme in SPECIAL_PORTS
    if not special and not base["pathname"].startswith("/"):
        raise UrlError("the base cannot have relative addresses")
    if special:
        text = _forward(text)
    if text.startswith("//"):
        return _absolute(scheme, text)
    url = dict(base)
    path, has_query, query = text.partition("?")
    if path or has_query:
        url["search"] = "?" + _escape(query, _QUERY if special else '"#<>') if query else ""
    if path.startswith("/"):
        url["pathname"] = _path(path, special)
    elif path:
        url["pathname"] = _path(base["pathname"].rpartition("/")[0] + "/" + path, special)
    return url


def _finished(url: Url) -> Url:
    scheme = url["protocol"][:-1]
    url["host"] = url["hostname"] + (":" + url["port"] if url["port"] else "")
    userinfo = url["username"] + (":" + url["password"] if url["password"] else "")
    authority = "//" + (userinfo + "@" if userinfo else "") + url["host"]
    if not url["host"] and scheme != "file":
        authority = "" if not url["pathname"].startswith("//") else "/."
    url["href"] = url["protocol"] + authority + url["pathname"] + url["search"] + url["hash"]
    with_origin = scheme in SPECIAL_PORTS and scheme != "file"
    url["origin"] = f"{scheme}://{url['host']}" if with_origin else "null"
    return url


def set_part(url: Url, part: str, value: str) -> Url:
    """The address with one part replaced; a value that does not fit changes nothing."""
    scheme = url["protocol"][:-1]
    special = scheme in SPECIAL_PORTS
    changed = dict(url)
    try:
        if part == "protocol":
            new = value.partition(":")[0].lower()
            if (new in SPECIAL_PORTS) == special and _scheme(new + ":")[0] is not None:
                changed["protocol"] = new + ":"
                changed["port"] = _port(url["port"], new)
        elif part == "username" and url["host"]:
            changed["username"] = _escape(value, _USERINFO)
        elif part == "password" and url["host"]:
            changed["password"] = _escape(value, _USERINFO)
        elif part == "hostname" and value:
            changed["hostname"] = _host(value)
        elif part == "host" and value:
            host, port = _split_host(value)
            if not host:
                return url
            changed["hostname"] = _host(host)
            changed["port"] = _port(port, scheme) if port else url["port"]
        elif part == "port" and url["host"] and scheme != "file":
            changed["port"] = _port(value, scheme)
        elif part == "pathname":
            path = value.replace("\\", "/") if special else value
            changed["pathname"] = _path(path if path.startswith("/") else "/" + path, special)
        elif part == "search":
            query = value.removeprefix("?")
            changed["search"] = "?" + _escape(query, _QUERY) if query else ""
        elif part == "hash":
            fragment = value.removeprefix("#")
            changed["hash"] = "#" + _escape(fragment, _FRAGMENT) if fragment else ""
    except UrlError:
        return url
    return _finished(changed)
