"""Whole runs that fetch, jailed as by default; allowlisted loopback is allowed unless private ranges are denied."""

import pytest

import goccia_tools

OK = b'HTTP/1.1 200 Fine\r\nX-A: 1\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'


def run(source, hosts=("127.0.0.1",), **options):
    return goccia_tools.run(source, allowed_fetch_hosts=hosts, timeout_ms=60_000, source_type="module", **options)


@pytest.mark.adr("C58")
@pytest.mark.parametrize("launcher", ["spawn", "auto"])
def test_a_response_reaches_the_guest(serve, launcher):
    server = serve(OK)
    source = f"""
const r = await fetch("http://127.0.0.1:{server.port}/x", {{ headers: {{ "X-Mine": "v" }} }});
console.log(r.status, r.statusText, r.ok, r.redirected, r.url, r.headers.get("X-A"), (await r.json()).a);
"""
    with goccia_tools.Runner(launcher=launcher) as runner:
        result = runner.run(source, allowed_fetch_hosts=("127.0.0.1",), timeout_ms=60_000, source_type="module")
    assert (result.error_message, result.output) == (
        "",
        f"200 Fine true false http://127.0.0.1:{server.port}/x 1 1\n",
    )
    assert b"x-mine: v" in server.requests[0].lower()


@pytest.mark.adr("C24")
@pytest.mark.parametrize("hosts", [(), ("other.example",)])
def test_without_a_grant_nothing_is_connected(serve, hosts):
    server = serve(OK)
    result = run(f'await fetch("http://127.0.0.1:{server.port}/");', hosts)
    assert result.failure_kind == "script-error"
    assert "TypeError: fetch re" in result.error_message
    assert server.connections == 0


@pytest.mark.adr("C25")
def test_private_ranges_are_refused_although_allowlisted(serve):
    server = serve(OK)
    result = run(f'await fetch("http://127.0.0.1:{server.port}/");', deny_private_ranges=True)
    assert "resolves to private address 127.0.0.1" in result.error_message
    assert server.connections == 0


def test_a_fetch_that_is_aborted_in_the_same_turn_connects_nothing(serve):
    server = serve(OK)
    result = run(f"""
const c = new AbortController();
const p = fetch("http://127.0.0.1:{server.port}/", {{ signal: c.signal }});
c.abort();
try {{ await p; }} catch (e) {{ console.log(e.name); }}
""")
    assert result.output == "AbortError\n"
    assert server.connections == 0


def test_the_runs_deadline_ends_a_fetch(serve):
    server = serve(lambda connection: connection.recv(1))
    result = goccia_tools.run(
        f'await fetch("http://127.0.0.1:{server.port}/");',
        allowed_fetch_hosts=("127.0.0.1",),
        timeout_ms=300,
        source_type="module",
    )
    assert result.failure_kind == "timeout"
