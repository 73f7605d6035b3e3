"""The other outcomes a child may tell about itself, kept word for word."""

import sys

from wire import frame, payload, read_request, send

EXPECT = {
    "message": "^in its own words$",
    "cases": {
        "script-error": {"kind": "script-error"},
        "resource-limit": {"kind": "resource-limit"},
        "timeout": {"kind": "timeout"},
        "host-error": {"kind": "host-error"},
    },
}

read_request()
send(frame(payload(ok=False, exitCode=1, failureKind=sys.argv[1], errorMessage="in its own words")))
