"""The facts of a run for a terminal, coloured where that helps."""

from __future__ import annotations

import re

from ..result import FailureKind
from .facts import Facts
from .text import printable

_BOLD, _RED, _GREEN, _CYAN, _DIM, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[2m", "\x1b[0m"


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
