"""A stray print in front of the frame: its letters read as a length."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": "declared a result of 1751477356 bytes, over the frame limit"}

read_request()
send(b"hello\n" + frame(payload()))
