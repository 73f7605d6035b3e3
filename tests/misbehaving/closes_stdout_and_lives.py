"""Closes its output and goes on with its life."""

import os
import time

from wire import read_request

EXPECT = {
    "kind": "child-process-crash",
    "message": "^the child closed its output and lived on; no result had come; child hard-killed$",
    "within_ms": 2500,
}

read_request()
os.close(1)
time.sleep(60)
