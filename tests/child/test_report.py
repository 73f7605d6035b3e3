"""Error reports: where a failing function was called, code frames, stacks, and what has neither."""

from __future__ import annotations

import pytest

from goccia_tools import Runner


@pytest.fixture(scope="module")
def runner():
    with Runner() as shared:
        yield shared


def report(runner: Runner, text: str, **options: object) -> str:
    return runner.run(text, **options).error_message


def test_the_place_is_the_innermost_call(runner: Runner) -> None:
    assert report(runner, 'const f = () => { throw new TypeError("no"); };\nconst g = () => f();\ng();') == (
        "TypeError: no\n"
        "  --> /main.js:2:18\n"
        '   1 | const f = () => { throw new TypeError("no"); };\n'
        "   2 | const g = () => f();\n"
        "     |                  ^\n"
        "   3 | g();"
    )


def test_at_the_top_level_there_is_no_place(runner: Runner) -> None:
    assert report(runner, "null.x;") == "TypeError: Cannot read property 'x' of null"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("const f = () => null.x; f(1, 2);", "1:26"),
        ("const f = () => null.x; f(\n  1\n);", "1:26"),
        ("const o = { m() { return null.x; } }; o\n  .m();", "2:5"),
        ("const o = { m() { return null.x; } }; o.m?.();", "1:42"),
        ("class K { constructor() { null.x; } } new K();", "1:39"),
        ("const t = () => null.x; t`a`;", "1:26"),
        ('JSON.parse("{");', "1:11"),
        ("const f = () => null.x; const id = (v) => v; id(f());", "1:50"),
        ("const f = () => null.x; [1].map(() => f());", "1:40"),
        ("const f = (cb) => cb(); f(() => { throw new Error(); });", "1:21"),
    ],
)
def test_where_a_call_is(runner: Runner, text: str, place: str) -> None:
    assert f"  --> /main.js:{place}\n" in report(runner, text)


@pytest.mark.parametrize(
    "text",
    [
        "const o = { get v() { return null.x; } }; o.v;",
        "const o = { valueOf() { return null.x; } }; o + 1;",
        "for (const x of { [Symbol.iterator]() { return { next() { return null.x; } }; } }) {}",
    ],
)
def test_what_an_operator_runs_was_not_called(runner: Runner, text: str) -> None:
    assert "-->" not in report(runner, text)


def test_an_unknown_name_has_the_reference_s_odd_place(runner: Runner) -> None:
    assert report(runner, "missing;") == "ReferenceError: Undefined variable: missing\n  --> :0:0"


def test_a_class_of_errors_is_reported_under_its_name(runner: Runner) -> None:
    text = 'class Mine extends Error { name = "Mine"; }\nconst f = () => { throw new Mine("x"); };\nf();'
    assert report(runner, text).startswith("Mine: x\n  --> /main.js:3:2\n")


@pytest.mark.parametrize(
    ("thrown", "text"),
    [
        ('"text"', "text"),
        ("42", "42"),
        ("null", "null"),
        ('Symbol("s")', "Symbol(s)"),
        ("{}", "[object Object]"),
        ("[1]", "[object Array]"),
        ('{ message: "m" }', "m"),
        ('{ name: "N", message: "m" }', "N: m"),
    ],
)
def test_thrown_values_that_are_no_errors(runner: Runner, thrown: str, text: str) -> None:
    assert report(runner, f"throw {thrown};") == text


def test_the_caret_counts_utf16_units_and_keeps_tabs(runner: Runner) -> None:
    lines = report(runner, 'const f = () => null.x;\n\tconst s = "😀"; f();').split("\n")
    assert lines[1] == "  --> /main.js:2:19"
    assert lines[4] == "     | \t" + " " * 17 + "^"


def test_making_an_error_is_no_call_of_its_own(runner: Runner) -> None:
    text = (
        "class Mine extends Error { constructor(m) { super(m); this.extra = 1; } }\n"
        "class Plain { constructor() { throw new Error('in'); } }\n"
        "const f = () => new Mine('x');\n"
        "const g = () => { try { new Plain(); } catch (error) { return error; } };\n"
        "console.log(f().stack);\nconsole.log(g().stack);"
    )
    assert runner.run(text).output == (
        "Error: x\n    at f (/main.js:5:14)\nError: in\n    at Plain (/main.js:4:25)\n    at g (/main.js:6:14)\n"
    )


def test_stack_is_the_list_of_calls(runner: Runner) -> None:
    result = runner.run("const f = () => new Error('m');\nconst g = () => f();\nconsole.log(g().stack);")
    assert result.output == "Error: m\n    at f (/main.js:2:18)\n    at g (/main.js:3:14)\n"


@pytest.mark.parametrize("name", ["Intl", "Temporal"])
def test_what_only_the_other_engine_has_fails_by_name(runner: Runner, name: str) -> None:
    said = report(runner, f"const f = () => {name}; f();")
    assert said.startswith(f"TypeError: {name} is not part of the embedded engine; the goccia engine has it\n")
    assert runner.run(f"globalThis.{name} = 5; {name} + 1;").result_value == 6
