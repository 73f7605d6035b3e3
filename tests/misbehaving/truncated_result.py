"""A result reduced to fit its frame stays what it was."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "truncated": True, "diff_requested": True}

read_request()
send(frame(payload(truncated=True, diffRequested=True)))
