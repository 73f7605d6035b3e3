"""Ignores every signal that can be ignored."""

import signal
import time

from wire import read_request

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
read_request()
while True:
    time.sleep(1)
