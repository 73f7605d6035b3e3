"""Ends by a signal after taking its request."""

import signal
import sys

from wire import die, read_request

EXPECT = {
    "kind": "child-process-crash",
    "cases": {
        "SEGV": {"message": r"ended by signal 11 \(SIGSEGV\); no result had come"},
        "ABRT": {"message": r"ended by signal 6 \(SIGABRT\)"},
        "BUS": {"message": r"ended by signal 7 \(SIGBUS\)"},
        "KILL": {"message": r"ended by signal 9 \(SIGKILL\)"},
        "ILL": {"message": r"ended by signal 4 \(SIGILL\)"},
        "FPE": {"message": r"ended by signal 8 \(SIGFPE\)"},
        "SYS": {"message": r"ended by signal 31 \(SIGSYS\)"},
        "TERM": {"message": r"ended by signal 15 \(SIGTERM\)"},
        "INT": {"message": r"ended by signal 2 \(SIGINT\)"},
        "HUP": {"message": r"ended by signal 1 \(SIGHUP\)"},
        "PIPE": {"message": r"ended by signal 13 \(SIGPIPE\)"},
        "XCPU": {"message": r"ended by signal 24 \(SIGXCPU\)"},
        "40": {"message": "ended by signal 40; no result had come"},
    },
}

read_request()
name = sys.argv[1]
die(int(name) if name.isdigit() else signal.Signals["SIG" + name])
