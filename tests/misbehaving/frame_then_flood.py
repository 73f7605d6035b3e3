"""A result, and then bytes without end."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "none", "notes": "^[0-9]+ bytes after .*\nthe child lived on after its result and was killed$"}

read_request()
send(frame(payload()))
while True:
    send(b"y\n" * 32768)
