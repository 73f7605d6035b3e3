"""Says what it waits for, and waits too long."""

import time

from wire import read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 1000ms\n.*:\nwaiting for a lock$",
    "timeout_ms": 500,
    "grace_ms": 500,
}

read_request()
send(b"waiting for a lock\n", 2)
time.sleep(60)
