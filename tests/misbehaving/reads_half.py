"""Takes half of a large request and loses interest."""

import time

from wire import read_exactly

EXPECT = {
    "kind": "child-process-crash",
    "message": "did not take its request within 1500ms of its start; child hard-killed",
    "request_mib": 60,
    "start_up_ms": 1500,
    "memory_mib": 4,
}

read_exactly(30 << 20)
time.sleep(60)
