"""Stops, and nobody continues it."""

import os
import signal

from wire import frame, payload, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

read_request()
os.kill(os.getpid(), signal.SIGSTOP)
send(frame(payload()))
