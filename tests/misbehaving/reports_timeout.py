"""A timeout that the child saw itself, told between its own budget and the parent's deadline."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "timeout", "message": "^too slow$", "timeout_ms": 200, "grace_ms": 3000}

read_request()
time.sleep(0.3)
send(frame(payload(ok=False, exitCode=1, failureKind="timeout", errorMessage="too slow")))
