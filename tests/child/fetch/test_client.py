"""Fetches from servers on the loopback: what comes back, what is refused, and that a refused target saw nothing."""

import socket
import struct

import pytest

from goccia_tools.child.fetch.client import Client
from goccia_tools.child.fetch.resolver import FetchError, resolve

OK = b"HTTP/1.1 200 Fine\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nhi"


def client(*hosts, deny=False, **options):
    return Client(hosts or ("127.0.0.1",), deny_private=deny, **options)


def no_limit():
    return None


def get(server, path="/", using=None, headers=(), method="GET"):
    address = f"http://127.0.0.1:{server.port}{path}"
    return (using or client()).fetch(method, address, list(headers), no_limit)


def redirect(to, status=302):
    return f"HTTP/1.1 {status} Go\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode()


def test_a_response_comes_back_whole(serve):
    server = serve(OK)
    got = get(server, "/p?q")
    assert (got.status, got.reason, got.body, got.redirected) == (200, "Fine", b"hi", False)
    assert ("x-a", "1") in got.headers
    assert got.address == f"http://127.0.0.1:{server.port}/p?q"
    assert server.requests[0].startswith(b"GET /p?q HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{server.port}".encode() in server.requests[0].lower()


def test_head_has_no_body(serve):
    server = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
    assert get(server, method="HEAD").body == b""
    assert server.requests[0].startswith(b"HEAD ")


def test_fields_of_the_guest_travel_but_not_those_that_frame_the_message(serve):
    server = serve(OK)
    get(server, headers=[("X-Mine", "v"), ("Host", "evil"), ("Content-Length", "5"), ("Transfer-Encoding", "chunked")])
    request = server.requests[0].lower()
    assert b"x-mine: v\r\n" in request
    assert b"evil" not in request
    assert b"content-length" not in request
    assert b"transfer-encoding" not in request


@pytest.mark.parametrize("pair", [("a b", "1"), ("a", "1\r\nb: 2"), ("ä", "1"), ("", "1"), ("a:", "1")])
def test_a_field_that_is_none_is_refused(serve, pair):
    with pytest.raises(FetchError):
        get(serve(OK), headers=[pair])


def test_ipv6(serve):
    try:
        server = serve(OK, "::1")
    except OSError:
        pytest.skip("no IPv6 loopback")
    got = client("[::1]").fetch("GET", f"http://[0:0::1]:{server.port}/", [], no_limit)
    assert got.body == b"hi"


# -- who may be fetched


def test_a_host_that_is_not_allowed_sees_no_connection(serve):
    server = serve(OK)
    with pytest.raises(FetchError, match=r"^fetch host not allowed: 127\.0\.0\.1$"):
        get(server, using=client("other.example"))
    assert server.connections == 0


def test_an_allowed_name_that_leads_inside_is_refused_and_sees_no_connection(serve):
    server = serve(OK)
    inside = client("pub.example", deny=True, lookup=lambda host, limit: ["127.0.0.1"])
    with pytest.raises(FetchError, match=r"pub\.example resolves to private address 127\.0\.0\.1"):
        inside.fetch("GET", f"http://pub.example:{server.port}/", [], no_limit)
    assert server.connections == 0


def test_one_private_address_among_public_ones_is_enough(serve):
    server = serve(OK)
    mixed = client(
        "pub.example",
        deny=True,
        lookup=lambda host, limit: ["127.0.0.1", "10.0.0.1"],
        denied=lambda address: "private" if address.startswith("10.") else None,
    )
    with pytest.raises(FetchError, match="private address 10"):
        mixed.fetch("GET", f"http://pub.example:{server.port}/", [], no_limit)
    assert server.connections == 0


def test_the_address_that_was_checked_is_the_one_connected(serve):
    server, other = serve(OK), serve(OK, "127.0.0.2")
    answers = [["127.0.0.1"], ["127.0.0.2"]]
    asked = []

    def rebinding(host, limit):
        asked.append(host)
        return answers[len(asked) - 1]

    once = client("pub.example", deny=True, lookup=rebinding, denied=lambda a: None if a == "127.0.0.1" else "private")
    assert once.fetch("GET", f"http://pub.example:{server.port}/", [], no_limit).body == b"hi"
    assert asked == ["pub.example"]
    with pytest.raises(FetchError, match="private address"):
        once.fetch("GET", f"http://pub.example:{other.port}/", [], no_limit)
    assert other.connections == 0


# -- redirects


def test_a_redirect_is_followed(serve):
    end = serve(OK)
    start = serve(redirect(f"http://127.0.0.1:{end.port}/end", 301))
    got = get(start)
    assert (got.body, got.redirected, got.address) == (b"hi", True, f"http://127.0.0.1:{end.port}/end")


def test_secrets_stay_with_their_origin(serve):
    end = serve(OK)
    start = serve(redirect(f"http://127.0.0.1:{end.port}/"))
    get(start, headers=[("Authorization", "s"), ("X-Mine", "v")])
    assert b"authorization" in start.requests[0].lower()
    assert b"authorization" not in end.requests[0].lower()
    assert b"x-mine" in end.requests[0].lower()


@pytest.mark.parametrize(
    "to",
    [
        "http://localhost:{port}/",
        "http://127.0.0.2:{port}/",
        "http://0x7f.1:{port}/",
        "file:///etc/passwd",
        "http://u@127.0.0.1:{port}/",
        "//127.0.0.2:{port}/",
    ],
)
def test_a_redirect_is_authorised_as_the_first_address_is(serve, to):
    target = serve(OK)
    start = serve(redirect(to.format(port=target.port)))
    with pytest.raises(FetchError):
        get(start)
    assert target.connections == 0


def test_a_redirect_to_an_allowed_name_that_leads_inside_is_refused(serve):
    inside = serve(OK, "127.0.0.2")
    start = serve(redirect(f"http://b.example:{inside.port}/"))
    addresses = {"a.example": ["127.0.0.1"], "b.example": ["127.0.0.2"]}
    using = client(
        "a.example",
        "b.example",
        deny=True,
        lookup=lambda host, limit: addresses[host],
        denied=lambda a: None if a == "127.0.0.1" else "private",
    )
    with pytest.raises(FetchError, match=r"b\.example resolves to private address 127\.0\.0\.2"):
        using.fetch("GET", f"http://a.example:{start.port}/", [], no_limit)
    assert inside.connections == 0


def test_twenty_redirects_and_no_more(serve):
    server = serve(redirect("/again"))
    got = get(server)
    assert got.status == 302
    assert server.connections == 21


# -- responses that are wrong


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
        b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
        b"HTTP/1.1 200 OK\r\nA: 1\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nA : 1\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20000)) + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 20000,
        b"SSH-2.0-x\r\n\r\n",
    ],
    ids=lambda answer: repr(answer[:60]),
)
def test_a_response_that_is_malformed_or_ambiguous_fails(serve, answer):
    with pytest.raises(FetchError):
        get(serve(answer))


