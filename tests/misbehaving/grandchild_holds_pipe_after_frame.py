"""Answers, and leaves a child that holds the pipes open."""

import os
import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "notes": "^$", "within_ms": 2000}

read_request()
if os.fork():
    send(frame(payload()))
    os._exit(0)
time.sleep(60)
