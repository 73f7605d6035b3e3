"""Proposal: how the front matter of a case would have to read for its run to be as expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..result import FailureKind
from .calls import answered
from .changes import KINDS
from .expect import FIELDS, field_value, is_cut
from .report import parse_report
from .verdict import Verdict

_WORDS = {kind: word for word, kind in KINDS.items()}
_NOT_WRITTEN = ("undefined", "symbol", "function", "bigint", "NaN", "Infinity", "-Infinity", "Map", "Set")
_NOT_RUN = (FailureKind.TIMEOUT, FailureKind.CHILD_PROCESS_CRASH, FailureKind.HOST_ERROR)


@dataclass(frozen=True, slots=True)
class Proposal:
    """New values for keys of the mapping that says what a case expects.

    ``key_path`` leads to the case; ``in_call`` tells that the keys stand in the call itself and not under ``expect``.
    Plain data, so that it can travel from one process to another.
    """

    key_path: tuple[str | int, ...]
    values: dict[str, Any]
    in_call: bool = False

    def to_plain(self) -> dict[str, Any]:
        return {
            "key_path": list(self.key_path),
            "values": self.values,
            "in_call": self.in_call,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Proposal:
        return cls(tuple(plain["key_path"]), plain["values"], plain["in_call"])


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an expectation is not rewritten."""

    reason: str


def propose(verdict: Verdict, *, only_new: bool = False) -> Proposal | Refusal | None:
    """What to write for ``verdict``, why nothing is written, or None when there is nothing to do.

    Expectations that are written down and not met are replaced; with ``only_new`` a case that says nothing gets an
    expectation instead. A run that timed out, crashed, did not take place or was cut is never written down.
    """
    case, result = verdict.case, verdict.result
    is_new = not case.expect.stated and case.inline is None
    if (only_new and not is_new) or (not only_new and verdict.passed):
        return None
    if result.failure_kind in _NOT_RUN:
        return Refusal(f"the run ended with {result.failure_kind}")
    if result.truncated or any(is_cut(text) for text in (result.output, result.error_output, result.error_message)):
        return Refusal("the result was truncated")
    if case.shared_with:
        return Refusal(f"its expectation is shared by the {case.shared_with}")
    if case.negative_phase is not None:
        return Refusal("negative is written by hand")
    if any(mismatch.field.startswith("//") for mismatch in verdict.mismatches):
        return Refusal("expectations in comments are written by hand")
    if is_new:
        return _new(verdict) if only_new else Refusal("it says nothing that could be replaced")
    if case.call is not None:
        return _of_call(verdict)
    fields = {mismatch.field.partition(".")[0] for mismatch in verdict.mismatches}
    if fields & {"ok", "failureKind", "exitCode"} or (result.ok and "error" in fields):
        return Refusal("it ended in another way than expected; if that is right, say so by hand")
    values: dict[str, Any] = {}
    for name in sorted(fields, key=FIELDS.index):
        if name == "error":
            values["error"] = _error(verdict, tuple(item.field for item in case.expect.error))
        elif name == "diff":
            values["diff"] = _changes(verdict) if case.expect.changes is not None else result.diff
        else:
            values[name] = field_value(result, name)
    return Proposal(case.key_path, values)


def _new(verdict: Verdict) -> Proposal | Refusal:
    result = verdict.result
    if not result.ok:
        return Refusal("it failed; if that is right, say so by hand")
    values: dict[str, Any] = {"output": result.output}
    if result.result_value is not None:
        values["resultValue"] = result.result_value
    return Proposal(verdict.case.key_path, values)


def _error(verdict: Verdict, names: tuple[str, ...]) -> dict[str, Any]:
    report = parse_report(verdict.result.error_message)
    known = {name: getattr(report, name) for name in names}
    return {name: value for name, value in known.items() if value is not None}


def _changes(verdict: Verdict) -> dict[str, Any]:
    expected = {change.path: change for change in verdict.case.expect.changes or ()}
    found: dict[str, Any] = {}
    for change in verdict.result.changes:
        word = _WORDS[change.kind]
        known = expected.get(change.path)
        if change.content is None or (known is not None and known.content is None):
            found[change.path] = word
            continue
        try:
            found[change.path] = {word: change.content.decode()}
        except UnicodeDecodeError:
            found[change.path] = word
    return found


def _of_call(verdict: Verdict) -> Proposal | Refusal:
    answer = verdict.result.result_value
    fields = {mismatch.field.partition(".")[0] for mismatch in verdict.mismatches}
    if not isinstance(answer, dict) or fields & {"ok", "call"}:
        return Refusal("the call could not be made")
    values: dict[str, Any] = {}
    if "output" in fields:
        values["output"] = verdict.result.output
    if ("throws" in fields) != ("threw" in answer) and fields & {"throws", "returns"}:
        return Refusal("it returned where it was to throw, or the other way round; if that is right, say so by hand")
    if "throws" in fields:
        values["throws"] = {"name": answer["threw"][0], "message": answer["threw"][1]}
    if "returns" in fields:
        if answer.get("kind") in _NOT_WRITTEN:
            return Refusal(f"it returned {answer['kind']}, which is written by hand")
        values["returns"] = answered(answer)
    return Proposal(verdict.case.key_path, values, in_call=True)
