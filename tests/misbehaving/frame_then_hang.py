"""A result, and then no end."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "notes": "^the child lived on after its result and was killed$", "within_ms": 2500}

read_request()
send(frame(payload()))
time.sleep(60)
