"""Forks twice into a session of its own; nothing waits for it, and the answer counts."""

import os
import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "escapes": True, "within_ms": 2000}

read_request()
if os.fork():
    time.sleep(0.1)
    send(frame(payload()))
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
time.sleep(4)
