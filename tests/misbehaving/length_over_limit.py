"""One byte more than there may be, and the sender means it."""

from wire import LIMIT_BYTES, frame, payload, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "declared a result of 67108865 bytes, over the frame limit; child hard-killed",
    "memory_mib": 4,
    "within_ms": 8000,
}

read_request()
room = LIMIT_BYTES + 1 - len(payload(output=""))
send(frame(payload(output="x" * room)))
