"""Expectations against hand-made run-results: every field, every matcher, and what is implied."""

import pytest

from goccia_tools import FailureKind, RunResult
from goccia_tools.cases.explain import explain, summary
from goccia_tools.cases.verdict import Verdict

REPORT = (
    "TypeError: no\nsuch thing\n  Suggestion: try\n  --> /a.sandbox.js:7:3\n   6 | a\n   7 | b();\n     |   ^\n   8 | c"
)


def good(**fields):
    return RunResult(ok=True, exit_code=0, failure_kind=FailureKind.NONE, **fields)


def bad(kind="script-error", **fields):
    fields.setdefault("error_message", REPORT if kind == "script-error" else "stopped")
    return RunResult(ok=False, exit_code=1, failure_kind=FailureKind(kind), **fields)


def diff(*items):
    import orjson

    return orjson.dumps({"changes": list(items)}).decode()


def change(kind, path, text=None):
    from base64 import b64encode

    found = {"kind": kind, "path": path, "oldBytes": 0, "newBytes": 0}
    return found if text is None else {**found, "base64": b64encode(text.encode()).decode()}


DIFF = diff(change("create", "/a.txt", "6"), change("mkdir", "/d"), change("delete", "/old"))

#: expectation, result -> the fields that are not as expected
JUDGED = [
    ("{output: a}", good(output="a"), []),
    ("{output: a}", good(output="a\n"), ["output"]),
    ("{output: a}", bad(output="a"), ["ok"]),
    ("{output: {contains: [a, b]}}", good(output="xaxb"), []),
    ("{output: {contains: [a, b]}}", good(output="xax"), ["output"]),
    ("{output: {matches: '^a+$'}}", good(output="aaa"), []),
    ("{output: {matches: '^a+$'}}", good(output="aab"), ["output"]),
    ("{output: {lines: [a, '']}}", good(output="a\n\n"), []),
    ("{output: {lines: [a]}}", good(output="a\nb\n"), ["output"]),
    ("{output: {lines: [a, b]}}", good(output="a\n"), ["output"]),
    ("{output: {lines: []}}", good(), []),
    ("{output: {lines: ['a\\u2028b']}}", good(output="a\\u2028b\n"), []),
    ('{output: {lines: ["a\\u2028b"]}}', good(output="a\u2028b\n"), []),
    ("{output: {absent: true}}", good(), []),
    ("{output: {absent: true}}", good(output="a"), ["output"]),
    ("{output: {absent: false}}", good(output="a"), []),
    ("{output: {contains: a, absent: false, matches: b}}", good(output="ab"), []),
    ("{errorOutput: ''}", good(), []),
    ("{errorMessage: {contains: such}, ok: false}", bad(), []),
    ("{resultValue: 6}", good(result_value=6), []),
    ("{resultValue: 6}", good(result_value=6.0), []),
    ("{resultValue: 1}", good(result_value=True), ["resultValue"]),
    ("{resultValue: true}", good(result_value=1), ["resultValue"]),
    ("{resultValue: null}", good(), []),
    ("{resultValue: {a: [1, {b: c}]}}", good(result_value={"a": [1, {"b": "c"}]}), []),
    ("{resultValue: {a: 1}}", good(result_value={"a": 1, "b": 2}), ["resultValue"]),
    ("{resultValue: {approx: [0.3, 1]}}", good(result_value=[0.1 + 0.2, 1]), []),
    ("{resultValue: {approx: 3, tolerance: 0.5}}", good(result_value=3.6), ["resultValue"]),
    ("{resultValue: {approx: 1}}", good(result_value=True), ["resultValue"]),
    ("{resultValue: {equals: {contains: a}}}", good(result_value={"contains": "a"}), []),
    ("{resultValue: {contains: 2}}", good(result_value=[1, 2]), []),
    ("{resultValue: {contains: b}}", good(result_value="abc"), []),
    ("{resultValue: {contains: 2}}", good(result_value=2), ["resultValue"]),
    ("{resultValue: {absent: true}}", good(), []),
    ("{exitCode: 1}", bad(), []),
    ("{exitCode: 0}", bad(), ["exitCode"]),
    ("{failureKind: timeout}", bad("timeout"), []),
    ("{failureKind: timeout}", bad(), ["failureKind"]),
    ("{failureKind: timeout}", good(), ["failureKind"]),
    ("{ok: false}", bad("child-process-crash"), []),
    ("{truncated: false}", good(), []),
    ("{error: TypeError}", bad(), []),
    ("{error: RangeError}", bad(), ["error.name"]),
    ("{error: TypeError}", good(), ["error"]),
    ('{error: {name: TypeError, message: "no\\nsuch thing", line: 7, column: 3, path: /a.sandbox.js}}', bad(), []),
    ("{error: {line: 8, column: 3}}", bad(), ["error.line"]),
    ("{error: {message: {matches: 'such'}}}", bad(), []),
    ("{diff: {/a.txt: {created: '6'}, /d: mkdir, /old: deleted}}", good(diff=DIFF), []),
    ("{diff: {/a.txt: created, /d: mkdir, /old: {deleted: true}}}", good(diff=DIFF), []),
    ("{diff: {/a.txt: {created: {json: 6}}, /d: mkdir, /old: deleted}}", good(diff=DIFF), []),
    ("{diff: {/a.txt: {created: {base64: Ng==}}, /d: mkdir, /old: deleted}}", good(diff=DIFF), []),
    ("{diff: {/a.txt: {created: '7'}, /d: mkdir, /old: deleted}}", good(diff=DIFF), ["diff"]),
    ("{diff: {/a.txt: modified, /d: mkdir, /old: deleted}}", good(diff=DIFF), ["diff"]),
    ("{diff: {/a.txt: created}}", good(diff=DIFF), ["diff"]),
    ("{diff: {}}", good(diff=DIFF), ["diff"]),
    ("{diff: {}}", good(diff=diff()), []),
    ("{diff: {}}", good(), ["diff"]),
]


