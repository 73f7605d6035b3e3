"""Half a result, then a crash: the signal is the news."""

import signal

from wire import die, frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": r"signal 11 \(SIGSEGV\); only 100 of \d+ bytes of its result"}

read_request()
send(frame(payload())[:104])
die(signal.SIGSEGV)
