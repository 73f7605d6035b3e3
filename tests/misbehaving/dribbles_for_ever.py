"""Always one more byte of a result that never ends."""

import time

from wire import read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

read_request()
send((1 << 20).to_bytes(4, "big"))
while True:
    send(b" ")
    time.sleep(0.01)
