"""Display: what a RunResult says to a person, first as facts, then as text for a terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .result import FailureKind, FileChange, RunResult

#: exit status of the command line for each way a run can end (2 is a usage error)
EXIT_STATUS: dict[FailureKind, int] = {
    FailureKind.NONE: 0,
    FailureKind.SCRIPT_ERROR: 1,
    FailureKind.RESOURCE_LIMIT: 3,
    FailureKind.TIMEOUT: 4,
    FailureKind.CHILD_PROCESS_CRASH: 5,
    FailureKind.HOST_ERROR: 6,
}

_BOLD, _RED, _GREEN, _CYAN, _DIM, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a display shows, so that text and HTML cannot differ in what they say."""

    kind: FailureKind
    #: one sentence on how the run ended, without the report
    verdict: str
    #: the error report without its last newline, empty on success
    report: str
    output: str
    #: the result value as text, None when there is none to show
    value: str | None
    changes: tuple[FileChange, ...]
    notes: tuple[str, ...]


def facts(result: RunResult, entry: str) -> Facts:
    """The facts of a run of ``entry``, from its result alone."""
    # a jail that holds is the usual thing; one that lacks a layer is news
    notes = tuple(note for note in result.notes if not note.startswith("jail ") or "; not applied: " in note)
    if result.truncated:
        notes = ("the result was too large for one frame: its diff and value were dropped", *notes)
    return Facts(
        kind=result.failure_kind,
        verdict=_verdict(result, entry),
        report=(result.error_output or result.error_message).removesuffix("\n"),
        output=result.output,
        value=value_text(result.result_value),
        changes=result.changes,
        notes=notes,
    )


def _verdict(result: RunResult, entry: str) -> str:
    took = f"{result.duration_ms:.0f} ms"
    if result.ok:
        changed = len(result.changes)
        files = f", {changed} file change{'s' if changed != 1 else ''}" if result.changes else ""
        return f"ok: {printable(entry)} ran in {took}{files}"
    return f"{result.failure_kind}: {printable(entry)} failed after {took}"


def value_text(value: Any) -> str | None:
    """A result value as ``--print`` shows it: text as it is, numbers as JavaScript writes them, the rest as JSON.

    None stands for both undefined and null, which the protocol does not tell apart, and is not shown.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    import orjson

    return orjson.dumps(value).decode()


def number_text(number: float) -> str:
    """A number as JavaScript's ToString writes it; Python turns to exponents at other sizes."""
    sign = "-" if number < 0 else ""
    # the shortest digits that round-trip, as repr finds them; only their layout differs
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if -6 < point <= 21:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        rest = digits[point:]
        return sign + digits[:point].ljust(point, "0") + (f".{rest}" if rest else "")
    power = point - 1
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"


def printable(text: str, keep: str = "") -> str:
    """Text in which nothing can move a terminal's cursor or hide: controls are escaped but for those to keep."""
    return "".join(char if char.isprintable() or char in keep else ascii(char)[1:-1] for char in text)


def report_text(facts: Facts, *, color: bool) -> str:
    """The error report for a terminal: the first line and the marker under the code stand out."""
    if not color:
        return facts.report
    lines = printable(facts.report, keep="\n\t").split("\n")
    shown = [f"{_BOLD}{_RED}{lines[0]}{_RESET}"]
    for line in lines[1:]:
        if re.fullmatch(r"\s*\|\s*\^+\s*", line):
            line = line.replace("^", f"{_RED}^", 1) + _RESET
        elif line.lstrip().startswith(("--> ", "at ")):
            line = f"{_CYAN}{line}{_RESET}"
        elif line.lstrip().startswith("Suggestion: "):
            line = f"{_GREEN}{line}{_RESET}"
        shown.append(line)
    return "\n".join(shown)


def verdict_text(facts: Facts, *, color: bool) -> str:
    """The verdict on one line."""
    if not color:
        return facts.verdict
    kind, colon, rest = facts.verdict.partition(":")
    return f"{_BOLD}{_GREEN if facts.kind == FailureKind.NONE else _RED}{kind}{_RESET}{_DIM}{colon}{rest}{_RESET}"
