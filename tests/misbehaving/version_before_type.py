"""Another version whose messages look quite different: the version is what is said about it."""

from wire import frame, read_request, send

EXPECT = {"kind": "host-error", "message": "this parent speaks version 1, the child answered in version 7"}

read_request()
send(frame(b'{"v": 7, "kind": "outcome"}'))
