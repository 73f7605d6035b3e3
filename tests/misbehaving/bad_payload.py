"""A whole frame whose payload is not what the protocol says, in ways that have nothing to do with its members."""

import sys

from wire import frame, payload, read_request, send

EXPECT = {
    "kind": "child-process-crash",
    "message": "cannot be trusted: it is not a JSON document",
    "cases": {
        "not-json": {},
        "cut-json": {},
        "two-documents": {},
        "invalid-utf8": {},
        "bom": {},
        "utf16": {},
        "nan": {},
        "infinity": {},
        "lone-surrogate": {},
        "single-quotes": {},
        "too-deep": {},
        "array": {"message": "cannot be trusted: message: must be an object, not array"},
        "null": {"message": "cannot be trusted: message: must be an object, not null"},
        "string": {"message": "cannot be trusted: message: must be an object, not string"},
        "empty-object": {"message": "cannot be trusted: v: is missing"},
    },
}

good = payload()
payloads = {
    "not-json": b"Segmentation fault (core dumped)",
    "cut-json": good[:-1],
    "two-documents": good + good,
    "invalid-utf8": good.replace(b"done", b"d\xffne"),
    "bom": b"\xef\xbb\xbf" + good,
    "utf16": good.decode().encode("utf-16"),
    "nan": payload(resultValue=float("nan")),
    "infinity": payload(resultValue=float("inf")),
    "lone-surrogate": payload(output="\ud800"),
    "single-quotes": good.replace(b'"', b"'"),
    "too-deep": good.replace(b'"resultValue": null', b'"resultValue": ' + b"[" * 100_000 + b"]" * 100_000),
    "array": b"[" + good + b"]",
    "null": b"null",
    "string": b'"ok"',
    "empty-object": b"{}",
}
read_request()
send(frame(payloads[sys.argv[1]]))
