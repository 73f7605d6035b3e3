"""A good result, one byte at a time."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n"}

read_request()
for byte in frame(payload()):
    send(bytes([byte]))
    time.sleep(0.001)
