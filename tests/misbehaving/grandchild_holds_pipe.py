"""Ends without a word and leaves a child that holds the pipes open."""

import os
import time

from wire import read_request

EXPECT = {"kind": "child-process-crash", "message": "exited with status 4; no result had come"}

read_request()
if os.fork():
    os._exit(4)
time.sleep(60)
