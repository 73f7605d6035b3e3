"""Explain: a verdict as parts of a report, which whoever shows it may colour, cut or leave out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..display import printable
from ..result import FailureKind, RunResult
from .compare import json_text
from .matchers import fits_a_sentence
from .textdiff import MAX_LINES, text_diff, visible
from .verdict import Mismatch, Verdict

#: what a line is, for whoever colours it
Role = Literal["problem", "expected", "actual", "same", "report", "note", "hint", "title"]

_KIND_TEXT = {
    FailureKind.RESOURCE_LIMIT: "the program met a limit",
    FailureKind.CHILD_PROCESS_CRASH: "the child process died",
    FailureKind.HOST_ERROR: "this machine could not run the program; that says nothing about it",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a report and its role. It holds no control characters."""

    role: Role
    text: str


def explain(verdict: Verdict) -> list[Line]:
    """Why a case did not pass: how the run ended, each field that is not as expected, the error report, the files."""
    return list(_lines(verdict))


def summary(verdict: Verdict) -> str:
    """One line on the first thing that is not as expected."""
    if verdict.outcome == "error":
        return f"host-error: {visible(verdict.result.error_message.partition(chr(10))[0])}"
    first = verdict.mismatches[0]
    ended = _ending(verdict) if first.field in ("ok", "failureKind", "exitCode", "error") else None
    more = len(verdict.mismatches) - 1
    text = ended or f"{first.field}: {_one_line(first.problem)}"
    return text + (f" (and {more} more)" if more else "")


def _lines(verdict: Verdict) -> Iterator[Line]:
    result = verdict.result
    ended = _ending(verdict)
    report = printable(result.error_message, "\n\t").split("\n") if not result.ok else []
    if ended is not None:
        yield Line("problem", ended)
        yield from (Line("report", line) for line in _capped(report[1:]))
    for mismatch in verdict.mismatches:
        # a program that failed has no value; that it failed is said already
        if ended is not None and not result.ok and mismatch.field in ("ok", "resultValue"):
            continue
        yield from _mismatch(mismatch)
    if ended is None and report:
        yield Line("title", "error report")
        yield from (Line("report", line) for line in _capped(report))
    if result.changes:
        yield Line("title", "file changes")
        yield from (Line("same", change) for change in _capped(_changes(result)))
    if verdict.retried:
        yield Line("note", "this was the second try; the first one ended in a host-error too")
    # what confined the child is no news in a report about the program
    yield from (Line("note", visible(note)) for note in result.notes if not note.startswith("jail "))


def _ending(verdict: Verdict) -> str | None:
    """How the run ended, when it was to end in another way."""
    result, case = verdict.result, verdict.case
    fields = {mismatch.field for mismatch in verdict.mismatches}
    if not fields & {"ok", "failureKind", "exitCode"} and result.failure_kind is not FailureKind.HOST_ERROR:
        return None
    wanted = case.expect.failure_kind
    expected = f"; {wanted} was expected" if wanted not in (None, "none", result.failure_kind.value) else ""
    kind = result.failure_kind
    first = visible(result.error_message.partition("\n")[0])
    if kind is FailureKind.NONE:
        return f"the program ended well{expected or '; it was expected to fail'}"
    if kind is FailureKind.TIMEOUT:
        how = "options: {timeoutMs: …} or sandbox_timeout_ms"
        return f"timeout: still running after timeoutMs {case.options.timeout_ms}{expected} ({how})"
    if kind is FailureKind.SCRIPT_ERROR:
        return f"script-error: {first}{expected}"
    return f"{kind}: {_KIND_TEXT[kind]}: {first}{expected}"


def _mismatch(mismatch: Mismatch) -> Iterator[Line]:
    where = f" (line {mismatch.line})" if mismatch.line else ""
    yield Line("problem", f"{mismatch.field}{where}: {_one_line(mismatch.problem)}")
    if mismatch.detail:
        yield from (Line("report", printable(line, "\t")) for line in _capped(mismatch.detail.split("\n")))
    expected, actual = mismatch.expected, mismatch.actual
    if isinstance(expected, list) and isinstance(actual, str):  # lines:
        expected = "\n".join(str(line) for line in expected) + "\n"
    if isinstance(expected, str) and isinstance(actual, str):
        if not fits_a_sentence(expected, actual):
            yield from _diff(expected, actual)
        return
    if isinstance(expected, (list, dict)) or (isinstance(actual, (list, dict)) and expected is not None):
        yield from _diff(json_text(expected, indent=True), json_text(actual, indent=True))


def _diff(expected: str, actual: str) -> Iterator[Line]:
    yield Line("note", "- expected, + got")
    roles: dict[str, Role] = {"-": "expected", "+": "actual"}
    for line in text_diff(expected, actual):
        yield Line(roles.get(line[0], "same"), line)


def _changes(result: RunResult) -> list[str]:
    return [
        f"{change.kind:8}{visible(change.path)}"
        + ("" if change.kind == "mkdir" else f" ({change.old_bytes} → {change.new_bytes} bytes)")
        for change in result.changes
    ]


def _capped(lines: list[str]) -> list[str]:
    if len(lines) <= MAX_LINES:
        return lines
    return [*lines[:MAX_LINES], f"… {len(lines) - MAX_LINES} more lines"]


def _one_line(text: Any) -> str:
    return " ".join(visible(part) for part in str(text).split("\n"))
