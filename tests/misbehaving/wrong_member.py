"""A result with a member of another type, or with a value that cannot be."""

import json
import sys

from wire import frame, payload, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "cases": {
        'type="run-request"': {"message": 'type: must be "run-result"'},
        "type=1": {"message": "type: must be"},
        "ok=1": {"message": "ok: must be true or false, not integer"},
        "ok=null": {"message": "ok: must be true or false, not null"},
        "exitCode=0.0": {"message": "exitCode: must be a whole number, not number"},
        'exitCode="0"': {"message": "exitCode: must be a whole number, not string"},
        "exitCode=true": {"message": "exitCode: must be a whole number, not boolean"},
        "exitCode=3": {"message": "exitCode: contradicts ok: 3"},
        'failureKind="segfault"': {"message": 'failureKind: must be one of .*, not "segfault"'},
        'failureKind="None"': {"message": "failureKind: must be one of"},
        "failureKind=null": {"message": "failureKind: must be one of .*, not null"},
        'failureKind="child-process-crash"': {"message": 'failureKind: must be one of .*, not "child-process-crash"'},
        'failureKind="timeout"': {"message": 'ok: contradicts failureKind "timeout"'},
        "ok=false": {"message": 'ok: contradicts failureKind "none"'},
        "errorMessage=null": {"message": "errorMessage: must be a string, not null"},
        "output=[]": {"message": "output: must be a string, not array"},
        "errorOutput=7": {"message": "errorOutput: must be a string, not integer"},
        "diffRequested=0": {"message": "diffRequested: must be true or false, not integer"},
        "diff={}": {"message": "diff: must be a string or null, not object"},
        "truncated={}": {"message": "truncated: must be true or false, not object"},
        # the version has a rule of its own
        "v=2": {"kind": "host-error", "message": "this parent speaks version 1, the child answered in version 2"},
        "v=1.0": {"kind": "host-error", "message": "the child answered in version 1.0"},
        'v="1"': {"kind": "host-error", "message": 'the child answered in version "1"'},
        "v=true": {"kind": "host-error", "message": "the child answered in version true"},
        "v=null": {"kind": "host-error", "message": "the child answered in version null"},
        # any value is a result value, and members nobody knows are nobody's business
        "resultValue=[1]": {"kind": "none"},
        'novelty="yes"': {"kind": "none"},
        "exitCode=-1": {"message": "exitCode: contradicts ok: -1"},
    },
}

name, _, value = sys.argv[1].partition("=")
read_request()
send(frame(payload(**{name: json.loads(value)})))
