"""The largest length there is; nothing is allocated for it."""

import time

from wire import read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "declared a result of 4294967295 bytes, over the frame limit; child hard-killed",
    "memory_mib": 4,
}

read_request()
send(b"\xff\xff\xff\xff{}")
time.sleep(60)
