"""Knows the answer before the question."""

from wire import frame, payload, send

EXPECT = {"kind": "none", "output": "done\n", "request_mib": 60, "memory_mib": 4}

send(frame(payload()))
