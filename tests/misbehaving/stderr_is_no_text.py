"""Diagnostics that are no UTF-8."""

import os

from wire import read_request, send

EXPECT = {"kind": "child-process-crash", "message": "stderr of the child:\n\ufffd\ufffdok\ufffd$"}

read_request()
send(b"\xff\xfeok\xc3", 2)
os._exit(1)
