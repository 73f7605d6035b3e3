"""Leaves fifty children in its group."""

import os
import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n"}

read_request()
for _ in range(50):
    if not os.fork():
        time.sleep(60)
        os._exit(0)
send(frame(payload()))
