"""A member twice: JSON readers take the last, and so does the parent; here it makes a contradiction."""

from wire import frame, payload, read_request, send

EXPECT = {"kind": "child-process-crash", "message": 'ok: contradicts failureKind "none"'}

read_request()
send(frame(payload()[:-1] + b', "ok": false}'))
