"""Sections: the facts of a run as titled lines with a meaning; text and HTML are two ways to show the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..result import FailureKind
from .facts import Facts
from .filechanges import change_section, patch_lines
from .lines import Line, capped
from .tree import value_lines

Role = Literal["verdict", "note", "output", "report", "value", "change"]

#: console methods write these in front of what they print (goccia-behaviour section 3)
_OUTPUT_STYLES = {"Warning: ": "warning", "Error: ": "error"}


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a display. ``title`` is empty where the lines speak for themselves."""

    role: Role
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of each part a display shows, as text characters and lines; the rest is counted, not shown."""

    output_chars: int = 64 * 1024
    output_lines: int = 200
    value_lines: int = 200
    diff_lines: int = 60


def sections(facts: Facts, limits: Limits, *, with_report: bool = True) -> Iterator[Section]:
    """The sections of a run in the order a person reads them.

    ``with_report`` is false where the error report is shown by somebody else, as the traceback of an exception.
    """
    style = "good" if facts.kind == FailureKind.NONE else "bad"
    yield Section("verdict", "", (Line(style, facts.verdict),))
    if facts.output:
        yield Section("output", "output", tuple(_output_lines(facts.output, limits)))
    if facts.report and with_report:
        yield Section("report", "error", tuple(_report_lines(facts.report, limits)))
    if facts.data is not None:
        yield Section("value", "value", tuple(value_lines(facts.data, limits.value_lines)))
    for change in facts.changes:
        title, lines = change_section(change, facts.before.get(change.path), limits.diff_lines)
        yield Section("change", title, tuple(lines))
    if facts.patch:
        yield Section("change", "changes", tuple(patch_lines(facts.patch, limits.diff_lines)))
    for note in facts.notes:
        yield Section("note", "", (Line("dim", f"note: {note}"),))


def _output_lines(text: str, limits: Limits) -> Iterator[Line]:
    for line in capped(text.removesuffix("\n"), limits.output_lines, limits.output_chars):
        if line.style == "plain":
            # the body of a group is indented
            bare = line.text.lstrip(" ")
            found = next((style for start, style in _OUTPUT_STYLES.items() if bare.startswith(start)), "plain")
            line = Line(found, line.text)
        yield line


def _report_lines(text: str, limits: Limits) -> Iterator[Line]:
    for number, line in enumerate(capped(text, limits.output_lines, limits.output_chars)):
        start = line.text.lstrip()
        if number == 0:
            yield Line("bad", line.text)
        elif start.startswith("Suggestion: "):
            yield Line("good", line.text)
        elif start.startswith(("--> ", "at ")):
            yield Line("place", line.text)
        elif set(start) <= {"|", " ", "^"} and "^" in start:
            yield Line("bad", line.text)
        else:
            yield line
