"""200 MB of diagnostics in front of a good result."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "memory_mib": 4, "within_ms": 8000}

read_request()
chunk = b"E" * 1_000_000
for _ in range(200):
    send(chunk, 2)
send(frame(payload()))
