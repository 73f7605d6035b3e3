"""Expectation: what a case says its run-result must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..result import FailureKind, RunResult
from .changes import ChangeExpectation, changes_problem, read_changes
from .front import At
from .matchers import Condition, Matcher, read_text_condition, read_value_condition
from .report import parse_report
from .verdict import Mismatch

TEXT_FIELDS = {"errorMessage": "error_message", "output": "output", "errorOutput": "error_output"}
FIELDS = ("ok", "exitCode", "failureKind", *TEXT_FIELDS, "resultValue", "diff", "truncated", "error")
ERROR_FIELDS = ("name", "message", "path", "line", "column")
PHASES = ("parse", "early", "resolution", "runtime")
_LAST = ("resultValue", "diff")


@dataclass(frozen=True, slots=True)
class Expectation:
    """Conditions on the fields of a run-result, by their names on the wire, and on its files.

    ``stated`` is false when the test says nothing and success is all that is asked of it; ``implied_ok`` says
    that success is expected without having been written.
    """

    conditions: tuple[Condition, ...] = ()
    error: tuple[Condition, ...] = ()
    changes: tuple[ChangeExpectation, ...] | None = None
    stated: bool = True
    implied_ok: bool = False
    line: int = 0

    def wants(self, field: str) -> bool:
        """Whether a field is asserted."""
        return any(condition.field == field for condition in self.conditions)

    @property
    def failure_kind(self) -> str | None:
        """The failureKind that is asked for by name, or None."""
        found = next((item for item in self.conditions if item.field == "failureKind"), None)
        return None if found is None else str(found.matchers[0].wanted)

    @property
    def wants_diff(self) -> bool:
        """Whether the run must be asked for its file changes."""
        return self.changes is not None or self.wants("diff")

    def mismatches(self, result: RunResult) -> tuple[Mismatch, ...]:
        """Every field of ``result`` that is not as expected: how it ended first, then what it printed, then values."""
        found: list[Mismatch] = []
        if self.implied_ok and not result.ok:
            found.append(Mismatch("ok", "expected true, got false", True, False, self.line))
        for condition in self.conditions:
            actual = field_value(result, condition.field)
            problem = condition.problem(actual)
            if problem is not None:
                wanted = condition.exact.wanted if condition.exact else str(condition)
                found.append(Mismatch(condition.field, problem, wanted, actual, condition.line))
        if self.error:
            found.extend(self._error_mismatches(result))
        if self.changes is not None:
            problem = changes_problem(self.changes, result.changes) if result.diff is not None else "there is no diff"
            if problem is not None:
                found.append(Mismatch("diff", problem, None, None, self.line))
        return tuple(_explained(mismatch, result) for mismatch in found)

    def _error_mismatches(self, result: RunResult) -> list[Mismatch]:
        if result.ok:
            return [Mismatch("error", "expected an error, but the program ended well", None, None, self.error[0].line)]
        report = parse_report(result.error_message)
        found = []
        for condition in self.error:
            actual = getattr(report, condition.field)
            problem = condition.problem(actual)
            if problem is not None:
                wanted = condition.exact.wanted if condition.exact else str(condition)
                found.append(Mismatch(f"error.{condition.field}", problem, wanted, actual, condition.line))
        return found


SUCCESS = Expectation(stated=False, implied_ok=True)


def field_value(result: RunResult, field: str) -> Any:
    """The value of a run-result's field by its name on the wire."""
    if field in TEXT_FIELDS:
        return getattr(result, TEXT_FIELDS[field])
    return result.to_wire()[field] if field not in ("ok", "truncated") else getattr(result, field)


def _explained(mismatch: Mismatch, result: RunResult) -> Mismatch:
    """A value that was cut is reported as cut, not as wrong."""
    cut = isinstance(mismatch.actual, str) and is_cut(mismatch.actual)
    if cut:
        return replace(
            mismatch, truncated=True, problem=f"was truncated at its limit, and what is left {mismatch.problem}"
        )
    if result.truncated and mismatch.field in _LAST:
        return replace(mismatch, truncated=True, problem="was truncated: it was too large for the result to carry")
    return mismatch


