"""``--request``: one run-request of the wire in, one run-result of the wire out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import orjson

from ..display import EXIT_STATUS
from ..frames import MAX_FRAME_BYTES
from ..result import FailureKind, RunResult
from ..runner import Runner
from .output import say, write_output


def answer_request(runner: Runner, path: str) -> int:
    """Run the request in a file (``-``: standard input), print the result, return the exit status.

    Whoever speaks the wire gets an answer of the wire: a text that is no request is a host-error, too.
    """
    text = _read(path)
    if len(text) > MAX_FRAME_BYTES:
        result = _host_error(f"the run-request is over the {MAX_FRAME_BYTES} bytes of a frame")
    else:
        try:
            request: Any = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            result = _host_error(
                f"the run-request is not JSON: {error.msg}, at line {error.lineno} column {error.colno}"
            )
        else:
            result = runner.run_request(request)
    return print_result(result)


def print_result(result: RunResult) -> int:
    """The whole run-result on one line of standard output; the exit status to end with."""
    problem = write_output(orjson.dumps(result.to_wire()).decode() + "\n")
    if problem is not None:
        say(f"goccia-tools: cannot write to standard output: {problem}")
        return EXIT_STATUS[FailureKind.HOST_ERROR]
    return EXIT_STATUS[result.failure_kind]


def _read(path: str) -> bytes:
    try:
        if path != "-":
            with Path(path).open("rb") as file:
                return file.read(MAX_FRAME_BYTES + 1)
        if sys.stdin is None:
            raise click.UsageError("the request is to come from standard input, which is closed")
        return sys.stdin.buffer.read(MAX_FRAME_BYTES + 1)
    except OSError as error:
        raise click.UsageError(f"--request {path}: cannot be read: {error.strerror or error}") from None


def _host_error(message: str) -> RunResult:
    return RunResult(ok=False, exit_code=1, failure_kind=FailureKind.HOST_ERROR, error_message=message)
