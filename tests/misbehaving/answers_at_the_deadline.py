"""Answers at the very deadline: what was read first decides, and either way it is told right."""

import time

from wire import frame, payload, read_request, send

EXPECT = {
    "either": [
        {"kind": "none", "output": "done\n"},
        {"kind": "child-process-crash", "message": "^execution deadline exceeded; child hard-killed after 500ms$"},
    ],
    "timeout_ms": 200,
    "grace_ms": 300,
}

read_request()
time.sleep(0.47)
send(frame(payload()))
