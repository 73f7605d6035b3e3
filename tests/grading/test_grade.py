import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.grading import AssignmentFacts, Outcome, Status, SubmissionGrade, TestFacts, TestGrade

PASSED = TestGrade(id="sum/adds", name="adds", question="sum", max_points=2, points=2, outcome=Outcome.PASSED)
GRADE = SubmissionGrade(student="ada", status=Status.GRADED, max_score=2, score=2, tests=(PASSED,))


def test_a_grade_survives_json():
    assert SubmissionGrade.from_json(GRADE.to_json()) == GRADE


def test_facts_survive_json():
    facts = AssignmentFacts(
        name="hw1",
        title="Homework",
        max_score=2,
        tests=(TestFacts(id="sum/adds", name="adds", question="sum", max_points=2, tags=("a",)),),
    )
    assert AssignmentFacts.from_json(facts.to_json()) == facts
    assert facts.questions == ("sum",)


@pytest.mark.parametrize("points", [-0.5, 2.5, math.nan, math.inf, None])
def test_points_are_in_their_bounds(points):
    with pytest.raises(ValueError, match="points"):
        replace(PASSED, points=points)


def test_not_graded_has_no_number():
    assert replace(PASSED, points=None, outcome=Outcome.NOT_GRADED).points is None
    with pytest.raises(ValueError, match="contradict"):
        replace(PASSED, outcome=Outcome.NOT_GRADED)
    with pytest.raises(ValueError, match="contradicts"):
        replace(GRADE, status=Status.NOT_GRADED)


def test_a_test_that_passed_late_is_flaky():
    assert replace(PASSED, attempts=2).flaky
    assert not replace(PASSED, attempts=2, points=0, outcome=Outcome.FAILED).flaky


@pytest.mark.parametrize(("student", "slug"), [("ada", "ada"), ("s-1.x_y", "s-1.x_y")])
def test_a_plain_id_is_its_own_slug(student, slug):
    assert replace(GRADE, student=student).slug == slug


@given(st.text(min_size=1), st.text(min_size=1))
def test_slugs_are_safe_and_differ(one, other):
    slugs = [replace(GRADE, student=student).slug for student in (one, other)]
    for slug in slugs:
        assert slug.isascii()
        assert not set(slug) & set('/\\:*?"<>| ')
        assert slug.strip(".") == slug != ""
    if one != other:
        assert slugs[0].lower() != slugs[1].lower()
