"""Never takes its request, which is too large for any pipe."""

import time

EXPECT = {
    "kind": "child-process-crash",
    "message": "^the child did not take its request within 1000ms of its start; child hard-killed$",
    "request_mib": 60,
    "start_up_ms": 1000,
    "memory_mib": 4,
}

time.sleep(60)
