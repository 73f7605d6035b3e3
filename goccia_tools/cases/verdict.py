"""Verdict: what running a case showed, as data; how it is told to a person is decided elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..result import FailureKind, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .case import Case


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One field that is not as expected.

    ``problem`` is a sentence; ``expected`` and ``actual`` are the values where they say more than the sentence;
    ``line`` is the line of the file where the expectation stands, 0 when nobody wrote one.
    """

    field: str
    problem: str
    expected: Any = None
    actual: Any = None
    line: int = 0
    truncated: bool = False
    #: more to read, in lines, such as the code around an error
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case, the run-result that decided it, and what was not as expected.

    ``retried`` says that a first run ended in a fault of the host and was repeated.
    """

    case: Case
    result: RunResult
    mismatches: tuple[Mismatch, ...] = ()
    retried: bool = False

    @property
    def passed(self) -> bool:
        """Everything is as expected."""
        return not self.mismatches

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``error`` when a fault of the host kept the case from being judged."""
        if self.passed:
            return "passed"
        return "error" if self.result.failure_kind is FailureKind.HOST_ERROR else "failed"
