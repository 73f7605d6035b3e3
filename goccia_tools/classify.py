"""classify: an observation of one child becomes a run-result, by evidence and in a fixed order (ADR 0107 section 4).

Pure: no clock, no process, no file. A whole frame that can be trusted outranks everything else that was seen.
"""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import assert_never

import orjson

from .messages import PROTOCOL_VERSION, MessageError, VersionError, read_result
from .observation import (
    Answer,
    Ending,
    Exited,
    Fault,
    Killed,
    NeverStarted,
    Observation,
    Overdue,
    Oversize,
    Signalled,
    Silence,
    Unread,
    Unwaited,
)
from .result import FailureKind, RunResult


def classify(observation: Observation, *, diff_requested: bool = False) -> RunResult:
    """The run-result that this evidence supports, and no other; ``diff_requested`` is for one made up here."""
    match observation.outcome:
        case Answer() as answer:
            try:
                return _trusted(answer, observation.ending)
            except VersionError as error:
                verdict = host_error(
                    f"protocol version mismatch: this parent speaks version {PROTOCOL_VERSION},"
                    f" the child answered in version {orjson.dumps(error.version).decode()[:100]}"
                )
            except orjson.JSONDecodeError as error:
                verdict = _untrusted(f"it is not a JSON document: {error}", observation)
            except MessageError as error:
                verdict = _untrusted(str(error), observation)
        case Silence() as silence:
            verdict = _classify_silence(silence, observation)
        case Oversize(declared_bytes):
            verdict = _crash(
                f"the child declared a result of {declared_bytes} bytes, over the frame limit; child hard-killed",
                observation,
            )
        case Overdue(deadline_ms):
            verdict = _crash(f"execution deadline exceeded; child hard-killed after {deadline_ms}ms", observation)
        case Unread(start_up_ms):
            verdict = _crash(
                f"the child did not take its request within {start_up_ms}ms of its start; child hard-killed",
                observation,
            )
        case Fault(problem):
            verdict = host_error(problem)
        case other:
            assert_never(other)
    return replace(verdict, diff_requested=diff_requested)


def _trusted(answer: Answer, ending: Ending) -> RunResult:
    # orjson is strict: UTF-8 only, no NaN, no byte order mark, no lone surrogates
    result = read_result(orjson.loads(answer.payload))
    return RunResult(
        ok=result["ok"],
        exit_code=result["exitCode"],
        failure_kind=FailureKind(result["failureKind"]),
        error_message=result["errorMessage"],
        output=result["output"],
        error_output=result["errorOutput"],
        result_value=result["resultValue"],
        diff_requested=result["diffRequested"],
        diff=result["diff"],
        truncated=result["truncated"],
        notes=_answer_notes(answer, ending),
    )


def host_error(problem: str) -> RunResult:
    """The run-result of a fault of the host."""
    return RunResult(ok=False, exit_code=1, failure_kind=FailureKind.HOST_ERROR, error_message=problem)


def _crash(problem: str, observation: Observation) -> RunResult:
    tail = observation.stderr_tail.rstrip()
    return RunResult(
        ok=False,
        exit_code=1,
        failure_kind=FailureKind.CHILD_PROCESS_CRASH,
        error_message=f"{problem}\nstderr of the child:\n{tail}" if tail else problem,
        notes=_wait_notes(observation.ending),
    )


def _classify_silence(silence: Silence, observation: Observation) -> RunResult:
    if silence.declared_bytes is not None:
        short = f"{silence.received_bytes - 4} of {silence.declared_bytes} bytes of its result"
    else:
        short = f"{silence.received_bytes} of 4 bytes of the length of its result"
    came = f"only {short} had come" if silence.received_bytes else "no result had come"
    match observation.ending:
        case Exited(status):
            return _crash(f"the child exited with status {status}; {came}", observation)
        case Signalled(number):
            return _crash(f"the child was ended by {_signal_name(number)}; {came}", observation)
        case Killed():
            return _crash(f"the child closed its output and lived on; {came}; child hard-killed", observation)
        case Unwaited(problem):
            # nothing came and nobody can say how it ended: no outcome of the child was observed (C51)
            return host_error(f"waiting for the child failed: {problem}; {came}")
        case NeverStarted():
            return host_error("no child was started")
        case other:
            assert_never(other)


def _untrusted(problem: str, observation: Observation) -> RunResult:
    match observation.ending:
        case Signalled(number):
            after = f"; the child was ended by {_signal_name(number)}"
        case Exited(status) if status:
            after = f"; the child exited with status {status}"
        case _:
            after = ""
    return _crash(f"the child's result cannot be trusted: {problem}{after}", observation)


def _answer_notes(answer: Answer, ending: Ending) -> tuple[str, ...]:
    notes = list(answer.faults)
    if answer.surplus_bytes:
        notes.append(f"{answer.surplus_bytes} bytes after the child's result were ignored")
    match ending:
        case Exited(status) if status:
            notes.append(f"the child exited with status {status} after its result")
        case Signalled(number):
            notes.append(f"the child was ended by {_signal_name(number)} after its result")
        case Killed():
            notes.append("the child lived on after its result and was killed")
    return (*notes, *_wait_notes(ending))


def _wait_notes(ending: Ending) -> tuple[str, ...]:
    return (f"waiting for the child failed: {ending.problem}",) if isinstance(ending, Unwaited) else ()


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
