"""AssignmentFacts: what reports need to know of an assignment, kept in the gradebook beside the grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFacts:
    """One test of an assignment; the fields mean what they mean in :class:`goccia_tools.grading.TestGrade`."""

    __test__: ClassVar[bool] = False

    id: str
    name: str
    question: str
    max_points: float
    visibility: str = "visible"
    tags: tuple[str, ...] = ()
    bonus: bool = False
    #: the all-or-nothing group it is part of, or empty
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentFacts:
    """An assignment as its reports show it. ``tests`` are in the order of the assignment.

    ``name`` is the key in the gradebook, ``max_score`` what all tests that are no bonus add up to, ``decimals`` how
    many digits after the point a score is rounded to. ``due`` is an ISO 8601 date and time with offset, or empty.
    """

    name: str
    title: str
    max_score: float
    tests: tuple[TestFacts, ...]
    decimals: int = 2
    due: str = ""
    #: what ran the programs, such as ``quickjs 0.17.0``
    engine: str = ""

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions in order, each once."""
        return tuple(dict.fromkeys(test.question for test in self.tests))

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which :meth:`from_json` makes equal facts."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The facts that :meth:`to_json` wrote."""
        tests = tuple(TestFacts(**{**test, "tags": tuple(test["tags"])}) for test in data["tests"])
        return cls(**{**data, "tests": tests})
