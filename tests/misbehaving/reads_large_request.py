"""Takes a large request, and says how large it was."""

from wire import frame, payload, read_exactly, send

EXPECT = {"kind": "none", "request_mib": 60, "memory_mib": 4, "within_ms": 8000, "output": r"^629\d{5}$"}

size = int.from_bytes(read_exactly(4), "big")
for _ in range(size >> 20):
    read_exactly(1 << 20)
read_exactly(size & 0xFFFFF)
send(frame(payload(output=str(size))))
