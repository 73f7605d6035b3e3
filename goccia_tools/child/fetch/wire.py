"""One request and its response on a connection, under ceilings of size and time; refuses what can be read in two ways.

RFC 9112 sections 2.2, 5.2 and 6.3: bare line ends, folded fields, and lengths that contradict each other.
"""

from __future__ import annotations

import re

import h11

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Final

    from goccia_tools.child.fetch.target import Target

MAX_HEAD_BYTES: Final = 64 * 1024
_CHUNK_BYTES: Final = 64 * 1024
_STRAY: Final = re.compile(rb"(?<!\r)\n|\r(?!\n)|\x00|\n[ \t]")


class Head:
    """The status, the reason and the header fields (lower case names) of a response."""

    __slots__ = ("headers", "reason", "status")

    def __init__(self, status: int, reason: str, headers: list[tuple[str, str]]) -> None:
        self.status = status
        self.reason = reason
        self.headers = headers


def exchange(
    connection: socket.socket,
    method: str,
    target: Target,
    fields: list[tuple[str, str]],
    max_body_bytes: int,
    left_s: Callable[[], float | None],
) -> tuple[Head, bytes]:
    """Send a request without a body and read its response whole.

    Raises:
        h11.ProtocolError: a field of the request is none, or the response is malformed, ambiguous or over a ceiling.
        OSError: the connection failed; TimeoutError when no time is left.
    """
    machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
    own = [(b"host", target.authority.encode("ascii")), (b"connection", b"close")]
    if not any(name == "user-agent" for name, _ in fields):
        own.append((b"user-agent", b"GocciaScript/1.0"))
    request = h11.Request(method=method, target=target.path, headers=[*own, *_encoded(fields)])
    connection.settimeout(left_s())
    connection.sendall(machine.send(request) or b"")
    machine.send(h11.EndOfMessage())
    head, rest = _read_head(connection, machine, left_s)
    return head, _read_body(connection, machine, rest, max_body_bytes, left_s)


def _encoded(fields: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    try:
        return [(name.encode("ascii"), value.encode("utf-8")) for name, value in fields]
    except UnicodeEncodeError as error:
        raise h11.LocalProtocolError("Invalid HTTP header name") from error


def _receive(connection: socket.socket, left_s: Callable[[], float | None]) -> bytes:
    connection.settimeout(left_s())
    return connection.recv(_CHUNK_BYTES)


def _read_head(
    connection: socket.socket, machine: h11.Connection, left_s: Callable[[], float | None]
) -> tuple[Head, bytes]:
    data, seen = b"", 0
    while True:
        end = data.find(b"\r\n\r\n")
        if (end if end >= 0 else len(data)) + seen > MAX_HEAD_BYTES:
            raise h11.RemoteProtocolError("the response headers are too long")
        if end < 0:
            if _STRAY.search(data[:-1]):
                raise h11.RemoteProtocolError("malformed line ends in the response headers")
            received = _receive(connection, left_s)
            if not received:
                raise h11.RemoteProtocolError("the connection ended within the response headers")
            data += received
            continue
        block, data = data[: end + 4], data[end + 4 :]
        seen += len(block)
        if _STRAY.search(block):
            raise h11.RemoteProtocolError("malformed line ends in the response headers")
        machine.receive_data(block)
        event = machine.next_event()
        if isinstance(event, h11.Response):
            return _checked(event, block), data
        if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
            raise h11.RemoteProtocolError("not a response")


def _checked(response: h11.Response, block: bytes) -> Head:
    lines = [line.partition(b":") for line in block.lower().split(b"\r\n")[1:]]
    lengths = [value for name, _, value in lines if name == b"content-length"]
    codings = [value for name, _, value in lines if name == b"transfer-encoding"]
    if len(lengths) + len(codings) > 1 or any(b"," in value for value in lengths):
        raise h11.RemoteProtocolError("the response gives its length more than once")
    headers = [(name.decode("ascii"), value.decode("latin-1")) for name, value in response.headers]
    return Head(response.status_code, response.reason.decode("latin-1"), headers)


def _read_body(
    connection: socket.socket, machine: h11.Connection, data: bytes, max_bytes: int, left_s: Callable[[], float | None]
) -> bytes:
    body = bytearray()
    if data:
        machine.receive_data(data)
    while True:
        event = machine.next_event()
        if event is h11.NEED_DATA:
            machine.receive_data(_receive(connection, left_s))
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > max_bytes:
                raise h11.RemoteProtocolError(f"the response body is longer than {max_bytes} bytes")
        elif isinstance(event, h11.EndOfMessage):
            return bytes(body)
        else:
            raise h11.RemoteProtocolError("the connection ended within the response body")
