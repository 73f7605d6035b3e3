"""What the scripted children share: the protocol's simplest client, and ways to end."""

import json
import os
import resource
import signal
import time

LIMIT_BYTES = 64 * 1024 * 1024


def read_exactly(count):
    parts = []
    while count:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            os._exit(90)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_request():
    return json.loads(read_exactly(int.from_bytes(read_exactly(4), "big")))


def result(**changes):
    """A good run-result with some members changed."""
    message = {
        "type": "run-result",
        "v": 1,
        "ok": True,
        "exitCode": 0,
        "failureKind": "none",
        "errorMessage": "",
        "output": "done\n",
        "errorOutput": "",
        "resultValue": None,
        "diffRequested": False,
        "diff": None,
        "truncated": False,
    }
    message.update(changes)
    return message


def payload(**changes):
    return json.dumps(result(**changes)).encode()


def frame(data):
    return len(data).to_bytes(4, "big") + data


def send(data, descriptor=1):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def die(number):
    """End by a signal, without a core dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), number)
    time.sleep(60)