def is_cut(text: str) -> bool:
    """Whether a stream or a message ends in the marker of truncation (design section 3)."""
    start = text.rfind("… [truncated ")
    return start >= 0 and text.endswith(" bytes]") and text[start + 13 : -7].isdigit()


def read_expectation(at: At, *, unified: bool = False) -> Expectation:
    """The mapping under ``expect``.

    Raises:
        CaseFileError: an unknown field, a wrong type, or a contradiction.
    """
    members = at.mapping(FIELDS, "expect")
    if not members:
        raise at.problem("expect is empty; leave it out when success is all that is expected")
    conditions = []
    changes = None
    for name in FIELDS:
        if name not in members or name == "error":
            continue
        item = members[name]
        if name in TEXT_FIELDS or (name == "diff" and unified):
            conditions.append(read_text_condition(item))
        elif name == "diff":
            changes = read_changes(item)
        elif name == "resultValue":
            conditions.append(read_value_condition(item))
        else:
            conditions.append(Condition(name, (Matcher("equals", _scalar(name, item)),), item.line))
    error = _read_error(members["error"]) if "error" in members else ()
    _refuse_contradictions(at, members)
    implied_ok = not members.keys() & {"ok", "failureKind", "error", "exitCode"}
    return Expectation(tuple(conditions), error, changes, implied_ok=implied_ok, line=at.line)


def _scalar(name: str, item: At) -> Any:
    if name == "exitCode":
        return item.integer()
    return item.choice(FailureKind) if name == "failureKind" else item.flag()


def _read_error(at: At) -> tuple[Condition, ...]:
    if isinstance(at.value, str):
        return (Condition("name", (Matcher("equals", at.value),), at.line),)
    members = at.mapping(ERROR_FIELDS, "error")
    if not members:
        raise at.problem(f"error is empty; say one of {', '.join(ERROR_FIELDS)}")
    conditions = []
    for name, item in members.items():
        if name in ("line", "column"):
            if item.integer() < 1:
                raise item.problem(f"{name} counts from 1")
            conditions.append(Condition(name, (Matcher("equals", item.value),), item.line))
        else:
            conditions.append(read_text_condition(item))
    return tuple(conditions)


def _refuse_contradictions(at: At, members: dict[str, At]) -> None:
    ok = members["ok"].value if "ok" in members else None
    kind = members["failureKind"].value if "failureKind" in members else None
    code = members["exitCode"].value if "exitCode" in members else None
    says = {
        "ok": ok,
        f"failureKind {kind}": None if kind is None else kind == "none",
        f"exitCode {code}": None if code is None else code == 0,
        "error": False if "error" in members else None,
    }
    good = [name if name != "ok" else "ok true" for name, value in says.items() if value is True]
    bad = [name if name != "ok" else "ok false" for name, value in says.items() if value is False]
    if good and bad:
        key = bad[0].split()[0]
        raise at.problem(f"{good[0]} contradicts {bad[0]}: no run can be both", key)
    if kind in ("child-process-crash", "host-error", "timeout") and "error" in members:
        raise at.problem(f"error contradicts failureKind {kind}: such a run has no error report", "error")
    if "truncated" in members and members["truncated"].value:
        for name in ("diff", "resultValue"):
            if name in members and members[name].value is not None:
                raise at.problem(f"{name} contradicts truncated true: a truncated result has none", name)


def read_negative(at: At) -> tuple[str, Expectation]:
    """``negative: {phase, type}`` as in test262: the phase, and the error it must be."""
    members = at.mapping(("phase", "type"), "negative")
    for name in ("phase", "type"):
        if name not in members:
            raise at.problem(f"negative needs {name}: write negative: {{phase: runtime, type: TypeError}}")
    phase = members["phase"].choice(PHASES)
    name = members["type"].text()
    conditions = (Condition("failureKind", (Matcher("equals", "script-error"),), at.line),)
    return phase, Expectation(
        conditions, (Condition("name", (Matcher("equals", name),), members["type"].line),), line=at.line
    )
