"""Crashes with a last word on stderr."""

import signal

from wire import die, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": r"^the child was ended by signal 11 \(SIGSEGV\); no result had come\nstderr of the child:\npanic: é$",
}

read_request()
send("panic: é\n".encode(), 2)
die(signal.SIGSEGV)
