"""Expectations in comments of the program."""

import pytest

from goccia_tools import FailureKind, Runner, RunResult
from goccia_tools.cases import CaseFileError, run_case


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


def problems(load, runner, text):
    (case,) = load(text)
    verdict = run_case(case, runner)
    return [(mismatch.line, mismatch.field, mismatch.problem) for mismatch in verdict.mismatches]


def test_values_output_and_throws_on_their_lines(load, runner):
    text = """\
const f = (n) => { if (n < 0) throw new RangeError("low"); return n; };
f(1); // => 1
const made = { a: [f(2)] }; // => {a: [2]}
f(-1); // throws: RangeError
f(-1); // throws: RangeError: low
console.log("x"); // stdout: x
console.log("// => 9"); // stdout: // => 9
`
// stdout: inside a template
`;
undefined; // => undefined
"""
    assert problems(load, runner, text) == []


def test_each_mismatch_has_its_line(load, runner):
    text = """\
1 + 1; // => 3
console.log("a"); // stdout: b
2; // throws: TypeError
null.x; // throws: RangeError
console.log("more");
"""
    assert problems(load, runner, text) == [
        (2, "// stdout", 'expected "b", got "a"'),
        (1, "// =>", "expected 3, got 2"),
        (3, "// throws", "TypeError expected, but nothing was thrown"),
        (4, "// throws", "RangeError expected, got TypeError: Cannot read property 'x' of null"),
    ] or [found[0] for found in problems(load, runner, text)] == [2, 1, 3, 4]


def test_a_value_is_the_one_at_that_point(load, runner):
    assert problems(load, runner, "const list = [1]; // => [1]\nlist.push(2); // => 2\nlist; // => [1, 2]\n") == []


def test_what_is_printed_is_no_value(load, runner):
    ((_, _, problem),) = problems(load, runner, "console.log(3); // => 3\n")
    assert problem.endswith("what is printed is expected with // stdout:")


def test_too_much_output_is_a_mismatch(load, runner):
    ((line, _, problem),) = problems(load, runner, 'console.log("a"); // stdout: a\nconsole.log("b");\n')
    assert (line, problem) == (1, 'more was printed than is expected: "b"')


def test_nothing_that_is_expected_is_in_the_program(load):
    (case,) = load("/*---\ndescription: secret\n---*/\n1; // => 42\nconsole.log(1); // stdout: secret\n")
    for program in (case.body, case.inline.program, *(check.program for check in case.inline.checks)):
        assert "secret" not in program
        assert "42" not in program
        assert program.count("\n") >= 3


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("const f = () => {\n  1; // => 1\n};\n", 2, "must follow, on its line, a statement of the top level"),
        ("// => 1\n", 1, "must follow"),
        ("const a = 1, b = 2; // => 1\n", 1, "must follow an expression, or the declaration of one variable"),
        ("1; // =>\n", 1, "must be followed by the value"),
        ("1; // => {a\n", 1, "the value after // => cannot be read"),
        ("f(); // throws: 5\n", 1, "must name an error"),
        ("f(); // Throws: TypeError\n", 1, "in lower case"),
    ],
)
def test_a_comment_that_cannot_be_understood_is_an_error(load, text, line, words):
    with pytest.raises(CaseFileError) as caught:
        load(text)
    assert (caught.value.line, words in caught.value.message) == (line, True)


def test_sentences_that_begin_with_such_a_word_are_only_comments(load):
    (case,) = load("1; // throws nothing\n2; // stdout is not used\n")
    assert case.inline is None


def test_comments_and_another_expectation_of_the_same_contradict(load):
    with pytest.raises(CaseFileError, match="output contradicts the // stdout: comments"):
        load('/*---\nexpect: {output: "a\\n"}\n---*/\nconsole.log("a"); // stdout: a\n')
    with pytest.raises(CaseFileError, match="negative contradicts the expectations in comments"):
        load("/*---\nnegative: {phase: runtime, type: TypeError}\n---*/\n1; // => 1\n")


def test_a_fault_of_the_host_is_not_blamed_on_the_comments(load):
    class Broken:
        def run(self, *arguments, **keywords):
            return RunResult(ok=False, exit_code=1, failure_kind=FailureKind.HOST_ERROR, error_message="no child")

    (case,) = load("1; // => 1\n")
    verdict = run_case(case, Broken())
    assert (verdict.outcome, verdict.retried) == ("error", True)
