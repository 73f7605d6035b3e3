"""A frame with nothing in it."""

from wire import frame, read_request, send

EXPECT = {"kind": "child-process-crash", "message": "cannot be trusted: it is not a JSON document"}

read_request()
send(frame(b""))
