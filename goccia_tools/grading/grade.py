"""SubmissionGrade: what one submission was given, test by test, as plain data that every report is made of."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, ClassVar, Self


class Outcome(StrEnum):
    """What became of one test of one submission."""

    PASSED = "passed"
    FAILED = "failed"
    #: it was not run, and costs its points: a required file is missing, the submission's time was used up
    NOT_RUN = "not-run"
    #: a fault of this side (a host-error, a lost worker); says nothing about the submission and gives no number
    NOT_GRADED = "not-graded"


class Status(StrEnum):
    """What became of one submission."""

    GRADED = "graded"
    #: at least one of its tests could not be judged, so there is no score; a rerun tries again
    NOT_GRADED = "not-graded"
    #: on the roster, and nothing was handed in: a score of 0
    NO_SUBMISSION = "no-submission"
    #: what was handed in cannot be read (a damaged archive or notebook, too large): a score of 0, with the reason
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestGrade:
    """One test of one submission.

    ``id`` is unique in the assignment and made of letters, digits, ``_``, ``.``, ``-`` and ``/``; ``name`` is for
    people, and of a test that is not visible it tells neither arguments nor values. ``question`` is the test's file
    without its suffix. ``visibility`` is one of visible, hidden, after_due_date, after_published.

    ``points`` is None when the test is not graded, else from 0 to ``max_points``. ``message`` is one sentence that the
    student may always read; ``detail`` has more lines and is for whom the visibility allows (of a hidden test it is
    empty: nothing secret is kept). ``withheld`` is why the student is not shown this test although it is visible (an
    earlier test with hide-rest-if-fail failed), or empty. ``note`` is for the instructor alone.

    ``attempts`` counts the runs that it took: 2 after a timeout or a crash, which are looked at once more; a test that
    passed at the second attempt is flaky. ``duration_ms`` is the time of the run that counted and differs from run to
    run; everything else is the same whenever the same submission meets the same tests.
    """

    __test__: ClassVar[bool] = False

    id: str
    name: str
    question: str
    max_points: float
    points: float | None
    outcome: Outcome
    visibility: str = "visible"
    tags: tuple[str, ...] = ()
    bonus: bool = False
    #: of the run that counted, by its name on the wire; empty when there was no run
    failure_kind: str = ""
    message: str = ""
    detail: str = ""
    withheld: str = ""
    note: str = ""
    attempts: int = 1
    duration_ms: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", Outcome(self.outcome))
        object.__setattr__(self, "tags", tuple(self.tags))
        if not (math.isfinite(self.max_points) and self.max_points >= 0):
            raise ValueError(f"max_points must be a number from 0, not {self.max_points}")
        if self.points is not None and not 0 <= self.points <= self.max_points:
            raise ValueError(f"points must be from 0 to {self.max_points}, not {self.points}")
        if (self.points is None) != (self.outcome is Outcome.NOT_GRADED):
            raise ValueError(f"points {self.points} contradict the outcome {self.outcome}")

    @property
    def passed(self) -> bool:
        """Everything was as expected."""
        return self.outcome is Outcome.PASSED

    @property
    def flaky(self) -> bool:
        """It passed, but not at the first attempt."""
        return self.passed and self.attempts > 1

    @property
    def secret(self) -> bool:
        """It is hidden for good: students may know that it is there and how it went, nothing else."""
        return self.visibility == "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionGrade:
    """One row of the class: a submission, or a student of the roster without one.

    ``student`` is the id as it was found and may hold any character; :attr:`slug` is a name for files made of it.
    ``score`` is what counts, after groups, bonus, rounding and lateness: from 0 to ``max_score`` (above it only where
    the assignment allows a bonus to go there), None when it is not graded. ``earned`` is the score before the penalty
    for lateness, ``late_penalty`` what that took away and ``late_s`` how many seconds late it was (0 in time, None when
    nobody knows when it was handed in). ``problems`` are sentences about what was handed in, for student and
    instructor; ``notes`` are for the instructor alone. ``submission_hash`` is empty when there is none.
    """

    student: str
    status: Status
    max_score: float
    score: float | None
    earned: float | None = None
    name: str = ""
    email: str = ""
    tests: tuple[TestGrade, ...] = ()
    late_penalty: float = 0.0
    late_s: float | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    submission_hash: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))
        for name in ("tests", "problems", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for value in (self.score, self.earned, self.max_score):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"a score must be a number from 0, not {value}")
        if (self.score is None) != (self.status is Status.NOT_GRADED):
            raise ValueError(f"the score {self.score} contradicts the status {self.status}")

    @property
    def slug(self) -> str:
        """A name for the files of this row: safe everywhere, and unique even where case is not told apart."""
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.student).strip("-.")[:60]
        if plain == self.student and plain == plain.lower() and plain.partition(".")[0] not in _RESERVED:
            return plain
        mark = sha256(self.student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"{plain}-{mark}" if plain else mark

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which :meth:`from_json` makes an equal grade."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The grade that :meth:`to_json` wrote."""
        return cls(**{**data, "tests": tuple(TestGrade(**test) for test in data["tests"])})


#: names of devices on Windows, which no file may have
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
