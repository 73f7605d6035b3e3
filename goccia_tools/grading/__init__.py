"""Grading: a class of submissions against an assignment, by evidence, into a gradebook; reports come out of that."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .backend import Answer as Answer
    from .backend import Backend as Backend
    from .facts import AssignmentFacts as AssignmentFacts
    from .facts import TestFacts as TestFacts
    from .grade import Outcome as Outcome
    from .grade import Status as Status
    from .grade import SubmissionGrade as SubmissionGrade
    from .grade import TestGrade as TestGrade
    from .gradebook import Gradebook as Gradebook

_HOMES = {
    "Answer": "backend",
    "AssignmentFacts": "facts",
    "Backend": "backend",
    "Gradebook": "gradebook",
    "Outcome": "grade",
    "Status": "grade",
    "SubmissionGrade": "grade",
    "TestFacts": "facts",
    "TestGrade": "grade",
}

__all__ = [
    "Answer",
    "AssignmentFacts",
    "Backend",
    "Gradebook",
    "Outcome",
    "Status",
    "SubmissionGrade",
    "TestFacts",
    "TestGrade",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
