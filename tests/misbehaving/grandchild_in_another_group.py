"""Leaves a child in a process group of its own, out of a group kill's reach, that holds the pipes for a while."""

import os
import time

from wire import read_request

EXPECT = {"kind": "child-process-crash", "message": "exited with status 4; no result had come", "escapes": True}

read_request()
if os.fork():
    time.sleep(0.1)
    os._exit(4)
os.setpgid(0, 0)
time.sleep(4)
