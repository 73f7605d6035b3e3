"""Sleeps past the deadline."""

import time

from wire import read_request

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

read_request()
time.sleep(60)
