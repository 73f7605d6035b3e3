"""A result, and then a crash."""

import signal

from wire import die, frame, payload, read_request, send

EXPECT = {"kind": "none", "notes": r"^the child was ended by signal 11 \(SIGSEGV\) after its result$"}

read_request()
send(frame(payload()))
die(signal.SIGSEGV)
