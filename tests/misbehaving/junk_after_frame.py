"""A goodbye after the result."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "notes": "^3 bytes after the child's result were ignored$"}

read_request()
send(frame(payload()))
time.sleep(0.1)
send(b"bye")
