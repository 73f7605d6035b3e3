"""A perfect result, on the wrong stream: it is never read as one."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": "exited with status 0; no result had come"}

read_request()
send(frame(payload()), 2)
