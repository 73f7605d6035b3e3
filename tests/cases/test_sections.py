"""`// @case name`: one program for each section of a file."""

import pytest

from goccia_tools import Runner, RunResult
from goccia_tools.cases import CaseFileError, run_case
from goccia_tools.cases.proposal import Refusal, propose
from goccia_tools.cases.verdict import Verdict

STACK = """\
/*---
description: a stack
---*/
const made = (...items) => ({ items, pop: () => items.pop(), size: () => items.length });

// @case pops the last item
const stack = made(1, 2);
stack.pop(); // => 2
stack.size(); // => 1

// @case is empty at first: naïve 😀
const stack = made();
stack.size(); // => 0
"""


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


def test_each_section_is_a_case_with_what_stands_above_the_first(load, runner):
    cases = load(STACK)
    assert [(case.name, case.id, case.line) for case in cases] == [
        ("pops the last item", "pops-the-last-item", 6),
        ("is empty at first: naïve 😀", "is-empty-at-first-naïve", 11),
    ]
    for case in cases:
        assert run_case(case, runner).mismatches == ()
        assert case.body.count("\n") == STACK.count("\n")
        assert "@case" not in case.body
        assert case.body.count("const stack") == 1


def test_a_mismatch_and_an_error_have_their_lines(load, runner):
    text = STACK.replace("=> 1", "=> 5").replace("const stack = made();", "const f = () => null.x; f();")
    first, second = (run_case(case, runner) for case in load(text))
    assert [(mismatch.line, mismatch.problem) for mismatch in first.mismatches] == [(9, "expected 5, got 1")]
    assert "--> /a.sandbox.js:12:" in second.result.error_message


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_without_front_matter_and_with_any_line_ends(load, runner, newline):
    text = "#!/usr/bin/env x\nconst f = 1;\n// @case a\nf; // => 1\n// @case: b\n//@case c\nthrow 1;\n".replace(
        "\n", newline
    )
    cases = load(text)
    assert [(case.id, case.line) for case in cases] == [("a", 3), ("b", 5), ("c", 6)]
    assert [run_case(case, runner).passed for case in cases] == [True, True, False]


def test_an_item_of_cases_says_more_about_the_section_of_its_name(head, runner):
    yaml = """\
options: {timeoutMs: 900}
tags: [all]
expect: {output: "one\\n"}
cases:
  - {name: two, points: 2, options: {timeoutMs: 300}, expect: {output: "two\\n"}}"""
    one, two = head(yaml, "// @case one\nconsole.log('one');\n// @case two\nconsole.log('two');\n")
    assert (one.points, two.points) == (None, 2)
    assert (one.options.timeout_ms, two.options.timeout_ms) == (900, 300)
    assert one.tags == two.tags == ("all",)
    assert run_case(one, runner).passed
    assert run_case(two, runner).passed
    assert two.line == 6


def test_sections_and_rows_are_crossed(head, runner):
    body = "import p from '/param.json' with { type: 'json' };\n// @case a\np.n;\n// @case b\np.n + 1;\n"
    cases = head("parametrize: {n: [1, 2]}\nexpect: {resultValue: '${n}'}", body)
    assert [case.id for case in cases] == ["a[1]", "a[2]", "b[1]", "b[2]"]


def test_names_may_repeat_and_ids_may_not(load):
    assert [case.id for case in load("// @case a\n1;\n// @case a\n2;\n// @case ???\n")] == ["a", "a-2", "case"]


def test_text_that_is_no_comment_begins_no_case(load):
    (case,) = load("const a = `\n// @case b\n`;\nconst c = '// @case d'; // see the @case of e\n")
    assert case.id == "a"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("1;\n// @case\n", 2, "must be followed by the name"),
        ("1;\n// @Case a\n", 2, "in lower case"),
        ("1;\n// @ case a\n", 2, '"// @case name"'),
        ("1;\n/* @case a */\n", 2, '"// @case name"'),
        ("1; // @case a\n", 1, "on a line of its own"),
        ("const f = () => {\n  // @case a\n  1;\n};\n", 2, "outside of every function"),
        ("/*---\nname: x\n---*/\n// @case a\n", 2, "name contradicts the // @case comments"),
        ("/*---\ncalls: [{call: f, returns: 1}]\n---*/\n// @case a\n", 2, "calls contradicts"),
        ("/*---\ncases:\n  - name: frist\n---*/\n// @case first\n", 3, 'did you mean "first"?'),
        ("/*---\ncases: [{name: a}, {name: a}]\n---*/\n// @case a\n", 2, "twice"),
        ("/*---\ncases: [{skip: x}]\n---*/\n// @case a\n", 2, 'no "// @case "'),
        ("/*---\nnegative: {phase: parse, type: SyntaxError}\n---*/\n// @case a\n1; // => 1\n", 2, "contradicts"),
    ],
)
def test_what_cannot_be_meant_is_an_error(load, text, line, words):
    with pytest.raises(CaseFileError) as caught:
        load(text)
    assert words in caught.value.message
    assert caught.value.line == line


def test_an_expectation_of_all_sections_is_not_rewritten_for_one(head):
    result = RunResult(ok=True, exit_code=0, failure_kind="none", output="b")
    one, own = head("expect: {output: a}\ncases: [{name: y, expect: {output: c}}]", "// @case x\n// @case y\n")
    refused = propose(Verdict(one, result, one.expect.mismatches(result)))
    assert refused == Refusal("its expectation is shared by the // @case comments of the file")
    assert propose(Verdict(own, result, own.expect.mismatches(result))).key_path == ("cases", 0)
    (plain,) = head("description: a", "// @case x\n")
    assert isinstance(propose(Verdict(plain, result), only_new=True), Refusal)
