"""Failures: the exceptions of a failed cell, named by their failureKind, with the error report as their traceback."""

from __future__ import annotations

from ..display import Facts, report_text
from ..errors import RunFailed
from ..result import FailureKind, RunResult


class CellFailed(RunFailed):
    """A cell failed. ``result`` is the whole run-result; IPython shows the error report in place of a traceback."""

    def __init__(self, result: RunResult, facts: Facts, *, color: bool) -> None:
        super().__init__(result)
        self._facts, self._color = facts, color

    def __str__(self) -> str:
        return self._facts.report.partition("\n")[0] or self._facts.verdict

    def _render_traceback_(self) -> list[str]:
        report = report_text(self._facts, color=self._color) or self._facts.verdict
        return report.split("\n")


class ScriptError(CellFailed):
    """failureKind ``script-error``."""


class ResourceLimit(CellFailed):
    """failureKind ``resource-limit``."""


class Timeout(CellFailed):
    """failureKind ``timeout``."""


class ChildProcessCrash(CellFailed):
    """failureKind ``child-process-crash``."""


class HostError(CellFailed):
    """failureKind ``host-error``."""


class ExpectedFailure(CellFailed):
    """A cell with ``--expect`` did not fail, or failed in another way."""

    def __init__(self, result: RunResult, facts: Facts, *, expected: FailureKind, color: bool) -> None:
        super().__init__(result, facts, color=color)
        self._expected = expected

    def __str__(self) -> str:
        return f"--expect {self._expected}: the run ended with {self._facts.kind}"

    def _render_traceback_(self) -> list[str]:
        return [str(self), *(super()._render_traceback_() if self._facts.report else [])]


FAILURES: dict[FailureKind, type[CellFailed]] = {
    FailureKind.SCRIPT_ERROR: ScriptError,
    FailureKind.RESOURCE_LIMIT: ResourceLimit,
    FailureKind.TIMEOUT: Timeout,
    FailureKind.CHILD_PROCESS_CRASH: ChildProcessCrash,
    FailureKind.HOST_ERROR: HostError,
}
