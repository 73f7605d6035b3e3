"""Collection: a test file, and its cases as items of pytest."""

from __future__ import annotations

import inspect
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goccia_tools.baseline import Seed
from goccia_tools.cases.attributes import skip_reason
from goccia_tools.cases.case import Case
from goccia_tools.cases.load import load_cases
from goccia_tools.cases.names import slug
from goccia_tools.cases.problem import CaseFileError
from goccia_tools.cases.proposal import Proposal, Refusal
from goccia_tools.cases.verdict import Verdict
from goccia_tools.errors import GocciaError, UnavailableError

from .failure import (
    ExpectedKindOfFailure,
    FailureRepr,
    HostFault,
    SandboxFailure,
    UnreadableFile,
    failure_lines,
    unreadable_lines,
)
from .session import SandboxSession, sandbox_session

#: of the output shown with a failure
MAX_SECTION_CHARS = 8192


class SandboxFile(pytest.File):
    """A ``*.sandbox.js`` file. One that cannot be understood is one failing item, so that the others still run."""

    def collect(self) -> Iterator[pytest.Item]:
        self.add_marker("sandbox")
        session = sandbox_session(self.config)
        try:
            cases = load_cases(self.path, default_options=session.settings.options)
            for case in cases:
                self.ihook.pytest_sandbox_modify_case(case=case)
            items = [self._item(case, session) for case in cases]
        except CaseFileError as error:
            items = [UnreadableItem.from_parent(self, name=_stem_slug(self.path), error=error)]
        except UnavailableError as error:
            problem = CaseFileError(self.path, 1, str(error))
            items = [UnreadableItem.from_parent(self, name=_stem_slug(self.path), error=problem)]
        yield from items

    def _item(self, case: Case, session: SandboxSession) -> pytest.Item:
        kind = FixtureItem if case.fixtures else SandboxItem
        item: pytest.Item = kind.of(self, case)
        for mark in case.marks:
            item.add_marker(_mark(case, *mark))
        for skip in case.skip:
            reason = skip_reason(skip, session.facts)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
        xfail = case.xfail
        if xfail is not None and (xfail.condition is None or session.holds(xfail.condition)):
            raises = SandboxFailure if xfail.raises is None else ExpectedKindOfFailure
            strict = {} if xfail.strict is None else {"strict": xfail.strict}
            item.add_marker(pytest.mark.xfail(reason=xfail.reason, raises=_raised(raises, xfail.raises), **strict))
        return item


def _raised(raises: type[SandboxFailure], kind: str | None) -> tuple[type[Exception], ...]:
    return (raises, HostFault) if kind == "host-error" else (raises,)


def _stem_slug(path: Path) -> str:
    return slug(path.name.removesuffix(".sandbox.js"))


