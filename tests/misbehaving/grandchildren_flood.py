"""Ends without a word, and leaves children that write without end to both streams."""

import os

from wire import read_request, send

EXPECT = {"kind": "child-process-crash", "message": "exited with status 5|over the frame limit", "memory_mib": 4}

read_request()
for descriptor in (1, 2):
    if not os.fork():
        while True:
            send(b"\0\0\0" * 10000 if descriptor == 2 else b"\0\x10\0\0" + b" " * 60000, descriptor)
os._exit(5)
