"""A result without one of its members."""

import json
import sys

from wire import frame, read_request, result, send

EXPECT = {
    "kind": "child-process-crash",
    "cases": {
        "type": {"message": 'type: must be "run-result"'},
        **{
            name: {"message": f"cannot be trusted: {name}: is missing"}
            for name in (
                "v",
                "ok",
                "exitCode",
                "failureKind",
                "errorMessage",
                "output",
                "errorOutput",
                "resultValue",
                "diffRequested",
                "diff",
                "truncated",
            )
        },
    },
}

read_request()
message = result()
del message[sys.argv[1]]
send(frame(json.dumps(message).encode()))
