"""Takes its request, complains, and gives up."""

import os

from wire import read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "exited with status 255; no result had come\nstderr of the child:\nout of luck$",
}

read_request()
send(b"out of luck\n", 2)
os._exit(255)
