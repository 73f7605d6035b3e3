"""Ends well, having said nothing."""

EXPECT = {"kind": "child-process-crash", "message": "exited with status 0; no result had come"}
