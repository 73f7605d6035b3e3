"""Closes its end of the request early, and hangs: its time runs from there."""

import os
import time

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "request_mib": 60,
    "timeout_ms": 200,
    "grace_ms": 300,
    "memory_mib": 4,
}

os.close(0)
time.sleep(60)
