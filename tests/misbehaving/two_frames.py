"""A second opinion after the result; the first one counts."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "output": "first", "notes": r"^\d+ bytes after the child's result were ignored$"}

read_request()
send(frame(payload(output="first")) + frame(payload(output="second")))
