"""Closes all it has, half a result too early."""

import os
import time

from wire import frame, payload, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": r"^the child closed its output and lived on; only 46 of \d+ bytes .* had come; child hard-killed$",
    "within_ms": 2500,
}

read_request()
send(frame(payload())[:50])
os.closerange(0, 3)
time.sleep(60)
