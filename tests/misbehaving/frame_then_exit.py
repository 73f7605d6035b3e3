"""A result, and then a status that says otherwise."""

import os

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "notes": "^the child exited with status 3 after its result$"}

read_request()
send(frame(payload()))
os._exit(3)
