"""Never reads, never sleeps, with a request that fits into the pipe."""

EXPECT = {
    "kind": "child-process-crash",
    "message": "^execution deadline exceeded; child hard-killed after 500ms$",
    "timeout_ms": 200,
    "grace_ms": 300,
}

while True:
    pass
