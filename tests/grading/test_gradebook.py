from dataclasses import replace

import pytest

from goccia_tools.grading import AssignmentFacts, Gradebook, SubmissionGrade
from goccia_tools.grading.gradebook import GradebookError

FACTS = AssignmentFacts(name="hw1", title="Homework 1", max_score=1, tests=())


def grade(student, score=1.0):
    return SubmissionGrade(student=student, status="graded", max_score=1, score=score)


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "book.sqlite", "hw1") as book:
        book.write_assignment(FACTS)
        yield book


def test_what_was_written_is_read_in_order(book):
    names = ["b", "a", "B", "é", "Ünder", "a b", "😀", 'x"y', "'; drop table submission; --"]
    for name in names:
        book.write_grade(grade(name), {"n": name})
    assert [row.student for row in book.grades()] == sorted(names) == book.students()
    assert dict(book.evidence())["é"] == {"n": "é"}
    assert [row.student for row in book.grades(["b", "zz", "a"])] == ["a", "b"]
    assert book.assignment() == FACTS


def test_more_rows_than_are_read_at_once(book):
    for number in range(120):
        book.write_grade(grade(f"s{number:03}"))
    assert [row.student for row in book.grades()] == [f"s{number:03}" for number in range(120)]


def test_a_row_is_replaced(book):
    book.write_grade(grade("a", 0.5))
    book.write_grade(grade("a", 1.0))
    assert [row.score for row in book.grades()] == [1.0]


def test_revise_sees_what_is_there(book):
    seen = []

    def decide(evidence):
        seen.append(evidence)
        return grade("a"), {"n": 1 if evidence is None else evidence["n"] + 1}

    book.revise("a", decide)
    book.revise("a", decide)
    assert seen == [None, {"n": 1}]
    assert dict(book.evidence()) == {"a": {"n": 2}}


def test_a_failed_decision_changes_nothing(book):
    book.write_grade(grade("a"), {"n": 1})
    with pytest.raises(ZeroDivisionError):
        book.revise("a", lambda _: 1 / 0)
    book.write_grade(grade("b"))
    assert dict(book.evidence())["a"] == {"n": 1}


def test_two_at_once(book, tmp_path):
    with Gradebook(tmp_path / "book.sqlite", "hw1") as other:
        reader = book.grades()
        for number in range(60):
            (book if number % 2 else other).write_grade(grade(f"s{number}"))
        assert len(list(reader)) == 60 == len(other.students())


def test_several_assignments_in_one_database(book, tmp_path):
    path = tmp_path / "book.sqlite"
    with Gradebook(path) as alone:
        assert alone.assignment_name == "hw1"
    with Gradebook(path, "hw2") as second:
        second.write_assignment(replace(FACTS, name="hw2"))
        second.write_grade(grade("a"))
    assert book.students() == []
    with pytest.raises(GradebookError, match="several assignments: hw1, hw2; name one"):
        Gradebook(path)
    with pytest.raises(GradebookError, match='no assignment "hw3"; did you mean "hw'):
        Gradebook(path, "hw3", must_exist=True)


def test_what_cannot_be_opened_is_told_in_a_sentence(tmp_path):
    with pytest.raises(GradebookError, match=r"there is no gradebook .*nowhere"):
        Gradebook(tmp_path / "nowhere.sqlite", must_exist=True)
    with pytest.raises(GradebookError, match="unable to open database file"):
        Gradebook(tmp_path / "no" / "folder.sqlite", "x")
    (tmp_path / "text").write_text("not a database at all, but long enough to look at it" * 100)
    with pytest.raises(GradebookError, match="not a database"):
        Gradebook(tmp_path / "text", "x")
    with pytest.raises(GradebookError, match="knows no database"):
        Gradebook("nothing://here", "x")
    with pytest.raises(GradebookError, match=r"mysql://ada:\*\*\*@h/d needs"):
        Gradebook("mysql://ada:secret@h/d", "x")


def test_a_path_with_any_character(tmp_path):
    path = tmp_path / "a ?#%41é.sqlite"
    with Gradebook(path, "hw1") as book:
        book.write_assignment(FACTS)
    assert path.is_file()