def _mark(case: Case, name: str, arguments: tuple[Any, ...], named: Any) -> pytest.MarkDecorator:
    """A mark by name. What pytest has to say about an unknown one is said of the file's line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            mark = getattr(pytest.mark, name)
        except pytest.fail.Exception as error:
            raise CaseFileError(case.path, case.line, str(error)) from None
    for warning in caught:
        try:
            warnings.warn_explicit(warning.message, warning.category, str(case.path), case.line)
        except Warning as error:  # where warnings are errors, this one is the file's
            raise CaseFileError(case.path, case.line, str(error)) from None
    made: pytest.MarkDecorator = mark.with_args(*arguments, **named)
    return made


def _subject(case: Case) -> Callable[..., None]:
    """What other plugins expect every item to have: a function with a name, a docstring and the fixtures it takes."""

    def subject(**fixtures: Any) -> None:
        return None

    subject.__name__ = subject.__qualname__ = re.sub(r"\W", "_", case.id)
    subject.__doc__ = case.description or case.name
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in case.fixtures]
    subject.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return subject


class _Runs(pytest.Item):
    """What items with and without fixtures share: running the case and telling what came of it."""

    case: Case
    proposal: Proposal | Refusal | None = None

    def seeds(self) -> list[Seed]:
        """Files that only exist once the item is set up."""
        return []

    def runtest(self) -> None:
        from goccia_tools.cases.run import run_case

        session = sandbox_session(self.config)
        try:
            seeds = self.seeds()
            verdict = run_case(self.case, session.runner, seeds=seeds)
            second = None
            if session.runs_on_the_second(self.case):
                second = run_case(self.case, session.second_runner, seeds=seeds)
        except CaseFileError as error:
            raise UnreadableFile(error) from None
        except GocciaError as error:
            raise HostFault(str(error)) from None
        self._tell(verdict)
        if second is not None:
            self._compare(verdict, second)
        self.proposal = session.proposal(verdict)
        if not verdict.passed and not isinstance(self.proposal, Proposal):
            raise self._exception(verdict)
        if second is not None and not second.passed and session.must_pass_on_the_second(self.case):
            self.add_report_section("call", "sandbox engine", "as expected on quickjs; this is what goccia gave")
            raise self._exception(second)

    def _compare(self, verdict: Verdict, second: Verdict) -> None:
        from .engines import PROPERTY, differences

        self.user_properties.append((PROPERTY, differences(verdict.result, second.result)))

    def _exception(self, verdict: Verdict) -> Exception:
        if verdict.outcome == "error":
            return HostFault(str(verdict.result.error_message), verdict)
        xfail = self.case.xfail
        if xfail is not None and xfail.raises == verdict.result.failure_kind:
            return ExpectedKindOfFailure(verdict)
        return SandboxFailure(verdict)

    def _tell(self, verdict: Verdict) -> None:
        result = verdict.result
        self.user_properties += [
            ("failureKind", result.failure_kind.value),
            ("exitCode", result.exit_code),
            ("duration", round(result.duration_ms / 1000, 4)),
            ("truncated", result.truncated),
        ]
        if self.case.points is not None:
            self.user_properties.append(("points", self.case.points))
        if not self.case.expect.stated and self.case.inline is None:
            self.add_report_section("call", "sandbox note", "nothing is expected but that the program ends well")
        if result.output:
            self.add_report_section("call", "sandbox output", _section(result.output))
        self.ihook.pytest_sandbox_result(item=self, result=result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if isinstance(error, UnreadableFile):
            where = error.error
            return FailureRepr(excinfo, unreadable_lines(where, self), where.path, where.line)
        verdict = getattr(error, "verdict", None)
        if isinstance(error, (SandboxFailure, HostFault)) and verdict is not None:
            line = next((mismatch.line for mismatch in verdict.mismatches if mismatch.line), self.case.line)
            return FailureRepr(excinfo, failure_lines(verdict, self), self.path, line)
        if isinstance(error, HostFault):
            return str(error)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, max(self.case.line - 1, 0), self.name


def _section(text: str) -> str:
    """Output as it may stand in a report: no control characters, and not endless."""
    from goccia_tools.display import printable

    shown = printable(text[:MAX_SECTION_CHARS], keep="\n\t")
    left = len(text) - MAX_SECTION_CHARS
    return shown if left <= 0 else f"{shown}\n… {left} more characters"


class SandboxItem(_Runs):
    """A case without fixtures."""

    def __init__(self, *, case: Case, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.case = case
        self.fixturenames: list[str] = []

    @classmethod
    def of(cls, parent: pytest.Collector, case: Case) -> SandboxItem:
        item: SandboxItem = cls.from_parent(parent, name=case.id, case=case)
        return item

    @property
    def obj(self) -> Callable[..., None]:
        return _subject(self.case)


class FixtureItem(_Runs, pytest.Function):
    """A case that names fixtures; their values become files."""

    @classmethod
    def of(cls, parent: pytest.Collector, case: Case) -> FixtureItem:
        item: FixtureItem = cls.from_parent(parent, name=case.id, callobj=_subject(case))
        item.case = case
        return item

    def seeds(self) -> list[Seed]:
        return [self._seed(name, path) for name, path in self.case.fixtures.items()]

    def _seed(self, name: str, path: str) -> Seed:
        value = self.funcargs[name]
        if isinstance(value, (str, bytes)) and not path.endswith(".json"):
            return Seed(path, value, replace=True)
        try:
            return Seed(path, json.dumps(value, allow_nan=False, ensure_ascii=False), replace=True)
        except (TypeError, ValueError) as error:
            raise UnreadableFile(
                CaseFileError(self.path, self.case.line, f'the value of the fixture "{name}" is no JSON data: {error}')
            ) from None


class UnreadableItem(pytest.Item):
    """Stands for a file whose cases cannot be known."""

    def __init__(self, *, error: CaseFileError, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.error = error
        self.fixturenames: list[str] = []

    @property
    def obj(self) -> Callable[..., None]:
        return self.runtest

    def runtest(self) -> None:
        raise UnreadableFile(self.error)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, UnreadableFile):
            return FailureRepr(excinfo, unreadable_lines(self.error, self), self.error.path, self.error.line)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.error.line - 1, self.name
