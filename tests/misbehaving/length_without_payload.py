"""Declares 64 MiB, and then sends nothing: memory is not given on a promise."""

import time

from wire import LIMIT_BYTES, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "execution deadline exceeded; child hard-killed after 500ms",
    "timeout_ms": 200,
    "grace_ms": 300,
    "memory_mib": 4,
}

read_request()
send(LIMIT_BYTES.to_bytes(4, "big"))
time.sleep(60)
