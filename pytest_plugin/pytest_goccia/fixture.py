"""Sandbox: sandbox runs in Python tests, and what a failed comparison of results says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from goccia_tools import RunOptions, RunResult
from goccia_tools.cases.case import Case
from goccia_tools.cases.document import parse_document
from goccia_tools.cases.expect import FIELDS, Expectation, read_expectation
from goccia_tools.cases.explain import explain
from goccia_tools.cases.front import At, Front
from goccia_tools.cases.problem import CaseFileError
from goccia_tools.cases.verdict import Verdict
from goccia_tools.cases.yamltext import Tree
from goccia_tools.errors import OptionError

from .session import SandboxSession

Files = Mapping[str, str | bytes | Path | None]


class Expected:
    """What ``sandbox.expect(…)`` gives: equal to every RunResult that is as expected."""

    def __init__(self, expectation: Expectation, fields: Mapping[str, Any]) -> None:
        self.expectation = expectation
        self._fields = dict(fields)

    def verdict(self, result: RunResult) -> Verdict:
        """``result`` judged, as data."""
        case = Case(Path("test"), "test", "test", 0, "", "/main.js", RunOptions(), expect=self.expectation)
        mismatches = (replace(mismatch, line=0) for mismatch in self.expectation.mismatches(result))
        return Verdict(case, result, tuple(mismatches))

    def __eq__(self, other: object) -> bool:
        return self.verdict(other).passed if isinstance(other, RunResult) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"expect({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


class Sandbox:
    """The engine and settings of the sandbox tests, for tests written in Python."""

    def __init__(self, session: SandboxSession) -> None:
        self._session = session

    def run(self, source: str, *, files: Files | None = None, entry: str = "/main.js", **options: Any) -> RunResult:
        """Run ``source`` with ``files`` (sandbox path -> text, bytes, host path, None for a folder).

        ``options`` are fields of RunOptions; the settings of the test run are their defaults.
        """
        values = {**self._session.settings.options, **options}
        result: RunResult = self._session.runner.run(source, entry=entry, seeds=files, **values)
        return result

    @staticmethod
    def expect(**fields: Any) -> Expected:
        """What a result should be, in the words of ``expect`` in a ``*.sandbox.js`` file, to compare with ``==``.

        Raises:
            OptionError: an unknown field, a wrong type or a contradiction.
        """
        front = Front(parse_document("", Path("expect")), Tree(None))
        try:
            at = At(front, (), fields)
            at.refuse_unknown(fields, FIELDS, "expect")
            return Expected(read_expectation(at), fields)
        except CaseFileError as error:
            raise OptionError(error.message) from None


def explain_comparison(left: object, right: object) -> list[str] | None:
    """The explanation of a failed ``==`` with a RunResult in it, or None when it is about something else."""
    if isinstance(left, Expected) and isinstance(right, RunResult):
        left, right = right, left
    if isinstance(left, RunResult) and isinstance(right, Expected):
        return ["the run-result is not as expected", *(line.text for line in explain(right.verdict(left)))]
    if isinstance(left, RunResult) and isinstance(right, RunResult):
        one, other = left.to_wire(), right.to_wire()
        names = [name for name in one if one[name] != other[name]]
        told = [f"{name}: {one[name]!r:.200} == {other[name]!r:.200}" for name in names]
        return ["run-results differ", *(told or ["only in what is not part of the outcome (duration, notes)"])]
    return None
