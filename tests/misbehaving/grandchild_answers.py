"""Ends without a word; its own child would answer in its place, too late."""

import os
import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": "exited with status 0; no result had come"}

read_request()
if os.fork():
    os._exit(0)
time.sleep(1)
send(frame(payload()))
