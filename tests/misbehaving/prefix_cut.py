"""Two bytes of a length, then the end."""

from wire import read_request, send

EXPECT = {"kind": "child-process-crash", "message": "status 0; only 2 of 4 bytes of the length of its result had come"}

read_request()
send(b"\0\0")
