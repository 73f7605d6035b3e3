"""A result that cannot be trusted, and then a crash: both are told."""

import signal

from wire import die, frame, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": r"cannot be trusted: it is not a JSON document.*; the child was ended by signal 11 \(SIGSEGV\)",
}

read_request()
send(frame(b"{"))
die(signal.SIGSEGV)
