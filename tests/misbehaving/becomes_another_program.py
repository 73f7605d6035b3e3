"""Turns into another program that knows nothing of a protocol."""

import os

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

os.execv("/bin/sleep", ["sleep", "60"])
