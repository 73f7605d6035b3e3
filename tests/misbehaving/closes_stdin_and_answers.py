"""Closes its end of the request early, and answers all the same."""

import os
import time

from wire import frame, payload, read_exactly, send

EXPECT = {"kind": "none", "output": "done\n", "request_mib": 60, "memory_mib": 4}

read_exactly(1000)
os.close(0)
time.sleep(0.2)
send(frame(payload()))
