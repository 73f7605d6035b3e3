"""Closes its end of the request early, and is never heard of again."""

import os
import time

from wire import read_exactly

EXPECT = {
    "kind": "child-process-crash",
    "message": "exited with status 7; no result had come",
    "request_mib": 60,
    "memory_mib": 4,
}

read_exactly(1000)
os.close(0)
time.sleep(0.2)
os._exit(7)
