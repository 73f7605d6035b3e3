"""Answers after its own time is over, within the grace."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "timeout_ms": 100, "grace_ms": 5000, "within_ms": 4000}

read_request()
time.sleep(0.4)
send(frame(payload()))
