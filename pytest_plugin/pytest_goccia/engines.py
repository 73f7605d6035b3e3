"""Both engines: the same case on the other one, and where the two results differ (`--sandbox-engine both`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from goccia_tools.cases.report import parse_report
from goccia_tools.display import printable
from goccia_tools.result import RunResult

#: the engine whose verdict an item has, and the one it is compared with
FIRST, SECOND = "quickjs", "goccia"
#: the property of a report that carries the differences to where the summary is made
PROPERTY = "engineDifferences"
_MOST_CHARS = 100


def differences(first: RunResult, second: RunResult) -> list[str]:
    """A line for each field in which two run-results of the same request differ.

    Error reports are compared by their parts: name, message and place, not by the code that is shown with them.
    """
    return [
        f"{name}: {FIRST} {_shown(one)}, {SECOND} {_shown(other)}"
        for name, one, other in _pairs(first, second)
        if one != other or type(one) is not type(other)
    ]


def _pairs(first: RunResult, second: RunResult) -> Iterator[tuple[str, Any, Any]]:
    wires = first.to_wire(), second.to_wire()
    for name in ("failureKind", "output", "resultValue"):
        yield name, *(wire[name] for wire in wires)
    reports = parse_report(first.error_message), parse_report(second.error_message)
    for part in ("name", "message", "path", "line", "column"):
        yield f"error.{part}", *(getattr(report, part) for report in reports)
    changes = [{change.path: change for change in result.changes} for result in (first, second)]
    if not any(changes):
        yield "diff", first.diff, second.diff
    for path in sorted(changes[0].keys() | changes[1].keys()):
        one_change, other_change = (known.get(path) for known in changes)
        if one_change and other_change and None in (one_change.content, other_change.content):
            one_change, other_change = (replace(change, content=None) for change in (one_change, other_change))
        yield f"diff {path}", one_change, other_change


def _shown(value: Any) -> str:
    text = printable(repr(value))
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}… ({len(text)} characters)"


def summarise(reporter: pytest.TerminalReporter) -> None:
    """The section of the summary that names every case whose results differ, though both may be as expected."""
    found: dict[str, list[str]] = {}
    compared = 0
    for reports in reporter.stats.values():
        for report in reports:
            properties = dict(getattr(report, "user_properties", ()))
            if PROPERTY in properties and report.when in ("call", "setup"):
                compared += 1
                if properties[PROPERTY]:
                    found[report.nodeid] = properties[PROPERTY]
    reporter.section("sandbox engines", sep="-")
    for node, lines in sorted(found.items()):
        reporter.write_line(node)
        for line in lines:
            reporter.write_line(f"  {line}")
    differ = f"{len(found)} of them differ" if found else "none of them differ"
    reporter.write_line(f"{compared} results of {FIRST} and {SECOND} compared, {differ}")
