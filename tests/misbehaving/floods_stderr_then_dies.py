"""200 MB of diagnostics, and no result; the last 8 KiB are kept, from a whole character on."""

import os

from wire import read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": r"exited with status 9; no result had come\nstderr of the child:\né{4094}\nok$",
    "memory_mib": 4,
    "within_ms": 8000,
}

read_request()
chunk = "é".encode() * 500_000
for _ in range(200):
    send(chunk, 2)
send(b"\nok\n", 2)
os._exit(9)