@pytest.mark.parametrize(("expect", "result", "fields"), JUDGED)
def test_fields_and_matchers(head, expect, result, fields):
    (case,) = head(f"expect: {expect}")
    assert [mismatch.field for mismatch in case.expect.mismatches(result)] == fields


def told(head, expect, result):
    (case,) = head(f"expect: {expect}")
    verdict = Verdict(case, result, case.expect.mismatches(result))
    assert summary(verdict)
    return "\n".join(line.text for line in explain(verdict))


def test_no_expectation_means_that_the_program_ends_well(load):
    (case,) = load("1;")
    assert not case.expect.stated
    assert not case.expect.mismatches(good())
    assert [mismatch.field for mismatch in case.expect.mismatches(bad())] == ["ok"]


def test_an_unexpected_failure_shows_its_report_once(head):
    text = told(head, "{output: a, resultValue: 6}", bad(output="a"))
    assert text.count("TypeError") == 1
    assert "--> /a.sandbox.js:7:3" in text
    assert "resultValue" not in text


def test_a_timeout_names_the_one_limit(head):
    (case,) = head("options: {timeoutMs: 300}")
    verdict = Verdict(case, bad("timeout"), case.expect.mismatches(bad("timeout")))
    assert "still running after timeoutMs 300" in summary(verdict)


@pytest.mark.parametrize("field", ["output", "errorOutput"])
def test_what_was_cut_is_called_truncated_and_not_wrong(head, field):
    cut = "x" * 30 + "… [truncated 4194304 bytes]"
    result = good(**{"output" if field == "output" else "error_output": cut})
    text = told(head, f"{{{field}: {'x' * 40}}}", result)
    assert f"{field} (line 2): was truncated at its limit" in text


def test_a_value_that_did_not_fit_is_called_truncated(head):
    assert "was truncated: it was too large" in told(head, "{resultValue: 6}", good(truncated=True))


def test_where_a_value_differs(head):
    text = told(head, "{resultValue: {a: [1, {b c: 2}]}}", good(result_value={"a": [1, {"b c": 3}]}))
    assert 'at .a[1]["b c"]: expected 2, got 3' in text


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        ('"a\\n"', "a", "differs only in the newline at its end (missing)"),
        ('"a"', "a\n", "differs only in the newline at its end (not expected)"),
        ('"a\\nb\\n"', "a\r\nb\r\n", "differs only in its line ends"),
        ('"a\\nb\\n"', "a\nc\n", "differs from line 2, column 1 on"),
        ("abc", "abd", 'expected "abc", got "abd"'),
    ],
)
def test_how_two_texts_differ(head, expected, actual, words):
    assert words in told(head, f"{{output: {expected}}}", good(output=actual))


def test_line_ends_and_controls_show_in_a_diff(head):
    assert "+ b␍␊" in told(head, '{output: "a\\nb\\n"}', good(output="a\nb\r\n"))
    text = told(head, '{output: "a\\nb\\n"}', good(output="a\n\x1b[31mb\u2028 \x00\n"))
    assert "+ \\x1b[31mb\\u2028 \\x00" in text
    assert "\x1b" not in text


def test_a_guest_cannot_stall_the_parent_with_a_regular_expression(head):
    import time

    (case,) = head("expect: {output: {matches: '(a+)+b'}}")
    started = time.monotonic()
    (mismatch,) = case.expect.mismatches(good(output="a" * 100_000))
    assert "given up after 1000 ms" in mismatch.problem
    assert time.monotonic() - started < 10


def test_only_the_first_mebibyte_is_searched(head):
    (case,) = head("expect: {output: {matches: 'b'}}")
    (mismatch,) = case.expect.mismatches(good(output="a" * (1 << 20) + "b"))
    assert "not found in its first 1048576 characters" in mismatch.problem


def test_a_guest_cannot_stall_the_parent_with_its_output(head):
    import time

    started = time.monotonic()
    wanted = "".join(f"line {n}\\n" for n in range(1000))
    text = told(head, f'{{output: "{wanted}"}}', good(output="\n".join(str(n % 7) for n in range(1_000_000))))
    assert time.monotonic() - started < 10
    assert len(text) < 20_000
