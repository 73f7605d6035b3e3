"""Without a time limit nothing is killed, however long the grace has been over."""

import time

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "done\n", "timeout_ms": 0, "grace_ms": 50, "start_up_ms": 50}

time.sleep(0.3)
read_request()
time.sleep(0.3)
send(frame(payload()))
