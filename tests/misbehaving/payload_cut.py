"""Half a result, then the end."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": r"status 0; only 100 of \d+ bytes of its result had come"}

read_request()
send(frame(payload())[:104])
