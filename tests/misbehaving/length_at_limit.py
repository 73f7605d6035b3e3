"""A result of 64 MiB exactly: the most there may be. In memory it is there as bytes, in the parser and as text."""

from wire import LIMIT_BYTES, frame, payload, read_request, send

EXPECT = {"kind": "none", "within_ms": 8000, "memory_mib": 280}

read_request()
data = payload(output="")
room = LIMIT_BYTES - len(data)
send(frame(payload(output="x" * room)))