def test_a_body_over_the_ceiling_fails_whether_it_says_its_length_or_never_ends(serve):
    def endless(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    using = client(max_response_bytes=1000)
    for answer in (endless, b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + b"x" * 1001):
        with pytest.raises(FetchError, match="longer than 1000 bytes"):
            get(serve(answer), using=using)
    assert get(serve(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000), using=using).body == b"x" * 1000


def test_a_connection_reset_fails(serve):
    def reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    with pytest.raises(FetchError):
        get(serve(reset))


def test_a_slow_drip_ends_when_no_time_is_left(serve):
    def drip(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X: y\r\n")

    steps = iter([1.0] * 8)

    def left():
        for step in steps:
            return step
        raise TimeoutError

    with pytest.raises((TimeoutError, FetchError)):
        client().fetch("GET", f"http://127.0.0.1:{serve(drip).port}/", [], left)


def test_a_silent_server_ends_with_the_time(serve):
    def silent(connection):
        connection.recv(1)

    with pytest.raises(TimeoutError):
        client().fetch("GET", f"http://127.0.0.1:{serve(silent).port}/", [], lambda: 0.05)


def test_a_compressed_body_is_handed_over_as_it_came(serve):
    got = get(serve(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"))
    assert got.body == b"\x1f\x8b"


def test_proxies_of_the_environment_are_not_used(serve, monkeypatch):
    proxy = serve(OK)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    get(serve(OK))
    assert proxy.connections == 0


def test_a_numeric_host_is_its_own_address():
    assert resolve("127.0.0.1", 60) == ["127.0.0.1"]


def test_tls_is_not_spoken_with_who_cannot(serve):
    server = serve(OK)
    with pytest.raises(FetchError):
        client().fetch("GET", f"https://127.0.0.1:{server.port}/", [], lambda: 60)
