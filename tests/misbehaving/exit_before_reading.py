"""Ends at once with a status of its own, leaving the request in the pipe."""

import os

EXPECT = {"kind": "child-process-crash", "message": "exited with status 3; no result had come"}

os._exit(3)
